// Judges the conditions of steps. A step may be in several workflows, but its condition is written
// once, so a finding covers all of them.

import type { Condition } from '../../core/conditions.ts';
import { groupBy } from '../../core/groups.ts';
import type { Hints } from '../../core/nearest.ts';
import { type Job, type Step, stepsOf } from '../../core/workflow.ts';
import { nameList, quote } from '../wording.ts';
import { type ConditionFacts, MAX_VALUES } from './facts.ts';
import type { Finding, FoundAt, WalkedWorkflow } from './finding.ts';
import { neverEqual } from './never-equal.ts';
import { describeValue, eitherOf, pathOfTrail, type Trail } from './path-events.ts';
import { declaredIn, isUndeclared } from './tracked.ts';
import { waysToSet } from './ways-to-set.ts';

export function judgeWhens(
  job: Job,
  walked: readonly WalkedWorkflow[],
  hints: Hints,
): readonly Finding[] {
  const used = usedIn(walked);
  return job.steps.flatMap((step) => {
    const { id, when } = step;
    if (when === null) return [];
    const users = used.get(step) ?? [];
    const asked = users.flatMap(({ facts }) => facts.whens.get(id) ?? []);
    const who = `The condition of step ${quote(id)}`;
    const names = when.variables.map(({ name }) => name);
    const at = (variable: string | null = null): FoundAt => ({ kind: 'when', step: id, variable });
    const undeclared = names.filter((name) => isUndeclared(job, name));
    const found = undeclared.map((name) =>
      undeclaredFinding(job, name, who, at(name), unsetIn(asked, name), hints),
    );
    if (asked.length === 0) return found;
    const declared = names.filter((name) => !undeclared.includes(name));
    const remedy: Remedy = (name, isNever) => {
      const unset = users.filter(({ facts }) => facts.whens.get(id)?.unset.has(name));
      return waysToSet(
        name,
        unset.map(({ workflow }) => workflow),
        isNever,
      );
    };
    return [...found, ...judgeEvaluated(asked, when, declared, who, at, remedy, hints)];
  });
}

/** The workflows that each step is in. */
function usedIn(walked: readonly WalkedWorkflow[]): ReadonlyMap<Step, readonly WalkedWorkflow[]> {
  return groupBy(walked, ({ workflow }) => stepsOf(workflow));
}

/** How to set a variable that is not set on some path or, if `isNever`, on any. */
type Remedy = (name: string, isNever: boolean) => string;

/** The findings about an evaluated condition, of a step or a loop. */
export function judgeEvaluated(
  asked: readonly ConditionFacts[],
  condition: Condition,
  declared: readonly string[],
  who: string,
  at: (variable?: string) => FoundAt,
  remedy: Remedy,
  hints: Hints,
): readonly Finding[] {
  const unset = (name: string, isNever: boolean) =>
    unsetFinding(name, who, at(name), asked, isNever, remedy(name, isNever));
  const neverSet = declared.filter(
    (name) => asked.some(({ unset }) => unset.has(name)) && !asked.some(({ set }) => set.has(name)),
  );
  if (neverSet.length > 0) return neverSet.map((name) => unset(name, true));
  if (asked.every(({ held }) => held === null))
    return [neverHoldsFinding(condition, who, at(), asked, hints)];
  const someUnset = declared.filter((name) => asked.some(({ unset }) => unset.has(name)));
  return someUnset.map((name) => unset(name, false));
}

export function undeclaredFinding(
  job: Job,
  name: string,
  who: string,
  at: FoundAt,
  trail: Trail | undefined,
  hints: Hints,
): Finding {
  const known = [...declaredIn(job)].sort();
  const where = 'no input of a workflow and no report of a step';
  return {
    code: 'undeclared_variable',
    // In a job that declares nothing, all variables come from the context of calls.
    severity: known.length === 0 ? 'warning' : 'problem',
    at,
    message: `${who} reads ${quote(name)}, which nothing declares${hints.didYouMean(name, known)}`,
    proof: proof(
      `${quote(name)} is ${where}${known.length === 0 ? '' : ` (declared: ${nameList(known)})`}`,
      trail,
    ),
  };
}

/** A path on which the variable was not set. */
export function unsetIn(asked: readonly ConditionFacts[], name: string): Trail | undefined {
  return asked.flatMap(({ unset }) => unset.get(name) ?? [])[0];
}

function unsetFinding(
  name: string,
  who: string,
  at: FoundAt,
  asked: readonly ConditionFacts[],
  isNever: boolean,
  remedy: string,
): Finding {
  const when = isNever ? 'on no path to it' : 'on every path to it';
  return {
    code: 'unset_variable',
    severity: isNever ? 'problem' : 'warning',
    at,
    message: `${who} reads ${quote(name)}, which is ${isNever ? '' : 'not '}set ${when}${remedy}`,
    proof: proof(
      isNever ? `${quote(name)} is not set on any path` : `${quote(name)} is not set on this path`,
      unsetIn(asked, name),
    ),
  };
}

function neverHoldsFinding(
  condition: Condition,
  who: string,
  at: FoundAt,
  asked: readonly ConditionFacts[],
  hints: Hints,
): Finding {
  const values = new Map<string, Set<string>>();
  for (const facts of asked) {
    for (const [name, seen] of facts.values) {
      const all = values.get(name) ?? new Set();
      for (const value of seen) all.add(describeValue(value));
      values.set(name, all);
    }
  }
  const texts = [...values].map(([name, all]) => `${name} is ${eitherOf([...all])}`);
  return {
    code: 'never_holds',
    severity: 'problem',
    at,
    message: `${who} never holds${neverEqual(condition, (name) => seenIn(asked, name), hints)}`,
    proof: proof(
      texts.length === 0 ? 'no context meets it' : `on every path to it ${texts.join(', ')}`,
      asked.flatMap(({ failed }) => failed ?? [])[0],
    ),
  };
}

/** Every value that the variable had; null if they were too many to keep. */
function seenIn(asked: readonly ConditionFacts[], name: string): readonly unknown[] | null {
  const seen = asked.map(({ values }) => values.get(name) ?? []);
  return seen.some(({ length }) => length >= MAX_VALUES) ? null : seen.flat();
}

export function proof(says: string, trail: Trail | null | undefined) {
  return { says, path: pathOfTrail(trail ?? null) };
}
