// A condition decides from a context of variables whether something applies: a step, a rule,
// a confirmation. It is written as JSON and compiled once, when its file is read:
//
//   {"var": "n", "gte": 1, "lte": 3}                      all parts of one object must hold
//   {"var": "user.expert"}                                the variable's truthiness
//   {"or": [{"var": "a", "equals": 1}, {"not": {"var": "b"}}]}
//   {}                                                    always true
//
// Every mistake is found when the condition is parsed, so that evaluation never fails.

import { readVariable, sameValue, type Variable } from './conditions-values.ts';

/** What conditions read: variables by name. */
export type Context = Readonly<Record<string, unknown>>;

export interface Condition {
  /** The JSON as written. */
  readonly source: Readonly<Record<string, unknown>>;
  readonly clauses: readonly Clause[];
  /** Every variable that any clause reads, once each, sorted by name. */
  readonly variables: readonly Variable[];
}

/** One requirement of a condition; a list of clauses holds if each of them does. */
export type Clause =
  | { readonly operator: 'truthy'; readonly variable: Variable }
  | {
      readonly operator: 'equals' | 'not_equals';
      readonly variable: Variable;
      readonly operand: unknown;
    }
  | {
      readonly operator: 'gt' | 'gte' | 'lt' | 'lte';
      readonly variable: Variable;
      readonly operand: number;
    }
  | { readonly operator: 'and' | 'or'; readonly members: readonly (readonly Clause[])[] }
  | { readonly operator: 'not'; readonly member: readonly Clause[] };

export function holds(condition: Condition, context: Context): boolean {
  return allHold(condition.clauses, context);
}

/** The variables that the condition reads and the context does not have, sorted. */
export function missingVariables(condition: Condition, context: Context): string[] {
  return condition.variables
    .filter((variable) => readVariable(variable, context) === undefined)
    .map((variable) => variable.name);
}

function allHold(clauses: readonly Clause[], context: Context): boolean {
  return clauses.every((clause) => clauseHolds(clause, context));
}

function clauseHolds(clause: Clause, context: Context): boolean {
  switch (clause.operator) {
    case 'and':
      return clause.members.every((member) => allHold(member, context));
    case 'or':
      return clause.members.some((member) => allHold(member, context));
    case 'not':
      return !allHold(clause.member, context);
    case 'truthy':
      return Boolean(readVariable(clause.variable, context));
    // No operand is ever undefined, so a missing variable equals nothing, not even null.
    case 'equals':
      return sameValue(clause.operand, readVariable(clause.variable, context));
    case 'not_equals':
      return !sameValue(clause.operand, readVariable(clause.variable, context));
    default: {
      const value = readVariable(clause.variable, context);
      return typeof value === 'number' && ORDERS[clause.operator](value, clause.operand);
    }
  }
}

const ORDERS = {
  gt: (value: number, operand: number) => value > operand,
  gte: (value: number, operand: number) => value >= operand,
  lt: (value: number, operand: number) => value < operand,
  lte: (value: number, operand: number) => value <= operand,
};
