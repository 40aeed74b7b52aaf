// The values that the variables of a workflow can have, as far as its conditions distinguish them.
// A condition compares only with its own operands, so a few numbers and texts represent all
// others: values for which every comparison has the same result are equivalent.

import { type Clause, type Condition, holds } from '../../core/conditions.ts';
import { sameValue, type Variable } from '../../core/conditions-values.ts';
import { addTo } from '../../core/groups.ts';
import type { PatternBudget } from '../../core/pattern-budget.ts';
import type { Values } from '../../core/proof.ts';
import { type DeclaredVariable, problemWith } from '../../core/variables.ts';

/** Instead of a value: the variable is not set. */
export const UNSET = undefined;

/** Every context with one of the values of each variable; null if there are more than `max`. */
export function contextsOf(
  variables: Iterable<readonly [string, readonly unknown[]]>,
  max: number,
): readonly Values[] | null {
  let contexts: Values[] = [{}];
  for (const [name, values] of variables) {
    if (contexts.length * values.length > max) return null;
    contexts = contexts.flatMap((context) =>
      values.map((value) => (value === UNSET ? context : { ...context, [name]: value })),
    );
  }
  return contexts;
}

/** The distinct comparisons of these conditions, by variable. */
export function comparisonsIn(
  conditions: readonly Condition[],
): ReadonlyMap<string, readonly Clause[]> {
  const found = new Map<string, Clause[]>();
  const collect = (clauses: readonly Clause[]) => {
    for (const clause of clauses) {
      if ('members' in clause) clause.members.forEach(collect);
      else if ('member' in clause) collect(clause.member);
      else {
        const known = found.get(clause.variable.name) ?? [];
        if (!known.some((each) => isSame(each, clause))) known.push(clause);
        found.set(clause.variable.name, known);
      }
    }
  };
  for (const { clauses } of conditions) collect(clauses);
  return found;
}

function isSame(one: Clause, other: Clause): boolean {
  if (one.operator !== other.operator) return false;
  return !('operand' in one && 'operand' in other) || sameValue(one.operand, other.operand);
}

/** One value for each possible combination of results of the comparisons; the default first. */
export function possibleValues(
  declared: DeclaredVariable,
  comparisons: readonly Clause[],
  budget: PatternBudget,
): readonly unknown[] {
  const candidates = candidatesOf(declared, comparisons, budget);
  const found = distinct(declared.name, comparisons, candidates);
  // For a pattern no matching value is known; a text that says so represents all of them.
  return found.length > 0 ? found : [`(any that matches ${declared.pattern?.source ?? ''})`];
}

/** For an enum, by a value of `possibleValues`: the other values that it represents. */
export type Alike = ReadonlyMap<unknown, readonly unknown[]>;

export function alikeIn(
  declared: DeclaredVariable,
  comparisons: readonly Clause[],
  budget: PatternBudget,
): Alike {
  const alike = new Map<unknown, unknown[]>();
  if (declared.enum === null) return alike;
  const first = new Map<string, unknown>();
  for (const value of new Set(candidatesOf(declared, comparisons, budget))) {
    const answers = answersTo(comparisons, declared.name, value);
    const representative = first.get(answers);
    if (representative === undefined) first.set(answers, value);
    else addTo(alike, representative, value);
  }
  return alike;
}

/** The same for an undeclared variable. */
export function freeValues(name: string, comparisons: readonly Clause[]): readonly unknown[] {
  const operands = operandsOf(comparisons);
  const candidates = [true, ...operands, ...around(operands), otherText(operands), 0, ''];
  return distinct(name, comparisons, candidates);
}

/** Valid values; the default first. As at run time, what could not be tested is not valid. */
function candidatesOf(
  declared: DeclaredVariable,
  comparisons: readonly Clause[],
  budget: PatternBudget,
) {
  const { type, enum: values, default: initial } = declared;
  const operands = operandsOf(comparisons);
  const ofType = {
    boolean: [true, false],
    number: [...operands, ...around(operands), 1, 0],
    file: [...operands, otherText(operands)],
    string: [...operands, otherText(operands), ''],
  };
  const all = [...(initial === null ? [] : [initial]), ...(values ?? ofType[type])];
  return all.filter((value) => problemWith(declared, value, budget) === null);
}

function operandsOf(comparisons: readonly Clause[]): readonly unknown[] {
  return comparisons.flatMap((clause) => ('operand' in clause ? [clause.operand] : []));
}

/** Numbers below, between and above the operands; two each, because one may be 0. */
function around(operands: readonly unknown[]): readonly number[] {
  const sorted = operands.filter((each) => typeof each === 'number').sort((a, b) => a - b);
  const [lowest] = sorted;
  if (lowest === undefined) return [];
  return [
    lowest - 1,
    lowest - 2,
    ...sorted.flatMap((each, at) => {
      const next = sorted[at + 1];
      if (next === undefined) return [each + 1, each + 2];
      return [(each + next) / 2, each + (next - each) / 4];
    }),
  ];
}

/** A text that is not an operand. */
function otherText(operands: readonly unknown[]): string {
  const taken = new Set(operands);
  for (let at = 1; ; at += 1) {
    const text = at === 1 ? 'other' : `other${at}`;
    if (!taken.has(text)) return text;
  }
}

/** One candidate for each distinct combination of results. */
function distinct(
  name: string,
  comparisons: readonly Clause[],
  candidates: readonly unknown[],
): readonly unknown[] {
  const seen = new Set<string>();
  return candidates.filter((value) => {
    const answers = answersTo(comparisons, name, value);
    return !seen.has(answers) && seen.add(answers);
  });
}

function answersTo(comparisons: readonly Clause[], name: string, value: unknown): string {
  return comparisons.map((clause) => answerOf(clause, name, value)).join('');
}

function answerOf(clause: Clause, name: string, value: unknown): number {
  const variable: Variable = { name, segments: [name] };
  const alone = { source: {}, clauses: [{ ...clause, variable } as Clause], variables: [] };
  return holds(alone, { [name]: value }) ? 1 : 0;
}

const compared = new WeakMap<Condition, ReadonlyMap<string, readonly Clause[]>>();

/** Whether a condition uses a variable only for its truthiness. */
export function onlyTruthiness(condition: Condition, name: string): boolean {
  const known = compared.get(condition) ?? comparisonsIn([condition]);
  compared.set(condition, known);
  return (known.get(name) ?? []).every(({ operator }) => operator === 'truthy');
}
