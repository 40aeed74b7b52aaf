// Folders for tests, removed after the test.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** With these folders in it. */
export function tempFolder(...folders: string[]): string {
  const root = realpathSync(mkdtempSync(join(os.tmpdir(), 'deepwork-files-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  return root;
}
