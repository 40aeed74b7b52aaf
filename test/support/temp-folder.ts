// A separate folder for a test, by its real path, removed when the test is over.

import { mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { makeTempFolder } from './make-temp-folder.ts';

/** With these folders in it. */
export function tempFolder(...folders: string[]): string {
  const root = makeTempFolder('test');
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of folders) mkdirSync(path.join(root, folder), { recursive: true });
  return root;
}

/**
 * Removes a folder that a running server writes into. In place, that can meet a file which the
 * server has just put there and fail with ENOTEMPTY; a folder that was renamed is gone at once.
 */
export function removeFolder(folder: string): void {
  const aside = path.join(tempFolder(), 'removed');
  renameSync(folder, aside);
  rmSync(aside, { recursive: true, force: true });
}
