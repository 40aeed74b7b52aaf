// Which answers of the server a change of a stream may change. Rather one too many: an answer
// that turns out equal costs a request and no drawing.

/** Ended moments do not change. */
const PAST = /^\/api\/runs\/[^/]+\/at\//;

/** Instead of a stream: so much was missed that anything may have changed. */
const EVERYTHING = '*';

export function concerns(path: string, stream: string): boolean {
  if (stream === EVERYTHING) return mayBeOld(path);
  if (PAST.test(path)) return false;
  const [, runId] = /^\/api\/runs\/([^/?]+)$/.exec(path) ?? [];
  // The questions that hold a run up are asked in the team's stream.
  if (runId !== undefined) return stream.includes(runId) || stream.startsWith('team');
  if (/^\/api\/(?:team|questions)/.test(path)) return stream.startsWith('team');
  return !path.startsWith('/api/definitions');
}

/** After a lost connection, and from time to time: states like `stalled` come without an event. */
export function mayBeOld(path: string): boolean {
  return !PAST.test(path);
}
