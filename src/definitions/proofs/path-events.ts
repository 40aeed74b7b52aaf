// How a walk remembers the way that it came, and how that is written down.

import type { PathEvent, Values } from '../../core/proof.ts';
import { shownUpTo } from '../../core/wording.ts';

/** The last thing that happened, with all that came before. */
export interface Trail {
  readonly before: Trail | null;
  readonly last: PathEvent;
}

const MAX_PATH = 2000;

export function pathOf(trail: Trail | null): readonly PathEvent[] {
  const path: PathEvent[] = [];
  for (let at = trail; at !== null && path.length < MAX_PATH; at = at.before) path.push(at.last);
  return path.reverse();
}

const MAX_WORDS = 400;

/** The path on one line; steps that were simply done are left out where it gets long. */
export function pathInWords(path: readonly PathEvent[]): string {
  const telling = path.filter(
    ({ what, values }, at) =>
      at >= path.length - 2 || (what !== 'done' && what !== 'ran') || hasAny(values),
  );
  const shortened = path.length <= 8 ? path : telling;
  return shownUpTo(shortened.map(inWords).join(' → '), MAX_WORDS);
}

function inWords({ what, name, values, alike }: PathEvent): string {
  const given = hasAny(values) ? ` (${valuesInWords(values, alike)})` : '';
  switch (what) {
    case 'started':
      return `start${given}`;
    case 'done':
      return `${name}${given}`;
    case 'skipped':
      return `${name} skipped`;
    case 'no_items':
      return `${name} without items`;
    case 'until_done':
      return `${name} is done`;
    case 'until_not_yet':
      return `${name} is not done yet`;
    case 'one_pass_more':
      return `a person: one pass more of ${name}`;
    case 'went_on':
      return `a person: go on after ${name}`;
    case 'approved':
      return `${name} approved`;
    case 'rejected':
      return `${name} rejected`;
    case 'ran':
      return `${name} run`;
  }
}

function hasAny(values: Values | undefined): values is Values {
  return values !== undefined && Object.keys(values).length > 0;
}

const MAX_VALUE = 60;

function valuesInWords(values: Values, alike: PathEvent['alike'] = {}): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const others = Object.hasOwn(alike, name) ? (alike[name] ?? []) : [];
      return `${name}=${eitherOf([value, ...others].map(valueInWords))}`;
    })
    .join(', ');
}

const MAX_NAMED = 6;

/** All of them, or the first ones and how many more there are. */
export function eitherOf(words: readonly string[]): string {
  const more = words.length - MAX_NAMED;
  if (more <= 1) return words.join(' or ');
  return `${words.slice(0, MAX_NAMED).join(' or ')} or ${more} more`;
}

export function valueInWords(value: unknown): string {
  return value === undefined ? 'not set' : shownUpTo(JSON.stringify(value), MAX_VALUE);
}
