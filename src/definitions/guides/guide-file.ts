// The files in the folders of guides. Every file has an id, by which it is requested and
// reported, even if it is invalid: a broken guide must not be silently replaced by another one.

import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { pauseIfDue } from '../../async/slices.ts';
import type { Path, TextPosition } from '../../core/issue.ts';
import { type Collection, openCollection } from '../../files/collection.ts';
import type { RootView } from '../../files/collection-root.ts';
import type { ProblemOf } from '../../files/folder-links.ts';
import { type ContainedFile, readContained } from '../../files/read-contained.ts';
import {
  type FilePattern,
  MAX_FILES,
  MAX_FOLDERS,
  MAX_WALKED_DEPTH,
} from '../../files/walk-files.ts';
import { TEXT_START } from '../reader/issues.ts';
import type { InvalidGuide, ParsedGuide } from './guide-model.ts';
import { invalidFile, MAX_BYTES, openGuideText, placeOfId } from './parse-guide.ts';

export interface GuideFile {
  /** The id in the file, else the file's name without the extension. */
  readonly id: string;
  /** The path of the id in the file; empty if it is the file's name. */
  readonly idPath: Path;
  /** Absolute path. */
  readonly file: string;
  check(): Promise<ParsedGuide>;
}

export const GUIDE_EXTENSION = '.json';
/** Longer ids are not usable, and would be repeated in every answer. */
const MAX_ID_LENGTH = 256;

/** Files directly in a folder. As in a shell, `*.json` excludes hidden files. */
const GUIDES: FilePattern = {
  ignores: /^\./,
  enters: () => false,
  wants: (name) => name.endsWith(GUIDE_EXTENSION),
  anyKind: true,
};

/** Advice for a folder that is a link out of the project. */
const NAME_IT_INSTEAD =
  'remove the link; a folder of workflows elsewhere can be named in DEEPWORK_WORKFLOW_FOLDERS';

export interface GuideFilesOptions {
  readonly folders: () => readonly string[];
  /** Called for each folder before it is read. */
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

const ONLY_SO_MANY = `only ${MAX_FILES} files are read, in at most ${MAX_FOLDERS} folders that are at most ${MAX_WALKED_DEPTH} deep; the rest is left out`;

/** Why files of a folder may be missing; null if none are. */
export function troubleOf({ trouble, cut }: RootView<GuideFile>): string | null {
  if (trouble === null) return cut ? ONLY_SO_MANY : null;
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
  const { id } = text;
  const usable = id !== null && id !== '' && id.length <= MAX_ID_LENGTH;
  const named = usable ? { id, idPath: ['id'] } : nameOf(file);
  return { ...named, file, check: text.check };
}

function nameOf(file: string): Pick<GuideFile, 'id' | 'idPath'> {
  return { id: basename(file, GUIDE_EXTENSION), idPath: [] };
}

/** The position of its id. The file is read again, because its text is not kept. */
export async function findIdPosition({ file, idPath }: GuideFile): Promise<TextPosition> {
  const folder = idPath.length === 0 ? null : await realpath(dirname(file)).catch(() => null);
  const content = folder === null ? null : readGuideBytes(folder, file);
  return content?.kind === 'read' ? placeOfId(content.bytes) : TEXT_START;
}

function explain(content: Exclude<ContainedFile, { kind: 'read' }>): InvalidGuide {
  const unreadable = (why: string) =>
    invalidFile('guide_unreadable', 'unreadable', `Cannot read the file: ${why}`);
  switch (content.kind) {
    case 'outside': {
      const message = 'The file is a symbolic link that leaves its folder';
      return invalidFile('guide_outside', 'outside_folder', message);
    }
    case 'too-large':
      return invalidFile('guide_invalid', 'over_limit', 'The file is larger than 1 MiB');
    case 'not-regular':
      return unreadable('it is not a regular file');
    case 'missing':
      return unreadable('its symbolic link leads nowhere');
    case 'unreadable':
      return unreadable(content.why);
  }
}
