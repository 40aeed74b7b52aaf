// The items of a `for_each`: how they are read, what they are called, and which come next. Item i,
// counted from 1, is the member `step#i`.

import { pathArgument } from '../command-variables.ts';
import { type RefusedCall, refused } from '../decision.ts';
import { hasNul } from '../nul-characters.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { typeName } from '../wording.ts';
import type { ForEachEntry, Step } from '../workflow.ts';
import type { Arrival, Json } from './state.ts';

export function itemId(stepId: string, index: number): string {
  return `${stepId}#${index}`;
}

const ITEM = /^(.+)#([1-9]\d{0,3})$/;

/** `migrate#3` → the step and the number; null if the id is not that of an item. */
export function itemOf(id: string): { readonly stepId: string; readonly index: number } | null {
  const found = ITEM.exec(id);
  return found === null ? null : { stepId: found[1] as string, index: Number(found[2]) };
}

/** The step in the workflow: `migrate` for `migrate#3`, otherwise the id itself. */
export function stepIdOf(id: string): string {
  return itemOf(id)?.stepId ?? id;
}

/** The step for one item; null if there is no such item. */
export function itemStep(
  { step }: ForEachEntry,
  items: readonly Json[],
  index: number,
): Step | null {
  if (index < 1 || index > items.length) return null;
  const item = { index, of: items.length, value: items[index - 1] };
  return { ...step, id: itemId(step.id, index), item };
}

/** The first open items, at most `maxParallel`; if none is open, the first item. */
export function nextItems(entry: ForEachEntry, { progress }: Arrival, items: readonly Json[]) {
  const open: Step[] = [];
  for (let at = 0; at < progress.length && open.length < entry.maxParallel; at += 1) {
    const step = progress[at]?.completedAt === null && itemStep(entry, items, at + 1);
    if (step) open.push(step);
  }
  const [first] = open.length > 0 ? [] : [itemStep(entry, items, 1)];
  return first ? [first] : open;
}

export type ItemsReading =
  | { readonly kind: 'items'; readonly items: readonly Json[] }
  | RefusedCall;

/** The items in a file: its text must be a JSON array of strings, numbers or objects. */
export function readItems(entry: ForEachEntry, path: string, text: string): ItemsReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return wrong(entry, `${path} must be a JSON array, got no JSON`);
  }
  if (!Array.isArray(value)) {
    return wrong(entry, `${path} must be a JSON array, got ${typeName(value)}`);
  }
  const odd = value.findIndex((item) => !['str', 'int', 'float', 'dict'].includes(typeName(item)));
  if (odd !== -1) {
    const found = `item ${odd + 1} is ${typeName(value[odd])}`;
    return wrong(entry, `${path} must list strings, numbers or objects; ${found}`);
  }
  // A NUL is written like this in JSON; a text without it needs no closer look.
  const nul = text.includes('\\u0000') ? value.findIndex(hasNul) : -1;
  if (nul !== -1) {
    return wrong(entry, `${path} must list items without NUL characters; item ${nul + 1} has one`);
  }
  return bounded(entry, path, value as Json[]);
}

/** The items of a `files` output: its paths, as commands are given them. */
export function pathItems(entry: ForEachEntry, paths: readonly string[]): ItemsReading {
  return bounded(entry, refText(entry), paths.map(pathArgument));
}

/** The refusal for a file that cannot be read as text. */
export function noItemsIn(entry: ForEachEntry, path: string, problem: string): Refusal {
  return wrong(entry, `${path} must be a JSON array, but ${problem}`).refusal;
}

/** The refusal for a file that has changed since it was accepted, and perhaps approved. */
export function itemsChanged(entry: ForEachEntry, path: string): Refusal {
  return refuse(
    'items_changed',
    `for_each '${entry.name}': ${path} was changed after it was submitted`,
    `call go_to_step with step '${entry.items.step}' to submit it again, or restore the file and make the same call again.`,
  );
}

/** The refusal for an output that was not submitted. */
export function noItems(entry: ForEachEntry): Refusal {
  return wrong(entry, `${refText(entry)} was not submitted`).refusal;
}

function bounded(entry: ForEachEntry, what: string, items: readonly Json[]): ItemsReading {
  if (items.length <= entry.maxItems) return { kind: 'items', items };
  return wrong(entry, `${what} has ${items.length} items, at most ${entry.maxItems} are allowed`);
}

function refText({ items }: ForEachEntry): string {
  return `${items.step}.${items.output}`;
}

function wrong(entry: ForEachEntry, what: string) {
  const next = `fix ${refText(entry)} and make the same call again, or call go_to_step with step '${entry.items.step}' to submit it again.`;
  return refused(refuse('items_invalid', `for_each '${entry.name}': ${what}`, next));
}
