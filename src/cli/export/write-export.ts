// Writes an exported file. Replaces nothing but an earlier export, and follows no link.

import { randomBytes } from 'node:crypto';
import { lstatSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Refused, refuse } from '../../core/refusal.ts';
import { readSmallText } from '../../files/read-contained.ts';
import { describeSystemError } from '../../files/system-errors.ts';

/** A long run has thousands of events. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Whether the file does not exist or is an earlier export, which contains this mark. */
export function isFreeFor(file: string, mark: string): boolean {
  const facts = lstatOrNull(file);
  if (facts === null) return true;
  return facts.isFile() && (readSmallText(file, MAX_BYTES) ?? '').includes(mark);
}

/** Null on errors, too: the write reports them. */
function lstatOrNull(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch {
    return null;
  }
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
  return new Refused(
    refuse('cannot_write', `Cannot write ${file}: ${why}`, 'name another place for it.'),
  );
}
