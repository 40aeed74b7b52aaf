// What a reviewer is shown: the files and the author's notes, between markers. Few
// files are shown whole; many, or large ones, are named and left to be read.

import path from 'node:path';
import { decodeUtf8 } from '../../files/read-contained.ts';
import { readFileUpTo } from '../files.ts';
import type { ReviewedFile } from './tasks.ts';

const INLINE_BYTES = 256 * 1024;
const HEAVY = '='.repeat(20);
const LIGHT = '-'.repeat(20);

export async function reviewPayload(
  root: string,
  files: readonly ReviewedFile[],
  notes: string | null,
  maxInlineFiles: number,
): Promise<string> {
  const shown = await showFiles(root, files, maxInlineFiles);
  const parts = [mark('BEGIN OUTPUTS'), shown, mark('END OUTPUTS')];
  if (notes !== null) parts.push(mark('AUTHOR NOTES'), notes, mark('END AUTHOR NOTES'));
  return `${parts.join('\n')}\n`;
}

async function showFiles(
  root: string,
  files: readonly ReviewedFile[],
  maxInlineFiles: number,
): Promise<string> {
  if (files.length === 0) return '[No files provided]';
  const whole = files.length <= maxInlineFiles ? await readAll(root, files) : null;
  return (
    whole?.join('\n') ??
    files.map(({ path: file, output }) => `- ${file}  (output: ${output})`).join('\n')
  );
}

/** Every file with its path above it, or null if together they are too large. */
async function readAll(root: string, files: readonly ReviewedFile[]): Promise<string[] | null> {
  const shown: string[] = [];
  let left = INLINE_BYTES;
  for (const { path: file } of files) {
    const bytes = await readFileUpTo(path.join(root, file), left);
    if (bytes === null) return null;
    left -= bytes.length;
    shown.push(`${LIGHT} ${file} ${LIGHT}\n${textOf(bytes)}`);
  }
  return shown;
}

function textOf(bytes: Buffer): string {
  const text = bytes.includes(0) ? null : decodeUtf8(bytes);
  return text ?? `[Binary file of ${bytes.length} bytes, not shown]`;
}

function mark(text: string): string {
  return `${HEAVY} ${text} ${HEAVY}`;
}
