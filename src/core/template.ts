// Puts the values of a run into the text of instructions:
//
//   Fix {{ inputs.issue }} in {{ item }}, owned by {{ item.owner }}.
//
// Each place is filled once, and what was put in is not looked at again, so that a value which
// looks like a place stays what it is. A place without a value stays as it is written.

import type { VariableValues } from './variables.ts';

export interface TemplateValues {
  readonly inputs: VariableValues;
  /** Of a `for_each`; left out elsewhere. */
  readonly item?: unknown;
}

const PLACE = /\{\{\s*(?:inputs\.([\w./-]+)|(item)(?:\.([^\s{}]+))?)\s*\}\}/g;
const ONE_PLACE = new RegExp(`^${PLACE.source}$`);

/** What a place is filled with, where there is a value for it. */
export type Place =
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'item'; readonly key: string | null };

/** Null: it is no place, and stays as it is written. */
export function readPlace(written: string): Place | null {
  const found = ONE_PLACE.exec(written);
  if (found === null) return null;
  const [, name, , key] = found;
  return name === undefined ? { kind: 'item', key: key ?? null } : { kind: 'input', name };
}

export function fillTemplate(text: string, { inputs, item }: TemplateValues): string {
  return text.replaceAll(PLACE, (written, input, isItem, key) => {
    if (isItem === undefined) return inputText(ownValue(inputs, input)) ?? written;
    const value = key === undefined ? item : ownValue(item, key);
    if (value === undefined || value === null) return written;
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function ownValue(of: unknown, key: string): unknown {
  if (typeof of !== 'object' || of === null || !Object.hasOwn(of, key)) return undefined;
  return (of as Readonly<Record<string, unknown>>)[key];
}

function inputText(value: unknown): string | null {
  if (value === undefined) return null;
  return Array.isArray(value) ? value.join(', ') : String(value);
}
