// Brings the names in a folder to the disk: a file that was synced can still lose its name.

import { closeSync, fsyncSync, openSync } from 'node:fs';

export function syncFolder(folder: string): void {
  // Windows cannot open folders, and keeps names without this.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
