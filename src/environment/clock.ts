// The time as events record it. Two readings in one process are never equal, so that
// what was started later also sorts later.

export type Clock = () => string;

export function systemClock(): Clock {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Date.now());
    return new Date(last).toISOString();
  };
}
