// `~/.deepwork/hook.log`: errors in hooks. A hook must not disturb its client, so errors are written
// here only; `deepwork doctor` shows the last ones. The file is rotated when it is full.

import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';

const MAX_BYTES = 256 * 1024;
const MAX_LINE = 1000;

export function hookLogFile(home: string): string {
  return path.join(home, '.deepwork', 'hook.log');
}

/** Never throws. */
export function logHook(what: string, error: unknown, file: string): void {
  try {
    const why = error instanceof Error ? error.message : String(error);
    const line = `${new Date().toISOString()} ${what}: ${why}`.replaceAll(/\s+/g, ' ');
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) renameSync(file, `${file}.1`);
    appendFileSync(file, `${line.slice(0, MAX_LINE)}\n`, { mode: 0o600 });
  } catch {
    // The client goes on as if there were no hook.
  }
}
