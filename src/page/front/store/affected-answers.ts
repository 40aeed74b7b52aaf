// Which answers of the server a change of a stream may affect. One too many does no harm: an answer
// that turns out to be equal costs a request, but is not rendered again.

/** Past moments do not change. */
const PAST = /^\/api\/runs\/[^/]+\/at\//;

/** Instead of a stream: so much was missed that anything may have changed. */
const EVERYTHING = '*';

export function concerns(path: string, stream: string): boolean {
  if (stream === EVERYTHING) return mayBeOld(path);
  if (PAST.test(path)) return false;
  const [, runId] = /^\/api\/runs\/([^/?]+)$/.exec(path) ?? [];
  // The questions that hold a run up are in the team's stream.
  if (runId !== undefined) return stream.includes(runId) || stream.startsWith('team');
  if (/^\/api\/(?:team|questions)/.test(path)) return stream.startsWith('team');
  return !path.startsWith('/api/definitions');
}

/** After a lost connection, and from time to time: a state like `stalled` comes without an event. */
export function mayBeOld(path: string): boolean {
  return !PAST.test(path);
}
