// All files of one kind, skills or snippets, in all their roots.
// Files of an earlier root hide those of a later one with the same path.

import { coalesce } from '../async/coalesce.ts';
import { pauseIfDue } from '../async/slices.ts';
import { openCollection } from '../files/collection.ts';
import type { RootView } from '../files/collection-root.ts';
import type { ProblemOf } from '../files/folder-links.ts';
import type { FilePattern } from '../files/walk-files.ts';
import {
  type KnowledgeFile,
  MAX_KNOWLEDGE_BYTES,
  parseKnowledgeFile,
} from './parse-knowledge-file.ts';

export interface KnowledgeFiles {
  look(): Promise<KnowledgeView>;
  /** How many files have been read so far. */
  readonly read: number;
  /** Whether a reliable watch covers all roots. */
  readonly watched: boolean;
  close(): void;
}

/** The same object as before if nothing has changed. */
export interface KnowledgeView {
  /** In path order. */
  readonly files: readonly KnowledgeFile[];
  /** Why each root is unavailable; null if at least one is available. */
  readonly troubles: readonly string[] | null;
  /** Problems of roots that are there and may not be read: links out of the project. */
  readonly linkedOut: readonly string[];
}

/**
 * Hidden names belong to version control and operating systems. Names with control characters
 * could fake further lines of a list.
 */
export const IGNORED_NAMES = /^\.|[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const NO_PATHS: ReadonlySet<string> = new Set();

export function openKnowledgeFiles(
  roots: readonly string[],
  pattern: FilePattern,
  options: { watchFrom?: number; problemOf?: ProblemOf } = {},
): KnowledgeFiles {
  const collection = openCollection({
    ...options,
    roots: () => roots,
    pattern,
    maxBytes: MAX_KNOWLEDGE_BYTES,
    pause: pauseIfDue,
    parse: parseKnowledgeFile,
  });
  let seen: readonly RootView<KnowledgeFile>[] = [];
  let view: KnowledgeView = { files: [], troubles: null, linkedOut: [] };

  return {
    look: coalesce(async () => {
      const now = await collection.look(NO_PATHS);
      if (now.length !== seen.length || now.some((each, index) => each !== seen[index])) {
        seen = now;
        view = arrange(now);
      }
      return view;
    }),
    get read() {
      return collection.read;
    },
    get watched() {
      return collection.watched;
    },
    close: collection.close,
  };
}

function arrange(views: readonly RootView<KnowledgeFile>[]): KnowledgeView {
  const byPath = new Map<string, KnowledgeFile>();
  for (const file of views.flatMap(({ files }) => files)) {
    if (!byPath.has(file.path)) byPath.set(file.path, file);
  }
  return {
    files: [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    troubles: views.every(({ trouble }) => trouble !== null)
      ? views.map(({ trouble }) => trouble?.why ?? '')
      : null,
    linkedOut: views.flatMap(({ trouble }) => (trouble?.kind === 'not-allowed' ? trouble.why : [])),
  };
}
