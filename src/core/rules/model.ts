// What criteria become once they are parsed: a tree of rules and compositions in which
// every regex, schema and condition is compiled, and what judging a text gives back.

import type { Condition } from '../conditions.ts';
import type { Problem } from '../problem.ts';

export interface Criteria {
  /** The JSON as written. */
  readonly source: unknown;
  /** All of them must pass. */
  readonly members: readonly Member[];
}

export type Member = Rule | Composition | Negation;

export type Rule = {
  /** JSON Pointer of the rule, from the root of its criteria. */
  readonly pointer: string;
  readonly message: string;
  readonly suggestion: string | null;
  /** The rule is skipped where this does not hold; null means never. */
  readonly condition: Condition | null;
} & Test;

export type Test =
  | { readonly kind: 'contains'; readonly value: string }
  | { readonly kind: 'regex'; readonly regex: RegExp }
  | { readonly kind: 'length'; readonly min: number; readonly max: number }
  | { readonly kind: 'schema'; readonly schema: CompiledSchema };

interface Composition {
  readonly kind: 'and' | 'or';
  readonly members: readonly Member[];
}

export interface Negation {
  readonly kind: 'not';
  readonly member: Member;
  readonly message: string | null;
  readonly suggestion: string | null;
}

/** Made empty while the rules are read; filled once the schema library is there. */
export interface CompiledSchema {
  accepts: (value: unknown) => boolean;
  /** What is wrong with the value that it has just not accepted, in lines. */
  complaints: (value: unknown) => string[];
}

/** `schema` marks what is wrong inside a JSON Schema, which callers report by another code. */
export interface CriteriaProblem extends Problem {
  readonly kind?: 'schema';
}

export interface Failure {
  readonly message: string;
  readonly suggestion: string | null;
  /** Of a schema: what is wrong, and where. */
  readonly places?: readonly string[];
}

export type Verdict =
  | {
      readonly kind: 'done';
      readonly valid: boolean;
      readonly issues: string[];
      readonly suggestions: string[];
      /** The rules that were reported, in order; issues that belong to no rule are not here. */
      readonly failures: Failure[];
    }
  | {
      readonly kind: 'interrupted';
      /** JSON Pointer of the rule, from the root of its criteria. */
      readonly rule: string;
      readonly reason: string;
    };
