// A folder of its own for a test, by its real path, and gone when the test is over.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** With these folders in it. */
export function tempFolder(...folders: string[]): string {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'deepwork-test-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of folders) mkdirSync(path.join(root, folder), { recursive: true });
  return root;
}
