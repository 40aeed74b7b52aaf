// Errors in the hooks of clients: no client shows them, so the last ones are shown here.

import { counted } from '../core/wording.ts';
import { readSmallText } from '../files/read-contained.ts';
import { hookLogFile } from '../hook/hook-log.ts';
import { type Checker, ok, warning } from './check.ts';

/** The log is rotated at half of this. */
const MAX_LOG_BYTES = 512 * 1024;
const RECENT_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_SHOWN = 3;

export const hookLog: Checker = {
  name: 'hook log',
  timeoutMs: 5000,
  async run({ home }) {
    const text = readSmallText(hookLogFile(home), MAX_LOG_BYTES) ?? '';
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const recent = lines.filter(
      (line) => Date.now() - Date.parse(line.slice(0, line.indexOf(' '))) < RECENT_MS,
    );
    if (lines.length === 0) return ok('empty');
    if (recent.length === 0) return ok('nothing in the last 7 days');
    const last = recent.slice(-MAX_SHOWN);
    return warning(
      `${counted(recent.length, 'line')} in the last 7 days; the last: ${last.join(' | ')}`,
      'do what it says; then delete ~/.deepwork/hook.log',
    );
  },
};
