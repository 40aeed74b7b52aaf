// Reads a file that a person is asked to approve, but only if it still has the content hash from
// when the question was asked, so that a person reads exactly what is approved.

import { createHash } from 'node:crypto';
import { decodeUtf8 } from '../../files/read-contained.ts';
import { checkOutputPath } from '../../gate/output-path.ts';
import { readFileUpTo } from '../../gate/submitted-files.ts';

type PinnedFile =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'changed' | 'not_text' | 'unknown' };

const MAX_BYTES = 5 * 1024 * 1024;

export async function pinnedFile(root: string, path: string, sha256: string): Promise<PinnedFile> {
  const found = await checkOutputPath(root, path);
  if (found.kind === 'problem') return { kind: 'unknown' };
  const bytes = await readFileUpTo(root, found.absolute, MAX_BYTES).catch(() => null);
  if (bytes === null) return { kind: 'not_text' };
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) return { kind: 'changed' };
  const text = decodeUtf8(bytes);
  return text === null ? { kind: 'not_text' } : { kind: 'same', text };
}
