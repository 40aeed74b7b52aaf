// How long ago something happened, in the largest unit that fits.

const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** `now` is in milliseconds. */
export function age(since: string, now: number): string {
  const seconds = Math.max(1, Math.round((now - Date.parse(since)) / 1000));
  const [name, unit] = UNITS.find(([, length]) => seconds >= length) ?? ['second', 1];
  const count = Math.floor(seconds / unit);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
