// The time as recorded in events. Readings in one process always increase, so that what
// started later also sorts later.

export type Clock = () => string;

export function systemClock(): Clock {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Date.now());
    return new Date(last).toISOString();
  };
}
