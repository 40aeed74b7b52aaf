// When it is worth trying a client again that is out of quota.

export const MINUTE_MS = 60_000;
/** So many refusals in a row are believed to name the right time. */
const MAX_PROMPT_RETRIES = 3;
const MAX_PAUSE_MINUTES = 60;

interface LimitedTurn {
  readonly end: { readonly at: string; readonly limit_until: string | null } | null;
}

/**
 * When the next turn is worth trying; null if the last one was not refused for quota. If the times
 * that a client names turn out wrong again and again, each further turn costs money for nothing: so
 * there are longer and longer pauses.
 */
export function quotaTime(turns: readonly LimitedTurn[]): string | null {
  const end = turns.at(-1)?.end ?? null;
  if (end === null || end.limit_until === null) return null;
  const others = turns.findLastIndex((turn) => turn.end === null || turn.end.limit_until === null);
  const surplus = turns.length - 1 - others - MAX_PROMPT_RETRIES;
  if (surplus <= 0) return end.limit_until;
  const pause = Math.min(2 ** (surplus - 1), MAX_PAUSE_MINUTES) * MINUTE_MS;
  const earliest = Date.parse(end.at) + pause;
  return earliest <= Date.parse(end.limit_until)
    ? end.limit_until
    : new Date(earliest).toISOString();
}
