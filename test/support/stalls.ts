// Runs a server of a test under the stall watchdog, and fails the test if its event loop stalled.

import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { makeTempFolder } from './make-temp-folder.ts';

const WATCHDOG = fileURLToPath(new URL('stall-watchdog.cjs', import.meta.url));

export interface StallWatch {
  /** For the environment of a server, or of what starts one. */
  readonly env: Readonly<Record<string, string>>;
  /** What was reported so far, one line per stall. */
  stalls(): string[];
}

/** Called before the server is started, so that it is evaluated after the server has ended. */
export function watchStalls({ expected = false } = {}): StallWatch {
  const folder = makeTempFolder('stalls');
  const report = path.join(folder, 'report');
  const stalls = () => {
    try {
      return readFileSync(report, 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  };
  onTestFinished(() => {
    const found = stalls();
    rmSync(folder, { recursive: true, force: true });
    if (found.length > 0 && !expected) throw new Error(found.join('\n'));
  });
  return {
    env: { NODE_OPTIONS: `--require ${JSON.stringify(WATCHDOG)}`, STALL_REPORT: report },
    stalls,
  };
}
