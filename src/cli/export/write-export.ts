// Writes an exported file. Replaces nothing but an earlier export, and follows no link.

import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Refused, refusedWith } from '../../core/refusal.ts';
import { entryAt } from '../../files/entry.ts';
import { readSmallText } from '../../files/read-contained.ts';
import { describeSystemError } from '../../files/system-errors.ts';

/** A long run has thousands of events. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Whether the file does not exist or is an earlier export, which contains this mark. */
export function isFreeFor(file: string, mark: string): boolean {
  // A file that cannot be examined counts as absent: the write reports the error.
  const entry = entryAt(file);
  if (entry === null) return true;
  return entry.isFile() && (readSmallText(file, MAX_BYTES) ?? '').includes(mark);
}

export function writeExport(file: string, text: string): void {
  const folder = path.dirname(file);
  const temporary = path.join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
  } catch (error) {
    throw cannotWrite(file, `${folder}: ${describeSystemError(error)}`);
  }
  try {
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw cannotWrite(file, describeSystemError(error));
  }
}

export function cannotWrite(file: string, why: string): Refused {
  return refusedWith(
    'cannot_write',
    `Cannot write ${file}: ${why}`,
    'choose another file or folder.',
  );
}
