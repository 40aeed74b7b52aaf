// A run of many more histories than usual: it may take hours, and whoever has to stop it wants to
// know how far it came.

const HOUR_MS = 3_600_000;
/** What a history may take on a busy machine. */
const MS_EACH = 20;
const SHOWN_EVERY = 50_000;

export function timeoutFor(histories: number): number {
  return Math.max(HOUR_MS, histories * MS_EACH);
}

export function showProgress(what: string, matched: number): void {
  if (matched % SHOWN_EVERY === 0) process.stdout.write(`${what}: ${matched} matched so far\n`);
}
