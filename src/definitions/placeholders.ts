// Places in instructions that look like those of deepwork and that nothing fills: misspelt, of an
// input that is not declared, of an item where there is none. They stay as they are written, which
// is what the author of some other template wants, so only what resembles a place is judged.

import { type Hints, nearest } from '../core/nearest.ts';
import { type Placeholder, readPlaceholder } from '../core/template.ts';
import { nameList, quote } from './wording.ts';

/** A step of a workflow that is given the text. */
export interface TextUse {
  readonly workflow: string;
  readonly step: string;
  readonly inputs: readonly string[];
  /** What it is done for each of; null: it is in no `for_each`. */
  readonly items: { readonly forEach: string; readonly arePaths: boolean } | null;
}

export interface OddPlaceholder {
  /** In the text. */
  readonly offset: number;
  readonly written: string;
  readonly message: string;
}

/** Far more than a report shows of one text. */
const MAX_ODD = 1000;
/** With a `$` before it, it is an expression of GitHub Actions, which has `inputs` as well. */
const BRACES = /(?<!\$)\{\{([^{}]{1,200})\}\}/g;
/** A word, or a word and what of it; anything else is another language. */
const SHAPE = /^(\w+)\s*(?:\.\s*([\p{L}\p{N}_./-]+))?$/u;

/** The first ones, in the order of the text. `uses`: none of a text that no workflow uses. */
export function oddPlaceholders(
  text: string,
  uses: readonly TextUse[],
  hints: Hints,
): readonly OddPlaceholder[] {
  const found: OddPlaceholder[] = [];
  for (const { 0: written, 1: inside = '', index: offset } of text.matchAll(BRACES)) {
    const why = whyOdd(written, inside.trim(), uses, hints);
    if (why === null) continue;
    found.push({ offset, written, message: `${quote(written)} stays as written${why}` });
    if (found.length >= MAX_ODD) break;
  }
  return found;
}

function whyOdd(
  written: string,
  inside: string,
  uses: readonly TextUse[],
  hints: Hints,
): string | null {
  const placeholder = readPlaceholder(written);
  if (placeholder !== null) return whyUnfilled(placeholder, uses, hints);
  const [, word, of] = SHAPE.exec(inside) ?? [];
  if (word === undefined) return null;
  const names = [...new Set(uses.flatMap(({ inputs }) => inputs))];
  if (word === 'inputs' && of === undefined) {
    return `: it names no input${names.length === 0 ? '' : `; declared: ${nameList(names)}`}`;
  }
  switch (wordMeant(word)) {
    case 'inputs':
      if (of === undefined) return null;
      return meant(`inputs.${names.includes(of) ? of : (hints.nearest(of, names) ?? of)}`);
    case 'item':
      return meant(of === undefined ? 'item' : `item.${of}`);
    case null:
      return null;
  }
}

function meant(inside: string): string {
  return `; did you mean '{{ ${inside} }}'?`;
}

/** First letters are rarely wrong, and without that `{{ stem }}` would be an item. */
function wordMeant(word: string): 'inputs' | 'item' | null {
  const isSwapped = /^(?:ni|ti)/i.test(word);
  if (!isSwapped && !/^i/i.test(word)) return null;
  return nearest(word, ['inputs', 'item']) as 'inputs' | 'item' | null;
}

function whyUnfilled(
  placeholder: Placeholder,
  uses: readonly TextUse[],
  hints: Hints,
): string | null {
  if (placeholder.kind === 'input') return whyNoInput(placeholder.name, uses, hints);
  const outside = uses.find(({ items }) => items === null);
  if (outside !== undefined) {
    const { step, workflow } = outside;
    return `: step ${quote(step)} of workflow ${quote(workflow)} is in no for_each`;
  }
  const ofPaths = uses.find(({ items }) => items?.arePaths)?.items;
  if (placeholder.key === null || !ofPaths) return null;
  return `: the items of for_each ${quote(ofPaths.forEach)} are paths and have no keys${meant('item')}`;
}

function whyNoInput(name: string, uses: readonly TextUse[], hints: Hints): string | null {
  const without = uses.filter(({ inputs }) => !inputs.includes(name));
  if (without.length === 0) return null;
  const workflows = [...new Set(without.map(({ workflow }) => workflow))];
  const who =
    workflows.length === 1
      ? `workflow ${quote(workflows[0] ?? '')} declares`
      : `workflows ${nameList(workflows)} declare`;
  const declared = [...new Set(without.flatMap(({ inputs }) => inputs))];
  if (declared.length === 0) return `: ${who} no inputs`;
  const near = hints.nearest(name, declared);
  const others = near === null ? `; declared: ${nameList(declared)}` : meant(`inputs.${near}`);
  return `: ${who} no input ${quote(name)}${others}`;
}
