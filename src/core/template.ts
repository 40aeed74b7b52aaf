// Puts the values of a run into the text of instructions:
//
//   Fix {{ inputs.issue }} in {{ item }}, owned by {{ item.owner }}.
//
// Each placeholder is filled once, and inserted values are not scanned again, so a value that
// looks like a placeholder stays as it is. A placeholder without a value stays as written.

import type { VariableValues } from './variables.ts';

export interface TemplateValues {
  readonly inputs: VariableValues;
  /** The item of a `for_each`; absent elsewhere. */
  readonly item?: unknown;
}

const PLACEHOLDER = /\{\{\s*(?:inputs\.([\w./-]+)|(item)(?:\.([^\s{}]+))?)\s*\}\}/g;
const ONE_PLACEHOLDER = new RegExp(`^${PLACEHOLDER.source}$`);

/** What a placeholder is replaced by, if there is a value for it. */
export type Placeholder =
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'item'; readonly key: string | null };

/** Null if it is no placeholder of ours, and so stays as written. */
export function readPlaceholder(written: string): Placeholder | null {
  const found = ONE_PLACEHOLDER.exec(written);
  if (found === null) return null;
  const [, name, , key] = found;
  return name === undefined ? { kind: 'item', key: key ?? null } : { kind: 'input', name };
}

export function fillTemplate(text: string, { inputs, item }: TemplateValues): string {
  return text.replaceAll(PLACEHOLDER, (written, input, isItem, key) => {
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
