// One file of a folder of guides, read and indexed: whatever is found there has an id, by
// which it is asked for and told of, so that a broken guide does not silently give way
// to another one.

import { basename } from 'node:path';
import { type ContainedFile, readContained } from '../../files/read-contained.ts';
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
