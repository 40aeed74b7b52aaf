// The path of a walk so far, and its description in a message.

import type { PathEvent, Values } from '../../core/proof.ts';
import { shownUpTo } from '../../core/wording.ts';

/** A path as a linked list, newest event first. */
export interface Trail {
  readonly before: Trail | null;
  readonly last: PathEvent;
}

const MAX_EVENTS = 2000;

export function pathOfTrail(trail: Trail | null): readonly PathEvent[] {
  const path: PathEvent[] = [];
  for (let at = trail; at !== null && path.length < MAX_EVENTS; at = at.before) path.push(at.last);
  return path.reverse();
}

const MAX_PATH_LENGTH = 400;

/** The path on one line; if it is long, steps that were simply done are omitted. */
export function describePath(path: readonly PathEvent[]): string {
  const relevant = path.filter(
    ({ what, values }, at) =>
      at >= path.length - 2 || (what !== 'done' && what !== 'ran') || hasAny(values),
  );
  const shortened = path.length <= 8 ? path : relevant;
  return shownUpTo(shortened.map(describeEvent).join(' → '), MAX_PATH_LENGTH);
}

function describeEvent({ what, name, values, alike }: PathEvent): string {
  const given = hasAny(values) ? ` (${describeValues(values, alike)})` : '';
  return WORDS[what](name, given);
}

const WORDS: Readonly<Record<PathEvent['what'], (name: string, given: string) => string>> = {
  started: (_, given) => `start${given}`,
  done: (name, given) => `${name}${given}`,
  skipped: (name) => `${name} skipped`,
  no_items: (name) => `${name} without items`,
  until_done: (name) => `${name} is done`,
  until_not_yet: (name) => `${name} is not done yet`,
  one_pass_more: (name) => `a person: one more pass of ${name}`,
  went_on: (name) => `a person: go on after ${name}`,
  approved: (name) => `${name} approved`,
  rejected: (name) => `${name} rejected`,
  ran: (name) => `${name} run`,
};

function hasAny(values: Values | undefined): values is Values {
  return values !== undefined && Object.keys(values).length > 0;
}

const MAX_VALUE_LENGTH = 60;

function describeValues(values: Values, alike: PathEvent['alike'] = {}): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const others = Object.hasOwn(alike, name) ? (alike[name] ?? []) : [];
      return `${name}=${eitherOf([value, ...others].map(describeValue))}`;
    })
    .join(', ');
}

const MAX_NAMED = 6;

/** `a or b or c`; of many, the first ones and how many more there are. */
export function eitherOf(values: readonly string[]): string {
  const more = values.length - MAX_NAMED;
  if (more <= 1) return values.join(' or ');
  return `${values.slice(0, MAX_NAMED).join(' or ')} or ${more} more`;
}

export function describeValue(value: unknown): string {
  return value === undefined ? 'not set' : shownUpTo(JSON.stringify(value), MAX_VALUE_LENGTH);
}
