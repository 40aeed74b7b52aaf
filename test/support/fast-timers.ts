// The environment of a server whose timers run faster than the clock, for tests of limits that would
// take too long.

import { fileURLToPath } from 'node:url';

const PRELOAD = fileURLToPath(new URL('./fast-timers.cjs', import.meta.url));

export function fastTimers(speed: number): Record<string, string> {
  return { NODE_OPTIONS: `--require ${PRELOAD}`, DEEPWORK_TEST_SPEED: String(speed) };
}
