// Reads the instruction file of a step. Loading a job checks every file that it names, and starting
// a step reads one: both use `openInstructions`, so a job that loads without problems can fail
// later only if the file has changed.

import { resolve } from 'node:path';
import { composeText } from '../../core/guidance.ts';
import { Refused, refuse } from '../../core/refusal.ts';
import { onOneLine } from '../../core/wording.ts';
import type { Definition, Step } from '../../core/workflow.ts';
import { takeFingerprint } from '../../files/fingerprint.ts';
import { isInside } from '../../files/inside.ts';
import { decodeUtf8, readContained } from '../../files/read-contained.ts';
import { realPathOrNull } from '../../files/real-path.ts';
import { openTextCache } from '../../files/text-cache.ts';
import { cut } from '../wording.ts';

export type InstructionsFault =
  | 'not found'
  | 'outside job directory'
  | 'not a regular file'
  | 'not UTF-8'
  | 'too large'
  | 'not readable';

export type InstructionsText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fault'; readonly fault: InstructionsFault };

const MAX_INSTRUCTION_BYTES = 128 * 1024;

const NEXT_MOVES: Readonly<Record<InstructionsFault, string>> = {
  'not found': 'create the file, or correct instructions_file in job.yml; then call again.',
  'outside job directory':
    'move the file into the job directory and name it there in instructions_file; then call again.',
  'not a regular file': 'name an ordinary text file in instructions_file; then call again.',
  'not UTF-8': 'save the file as UTF-8 text; then call again.',
  'too large': 'shorten the file to 128 KiB or less; then call again.',
  'not readable': 'give the server permission to read the file; then call again.',
};

/** The instructions of a step for the agent; throws `Refused` if they cannot be read. */
export async function readInstructions(
  { dir }: Definition,
  { instructions }: Step,
): Promise<string> {
  if (instructions.kind === 'text') return composeText(instructions);
  const found = await openInstructions(dir, instructions.file);
  if (found.kind === 'text') return found.text;
  const code = found.fault === 'not found' ? 'instructions_not_found' : 'instructions_unusable';
  const message = onOneLine(describeFault(found.fault, instructions.file));
  throw new Refused(refuse(code, message, NEXT_MOVES[found.fault]));
}

export function describeFault(fault: InstructionsFault, written: string): string {
  return `Instructions file ${fault}: ${cut(written, 300)}`;
}

const texts = openTextCache(2 * 1024 * 1024);

export async function openInstructions(dir: string, written: string): Promise<InstructionsText> {
  const path = resolve(dir, written);
  // A file that one job may read may be outside the directory of another.
  const key = `${dir}\0${written}`;
  const known = texts.recall(key, path);
  if (known !== null) return { kind: 'text', text: known };
  const readAt = Date.now();
  const print = takeFingerprint(path);
  const found = await findInstructions(dir, path);
  if (found.kind === 'text') texts.keep(key, found.text, print, readAt);
  return found;
}

async function findInstructions(dir: string, path: string): Promise<InstructionsText> {
  const realDir = realPathOrNull(dir);
  if (realDir === null) return { kind: 'fault', fault: 'not found' };
  // Checked before the disk is accessed, so that an answer does not reveal what exists elsewhere.
  if (!isInside(resolve(dir), path) && !isInside(realDir, path)) {
    return { kind: 'fault', fault: 'outside job directory' };
  }
  const file = readContained(realDir, path, MAX_INSTRUCTION_BYTES);
  if (file.kind !== 'read') return { kind: 'fault', fault: FAULTS[file.kind] };
  const text = decodeUtf8(file.bytes);
  return text === null ? { kind: 'fault', fault: 'not UTF-8' } : { kind: 'text', text };
}

const FAULTS = {
  missing: 'not found',
  outside: 'outside job directory',
  'not-regular': 'not a regular file',
  'too-large': 'too large',
  unreadable: 'not readable',
} as const;
