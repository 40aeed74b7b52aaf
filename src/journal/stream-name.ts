// The name of a stream, and where a stream of that name lives below the journal's
// folder. Names become paths, so this is the one place that decides which names are
// safe: what passes here has no dot, no upper case, no empty segment, nothing absolute.

const NAME = /^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*$/;
const MAX_LENGTH = 200;

/** Files that were set aside live below this folder; no stream may. */
export const DAMAGED = 'damaged';

const EXTENSION = '.jsonl';
const SET_ASIDE_TAIL = /^-\d{8}T\d{9}Z-[0-9a-f]{8}\.jsonl$/;

export function isStreamName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    name.length <= MAX_LENGTH &&
    NAME.test(name) &&
    !name.startsWith(`${DAMAGED}/`)
  );
}

export function checkStreamName(name: unknown): void {
  if (isStreamName(name)) return;
  const shown = typeof name === 'string' ? `'${name.slice(0, MAX_LENGTH)}'` : typeof name;
  throw new TypeError(
    `Not a stream name: ${shown}. Use segments of a-z, 0-9, _ and - joined by /, ` +
      `${MAX_LENGTH} characters at most, not below ${DAMAGED}/`,
  );
}

export function checkSeq(seq: unknown): void {
  if (Number.isSafeInteger(seq) && Number(seq) >= 0) return;
  throw new TypeError(`Not a sequence number: ${String(seq).slice(0, 40)}`);
}

/** `session/ab12` → `session/ab12.jsonl` */
export function fileOf(stream: string): string {
  return stream + EXTENSION;
}

/** `session/ab12.jsonl` → `session/ab12`, or null for a file that is no stream's. */
export function streamOf(file: string): string | null {
  if (!file.endsWith(EXTENSION)) return null;
  const name = file.slice(0, -EXTENSION.length);
  return isStreamName(name) ? name : null;
}

// A dot for the slash: it occurs in no stream's name, so two streams never share a name.
function flatten(stream: string): string {
  return stream.replaceAll('/', '.');
}

/** `damaged/session.ab12-20250131T235959123Z-0f1e2d3c.jsonl` */
export function setAsideName(stream: string, now: Date, random: string): string {
  const time = now.toISOString().replace(/[-:.]/g, '');
  return `${DAMAGED}/${flatten(stream)}-${time}-${random}${EXTENSION}`;
}

export function isSetAsideOf(stream: string, base: string): boolean {
  const flat = flatten(stream);
  return base.startsWith(flat) && SET_ASIDE_TAIL.test(base.slice(flat.length));
}
