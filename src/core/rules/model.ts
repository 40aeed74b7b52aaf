// Parsed criteria: a tree of rules and compositions in which every regex, schema and
// condition is compiled; and the verdict on a text.

import type { Condition } from '../conditions.ts';

export interface Criteria {
  /** The JSON as written. */
  readonly source: unknown;
  /** All of them must pass. */
  readonly members: readonly CriteriaPart[];
}

export type CriteriaPart = Rule | Composition | Negation;

export type Rule = {
  /** JSON Pointer of the rule, from the root of its criteria. */
  readonly pointer: string;
  readonly message: string;
  readonly suggestion: string | null;
  /** The rule is skipped if this does not hold; null means never. */
  readonly condition: Condition | null;
} & Test;

export type Test =
  | { readonly kind: 'contains'; readonly value: string }
  | { readonly kind: 'regex'; readonly regex: RegExp }
  | { readonly kind: 'length'; readonly min: number; readonly max: number }
  | { readonly kind: 'schema'; readonly schema: CompiledSchema };

interface Composition {
  readonly kind: 'and' | 'or';
  readonly members: readonly CriteriaPart[];
}

export interface Negation {
  readonly kind: 'not';
  readonly member: CriteriaPart;
  readonly message: string | null;
  readonly suggestion: string | null;
}

/** Created empty while the rules are parsed; filled once the schema library is loaded. */
export interface CompiledSchema {
  accepts: (value: unknown) => boolean;
  /** What is wrong with the value that it has just rejected, one line each. */
  complaints: (value: unknown) => Iterator<unknown, string[]>;
}

export function notCompiled(): CompiledSchema {
  const none = { next: () => ({ done: true as const, value: [] }) };
  return { accepts: () => false, complaints: () => none };
}

export interface Failure {
  readonly message: string;
  readonly suggestion: string | null;
  /** For a schema: what is wrong, and where. */
  readonly places?: readonly string[];
}

export type RulesResult =
  | {
      readonly kind: 'done';
      readonly valid: boolean;
      readonly issues: string[];
      readonly suggestions: string[];
      /** The reported rules, in order; without issues that belong to no rule. */
      readonly failures: Failure[];
    }
  | {
      readonly kind: 'interrupted';
      /** JSON Pointer of the rule, from the root of its criteria. */
      readonly rule: string;
      readonly reason: string;
    };
