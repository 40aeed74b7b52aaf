import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { reviewPayload } from './payload.ts';

function payloadOf(files: Readonly<Record<string, string>>): Promise<string> {
  const root = tempFolder();
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(root, file), text);
  const reviewed = Object.keys(files).map((file) => ({ path: file, output: 'parts', hash: '' }));
  return reviewPayload(root, reviewed, null, 5, { reviewContext: null, changes: null });
}

test('files are shown in full as long as their total size is small enough', async () => {
  verifies('JOBS-X.15');
  const half = 'x'.repeat(128 * 1024);
  expect(await payloadOf({ 'a.md': half, 'b.md': half })).toContain(half);
  const listed = await payloadOf({ 'a.md': half, 'b.md': `${half}x` });
  expect(listed).toContain('- a.md  (output: parts)\n- b.md  (output: parts)');
  expect(listed).not.toContain(half);
});

test('a file with a NUL byte is not shown as text', async () => {
  expect(await payloadOf({ 'a.bin': 'a\0b' })).toContain('[Binary file of 3 bytes, not shown]');
});
