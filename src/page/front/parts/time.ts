// Times in words: how long ago, and for how long. Exact times are in the title beside them.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `just now`, `4 min ago`, `3 h ago`, then the date. Clocks that differ do not say "in 2 s". */
export function ago(at: number, now: number): string {
  const passed = now - at;
  if (passed < MINUTE) return 'just now';
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  return new Date(at).toLocaleDateString([], { day: 'numeric', month: 'short' });
}

/** `40 s`, `4 min`, `3 h 20 min`, `2 d 5 h`. */
export function duration(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.round(ms / 1000))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  const [large, small, unit, sub] =
    ms < DAY
      ? [Math.floor(ms / HOUR), Math.floor((ms % HOUR) / MINUTE), 'h', 'min']
      : [Math.floor(ms / DAY), Math.floor((ms % DAY) / HOUR), 'd', 'h'];
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${sub}`;
}

export function clockTime(at: string): string {
  return new Date(at).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
}

export function exactTime(at: string | number): string {
  return new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' });
}

export function dayOf(at: string): string {
  return new Date(at).toLocaleDateString([], { weekday: 'long', day: 'numeric', month: 'long' });
}

const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence of the server with its times as this machine shows them. */
export function withLocalTimes(text: string): string {
  return text.replace(ISO_TIME, exactTime);
}
