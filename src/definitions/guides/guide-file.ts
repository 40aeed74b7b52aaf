// The files of the folders of guides, read and indexed: whatever is found there has an id,
// by which it is asked for and told of, so that a broken guide does not silently give way
// to another one.

import { basename } from 'node:path';
import { pauseIfDue } from '../../async/slices.ts';
import { type Collection, openCollection } from '../../files/collection.ts';
import type { RootView } from '../../files/collection-root.ts';
import type { ProblemOf } from '../../files/project-path.ts';
import { type ContainedFile, readContained } from '../../files/read-contained.ts';
import { MAX_FILES, type Pattern } from '../../files/walk-files.ts';
import type { Position } from '../finding.ts';
import type { InvalidGuide, ParsedGuide } from './guide-model.ts';
import { invalidFile, MAX_BYTES, openGuideText } from './parse-guide.ts';

export interface GuideFile {
  /** The id that the file gives, else its name without the extension. */
  readonly id: string;
  readonly idAt: Position;
  /** JSON Pointer to where the id is written; empty if it is the file's name. */
  readonly idPath: string;
  /** Absolute path. */
  readonly file: string;
  check(): Promise<ParsedGuide>;
}

export const EXTENSION = '.json';
/** A longer one is no id that anybody could mean, and would be repeated in every answer. */
const MAX_ID_LENGTH = 256;
const START: Position = { line: 1, column: 1 };

/** The files that lie directly in a folder. Like in a shell, `*.json` means no hidden files. */
const GUIDES: Pattern = {
  ignores: /^\./,
  enters: () => false,
  wants: (name) => name.endsWith(EXTENSION),
  whateverItIs: true,
};

/** Where guides may be that the project's own folders must not lead to. */
const NAME_IT_INSTEAD =
  'remove the link; a folder of workflows elsewhere can be named in DEEPWORK_WORKFLOW_FOLDERS';

export interface GuideFilesOptions {
  readonly folders: () => readonly string[];
  /** Asked of each folder before it is read. */
  readonly problemOf?: ProblemOf | undefined;
  /** How many files a folder must have to be watched. */
  readonly watchFrom?: number | undefined;
  /** Called for each file that is parsed. */
  readonly onParse?: () => void;
}

export function openGuideFiles(options: GuideFilesOptions): Collection<GuideFile> {
  const { folders, problemOf, watchFrom, onParse } = options;
  return openCollection({
    roots: folders,
    pattern: GUIDES,
    maxBytes: MAX_BYTES,
    problemOf,
    watchFrom,
    pause: pauseIfDue,
    async parse({ absolute }, content) {
      if (content.kind === 'read') onParse?.();
      return openGuideFile(absolute, content);
    },
  });
}

/** In words, why files may be missing in a folder. */
export function troubleOf({ trouble, cut }: RootView<GuideFile>): string | null {
  if (trouble === null) return cut ? `only ${MAX_FILES} files are looked at` : null;
  if (trouble.kind === 'absent') return null;
  return trouble.kind === 'not-allowed' ? `${trouble.why}; ${NAME_IT_INSTEAD}` : trouble.why;
}

export function readGuideBytes(realFolder: string, file: string): ContainedFile {
  return readContained(realFolder, file, MAX_BYTES);
}

export function openGuideFile(file: string, content: ContainedFile): GuideFile {
  if (content.kind !== 'read') {
    const invalid = explain(content);
    return { ...nameOf(file), file, check: async () => invalid };
  }
  const text = openGuideText(content.bytes, file);
  const { id, idAt } = text;
  const usable = id !== null && id !== '' && id.length <= MAX_ID_LENGTH;
  const named = usable ? { id, idAt, idPath: '/id' } : nameOf(file);
  return { ...named, file, check: text.check };
}

function nameOf(file: string): Pick<GuideFile, 'id' | 'idAt' | 'idPath'> {
  return { id: basename(file, EXTENSION), idAt: START, idPath: '' };
}

function explain(content: Exclude<ContainedFile, { kind: 'read' }>): InvalidGuide {
  switch (content.kind) {
    case 'outside':
      return invalidFile('guide_outside', 'The file is a symbolic link that leaves its folder');
    case 'too-large':
      return invalidFile('guide_invalid', 'The file is larger than 1 MiB');
    case 'not-regular':
      return invalidFile('guide_unreadable', 'Cannot read the file: it is not a regular file');
    case 'missing':
      return invalidFile(
        'guide_unreadable',
        'Cannot read the file: its symbolic link leads nowhere',
      );
    case 'unreadable':
      return invalidFile('guide_unreadable', `Cannot read the file: ${content.why}`);
  }
}
