// A project's files as init reads them: texts by their path below the project. A file that leads out
// of the project, is not regular, is too large or is not UTF-8 is reported and left alone.

import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { linkProblem } from '../files/folder-links.ts';
import { readContained } from '../files/read-contained.ts';

export type ProjectFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  /** `why` completes a sentence that begins with the file's name. */
  | { readonly kind: 'problem'; readonly why: string };

export interface ProjectFiles {
  readonly root: string;
  read(file: string): ProjectFile;
  exists(file: string): boolean;
  /** The names in a folder; none if there is no such folder inside the project. */
  names(folder: string): readonly string[];
}

const MAX_BYTES = 1024 * 1024;

export function openProjectFiles(root: string): ProjectFiles {
  const realRoot = realpathSync.native(root);
  const absolute = (file: string) => path.join(realRoot, file);
  return {
    root: realRoot,
    read(file) {
      const link = linkProblem(realRoot, absolute(file));
      if (link !== null) return problem(`is not used: ${link}`);
      const read = readContained(realRoot, absolute(file), MAX_BYTES);
      if (read.kind === 'read') {
        const text = decode(read.bytes);
        return text === null ? problem('is not UTF-8 text') : { kind: 'text', text };
      }
      if (read.kind === 'missing') return folderProblem(realRoot, file) ?? { kind: 'absent' };
      return problem(
        read.kind === 'unreadable' ? `cannot be read: ${read.why}` : NOT_USABLE[read.kind],
      );
    },
    exists(file) {
      return lstatSync(absolute(file), { throwIfNoEntry: false }) !== undefined;
    },
    names(folder) {
      if (linkProblem(realRoot, absolute(folder)) !== null) return [];
      try {
        return readdirSync(absolute(folder)).sort();
      } catch {
        return [];
      }
    },
  };
}

const NOT_USABLE = {
  outside: 'leads outside the project',
  'not-regular': 'is not a regular file',
  'too-large': 'is larger than 1 MiB',
} as const;

function problem(why: string): ProjectFile {
  return { kind: 'problem', why };
}

/** A file can only be created if its nearest existing parent is a folder. */
function folderProblem(root: string, file: string): ProjectFile | null {
  let above = path.dirname(file);
  while (above !== '.') {
    const stats = statSync(path.join(root, above), { throwIfNoEntry: false });
    if (stats !== undefined) {
      return stats.isDirectory() ? null : problem(`cannot be created: ${above} is not a folder`);
    }
    above = path.dirname(above);
  }
  return null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Keeps the byte order mark, which has to stay in the file. */
function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
