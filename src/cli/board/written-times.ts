// Moments as a person writes them: how long ago, a day, or a day and a time. Days and times are
// local.

import { UsageError } from '../command-line.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** For `30d`; null if it has another form. Five digits keep the result within the range of dates. */
export function millisecondsIn(given: string): number | null {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(given) ?? [];
  const seconds = UNITS[unit ?? ''];
  return count === undefined || seconds === undefined ? null : Number(count) * seconds * 1000;
}

/** In the form that events have: `2026-11-16T08:00:00.000Z`. */
export function momentOf(flag: string, given: string, now: Date): string {
  const found = readMoment(given.trim(), now);
  if (found === null || Number.isNaN(found.getTime())) {
    throw new UsageError(
      `${flag} ${given}: use today, yesterday, a number and m, h, d or w (3h, 2d), or a date (2026-11-16, 2026-11-16T08:30)`,
    );
  }
  return found.toISOString();
}

function readMoment(given: string, now: Date): Date | null {
  const age = millisecondsIn(given);
  if (age !== null) return new Date(now.getTime() - age);
  if (given === 'today') return dayBefore(now, 0);
  if (given === 'yesterday') return dayBefore(now, 1);
  const [, day, time = '00:00'] = /^(\d{4}-\d\d-\d\d)(?:[T ](\S+))?$/.exec(given) ?? [];
  // February 30 would be read as March 2.
  if (day === undefined || new Date(day).getUTCDate() !== Number(day.slice(8))) return null;
  // Without a time, a date would be read as midnight UTC.
  return new Date(`${day}T${time}`);
}

/** The local midnight at which that day begins. */
function dayBefore(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
}
