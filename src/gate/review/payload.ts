// What a reviewer sees, between markers that end in a word made for this payload, so that no material
// can have a marker in it: the task and its inputs, the submitted files, the
// author's notes, and the changes. A few small files are shown in full; many or large ones
// are listed, to be read by the reviewer.

import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { decodeUtf8 } from '../../files/read-contained.ts';
import { readFileUpTo } from '../submitted-files.ts';
import { nameShown, plainText, quotedText } from './quoted-text.ts';
import type { InputShown, ReviewContext } from './review-context.ts';
import type { ReviewedFile } from './tasks.ts';

const MAX_INLINE_BYTES = 256 * 1024;
const HEAVY = '='.repeat(20);
const LIGHT = '-'.repeat(20);

export async function reviewPayload(
  root: string,
  files: readonly ReviewedFile[],
  notes: string | null,
  maxInlineFiles: number,
  { reviewContext, changes }: Surroundings,
): Promise<string> {
  const word = randomBytes(8).toString('hex');
  const mark = (text: string) => `${HEAVY} ${text} ${word} ${HEAVY}`;
  const parts: string[] = [];
  if (reviewContext !== null) {
    const { goal, step, description, inputs } = reviewContext;
    const task = [`Goal: ${goal}`, `Step: ${nameShown(step)}`, description].map(quotedText);
    parts.push(mark('BEGIN TASK'), ...task, mark('END TASK'));
    if (inputs.length > 0) {
      const shown = await showInputs(root, inputs, maxInlineFiles);
      parts.push(mark('BEGIN INPUTS'), shown, mark('END INPUTS'));
    }
  }
  const shown = await showFiles(root, files, maxInlineFiles);
  parts.push(mark('BEGIN OUTPUTS'), shown, mark('END OUTPUTS'));
  if (notes !== null) parts.push(mark('AUTHOR NOTES'), quotedText(notes), mark('END AUTHOR NOTES'));
  if (changes !== null) parts.push(mark('BEGIN CHANGES'), quotedText(changes), mark('END CHANGES'));
  return `${parts.join('\n')}\n`;
}

export interface Surroundings {
  readonly reviewContext: ReviewContext | null;
  readonly changes: string | null;
}

/** A line for each input, then the content of its files, within the limits for outputs. */
async function showInputs(
  root: string,
  inputs: readonly InputShown[],
  maxInlineFiles: number,
): Promise<string> {
  const lines = inputLines(inputs).map(quotedText);
  const files = inputs.flatMap((input) => input.files);
  // An unreadable input is only listed; the review continues.
  const whole =
    files.length <= maxInlineFiles ? await readAll(root, files).catch(() => null) : null;
  return [...lines, ...(whole ?? [])].join('\n');
}

export function inputLines(inputs: readonly InputShown[]): string[] {
  return inputs.flatMap(({ name, about, files }) => [
    // Indent further lines of a value, so that they are not list items.
    `- ${nameShown(name)}${about === null ? '' : `: ${plainText(about).replaceAll('\n', '\n    ')}`}`,
    ...files.map((file) => `  - ${fileShown(file)}`),
  ]);
}

async function showFiles(
  root: string,
  files: readonly ReviewedFile[],
  maxInlineFiles: number,
): Promise<string> {
  if (files.length === 0) return '[No files provided]';
  const placed = files.map((file) => ({ ...file, absolute: path.join(root, file.path) }));
  const whole = files.length <= maxInlineFiles ? await readAll(root, placed) : null;
  return (
    whole?.join('\n') ?? files.map(({ path: file, output }) => outputLine(file, output)).join('\n')
  );
}

export function outputLine(file: string, output: string): string {
  return `- ${nameShown(file)}  (output: ${nameShown(output)})`;
}

/** An input may have changed since it was accepted; then its content is only a claim. */
function fileShown({ path: file, changed }: Shown): string {
  return `${nameShown(file)}${changed ? ' (changed since it was accepted)' : ''}`;
}

type Shown = Omit<InputShown['files'][number], 'changed'> & { readonly changed?: boolean };

/** Every file with its path above it, or null if together they are too large. */
async function readAll(root: string, files: readonly Shown[]): Promise<string[] | null> {
  const shown: string[] = [];
  let left = MAX_INLINE_BYTES;
  for (const file of files) {
    const bytes = await readFileUpTo(root, file.absolute, left);
    if (bytes === null) return null;
    left -= bytes.length;
    shown.push(`${LIGHT} ${fileShown(file)} ${LIGHT}\n${textOf(bytes)}`);
  }
  return shown;
}

function textOf(bytes: Buffer): string {
  const text = bytes.includes(0) ? null : decodeUtf8(bytes);
  return text === null ? `[Binary file of ${bytes.length} bytes, not shown]` : quotedText(text);
}
