// Times for people: how long ago something was, when it was, and how long it took.

import { TIMES } from '../../core/wording.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MAX_DAYS = 14;

export function ago(at: string, now: string): string {
  const passed = Date.parse(now) - Date.parse(at);
  if (Number.isNaN(passed)) return at;
  if (passed < 2 * SECOND) return 'just now';
  if (passed < MINUTE) return `${Math.floor(passed / SECOND)} s ago`;
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  const days = Math.floor(passed / DAY);
  if (days > MAX_DAYS) return `on ${dayOf(at)}`;
  return days === 1 ? '1 day ago' : `${days} days ago`;
}

/** A time in the future: `HH:MM`, with the day if it is not today. */
export function clockAt(at: string, now: string): string {
  const time = timeOfDay(at).slice(0, 5);
  return dayOf(at) === dayOf(now) ? time : `${dayOf(at)} ${time}`;
}

/** The local time of day: `HH:MM:SS`. */
export function timeOfDay(at: string): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/** The local day: `YYYY-MM-DD`. */
export function dayOf(at: string): string {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
}

const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

/** For a day in the form of `dayOf`: `Today, Friday 2026-11-20`. */
export function dayInWords(day: string, now: string): string {
  const named = `${WEEKDAYS[new Date(`${day}T12:00`).getDay()]} ${day}`;
  const near = nearDay(day, now);
  return near === null ? named : `${near[0]?.toUpperCase()}${near.slice(1)}, ${named}`;
}

/** `today 09:12`, `yesterday 09:12`, `Friday 2026-11-20 09:12`. */
export function momentInWords(at: string, now: string): string {
  const day = dayOf(at);
  return `${nearDay(day, now) ?? dayInWords(day, now)} ${timeOfDay(at).slice(0, 5)}`;
}

/** A recorded sentence with its times as this machine's clock shows them. */
export function withLocalTimes(text: string, now: string): string {
  // What only looks like a time stays as it is.
  return text.replace(TIMES, (at) => (Number.isNaN(Date.parse(at)) ? at : momentInWords(at, now)));
}

function nearDay(day: string, now: string): 'today' | 'yesterday' | null {
  if (day === dayOf(now)) return 'today';
  const before = new Date(now);
  before.setDate(before.getDate() - 1);
  return day === dayOf(before.toISOString()) ? 'yesterday' : null;
}

/** The two largest units: `2 days 3 h`, `5 min 12 s`. */
export function duration(from: string, to: string): string {
  const passed = Math.max(0, Date.parse(to) - Date.parse(from));
  const units: readonly (readonly [number, string])[] = [
    [Math.floor(passed / DAY), passed < 2 * DAY ? 'day' : 'days'],
    [Math.floor((passed % DAY) / HOUR), 'h'],
    [Math.floor((passed % HOUR) / MINUTE), 'min'],
    [Math.floor((passed % MINUTE) / SECOND), 's'],
  ];
  const first = units.findIndex(([count]) => count > 0);
  if (first === -1) return 'less than a second';
  const shown = units.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
