// All files of one kind, skills or snippets, in all their roots, with their front matter.
// Files of an earlier root hide those of a later one with the same path.

import { coalesce } from '../async/coalesce.ts';
import { pauseIfDue } from '../async/slices.ts';
import { frontMatterText, readFrontMatter } from '../definitions/source/front-matter.ts';
import { openCollection } from '../files/collection.ts';
import type { RootView } from '../files/collection-root.ts';
import type { ProblemOf } from '../files/folder-links.ts';
import { type ContainedFile, readContained } from '../files/read-contained.ts';
import type { FilePattern, FoundFile } from '../files/walk-files.ts';

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
}

export interface KnowledgeFile {
  /** Relative to its root, with slashes. */
  readonly path: string;
  readonly name: string | null;
  readonly description: string | null;
  /** The whole current file; null if it is gone. */
  content(): Promise<string | null>;
}

/**
 * Hidden names belong to version control and operating systems. Names with control characters
 * could fake further lines of a list.
 */
export const IGNORED_NAMES = /^\.|[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const MAX_BYTES = 1024 * 1024;
const MAX_DESCRIPTION_LENGTH = 4096;
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
    maxBytes: MAX_BYTES,
    pause: pauseIfDue,
    parse: openFile,
  });
  let seen: readonly RootView<KnowledgeFile>[] = [];
  let view: KnowledgeView = { files: [], troubles: null };

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
  };
}

async function openFile(
  { path, absolute }: FoundFile,
  found: ContainedFile,
  realRoot: string,
): Promise<KnowledgeFile | null> {
  const text = textOfFile(found);
  if (text === null) return null;
  const front = await readFrontMatter(text);
  const map = front.kind === 'map' ? front.map : null;
  const description = map === null ? null : frontMatterText(map, 'description');
  return {
    path,
    name: map === null ? null : frontMatterText(map, 'name'),
    description: description === null ? null : description.slice(0, MAX_DESCRIPTION_LENGTH),
    content: async () => textOfFile(readContained(realRoot, absolute, MAX_BYTES)),
  };
}

/** Bytes that are not UTF-8 are replaced; a file with a NUL byte is not text. */
function textOfFile(found: ContainedFile): string | null {
  return found.kind === 'read' && !found.bytes.includes(0) ? found.bytes.toString('utf8') : null;
}
