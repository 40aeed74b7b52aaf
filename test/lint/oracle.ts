// The findings that a workflow ought to have, from what really happened when it was run in every
// possible way. Written from the words of the documentation, apart from lint.

import { type Condition, holds } from '../../src/core/conditions.ts';
import { readVariable } from '../../src/core/conditions-values.ts';
import { leavesOf, placeOf } from '../../src/core/places.ts';
import { itemOf } from '../../src/core/session/for-each.ts';
import { handedInBy } from '../../src/core/session/positions.ts';
import { type Job, loopsOf, type Step, stepsOf, type Workflow } from '../../src/core/workflow.ts';
import { freeNames, type Move, runEverything } from './exhaustive.ts';

interface Asked {
  isHeld: boolean;
  readonly unset: Set<string>;
  readonly set: Set<string>;
}

/** As text, to be compared: code, severity, place. Null: too much to run. */
export function whatIsWrong(job: Job, workflow: Workflow): readonly string[] | null {
  const asked = new Map<string, Asked>();
  const reached = new Set<string>();
  const stuck = new Set<string>();
  const inputs = new Map<string, { missing: boolean; there: boolean }>();
  const shown = new Set<string>();
  /** By run and declared variable, whether or not the run reads it. */
  const atRuns = new Map<string, { missing: boolean; there: boolean }>();
  const steps = stepsOf(workflow);
  const loops = loopsOf(workflow);
  const free = freeNames(job, workflow);

  const ask = (name: string, condition: Condition, { context, isDone }: Move) => {
    const known = asked.get(name) ?? { isHeld: false, unset: new Set(), set: new Set() };
    asked.set(name, known);
    known.isHeld ||= holds(condition, context);
    for (const variable of condition.variables) {
      if (readVariable(variable, context) !== undefined) known.set.add(variable.name);
      else if (!isAllowedToBeUnset(condition, variable.name, isDone))
        known.unset.add(variable.name);
    }
  };
  const isAllowedToBeUnset = (condition: Condition, name: string, isDone: Move['isDone']) => {
    const text = JSON.stringify(condition.source);
    // Bare: no comparison stands beside the variable.
    if (text.includes(`"var":${JSON.stringify(name)},`)) return false;
    if (workflow.inputs?.some((input) => input.name === name)) return true;
    return steps.some(
      ({ id, reports = [] }) =>
        isDone(id) && reports.some((each) => each.name === name && !each.required),
    );
  };
  const askStep = (id: string, move: Move) => {
    const when = steps.find((step) => step.id === id)?.when ?? null;
    if (when !== null) ask(`when ${id}`, when, move);
  };

  const onMove = (move: Move, empty: ReadonlySet<string>) => {
    const { after, before, event, skipped, untils, refusal } = move;
    for (const id of skipped) askStep(id, move);
    for (const { loop } of untils) {
      const until = loops.find(({ name }) => name === loop)?.until;
      if (until?.kind === 'when') ask(`until ${loop}`, until.condition, move);
    }
    const named = refusal?.match(/^(?:for_each|Loop) '(\w+)'/)?.[1];
    if (named !== undefined) {
      const entry = placeOf(workflow, named)?.entry;
      const judged = entry?.kind === 'loop' && entry.until.kind === 'rules' && entry.until.output;
      // A list without items is a matter of the data.
      if (!judged || !empty.has(judged.step)) stuck.add(named);
      if (entry?.kind === 'for_each') askStep(entry.step.id, move);
    }
    if (after === null) return;
    const { limit, members, at } = after.position;
    const max = loops.find(({ name }) => name === limit?.loop)?.max ?? 0;
    const isTried = event?.type === 'loop_answered' && event.data.choice === 'one_more';
    // One more pass was looked at, and there is nothing to do in it.
    if (limit !== undefined && (limit.pass < max || isTried)) {
      const loop = loops.find(({ name }) => name === limit.loop);
      for (const { id } of loop === undefined ? [] : stepsOf(loop)) askStep(id, move);
    }
    const isNew = before === null || after.position.arrival !== before.position.arrival;
    if (!isNew || after.status !== 'active') return;
    if (at !== undefined) reached.add(at.name);
    const ids = [...new Set(members.map((id) => itemOf(id)?.stepId ?? id))];
    for (const id of ids) {
      if (!move.isRejection) askStep(id, move);
      const step = steps.find((each) => each.id === id);
      if (step !== undefined) noteArrival(step, move, empty);
    }
    if (at?.kind === 'run') noteRun(at.name, move);
    const entry = at?.kind === 'approve' ? placeOf(workflow, at.name)?.entry : undefined;
    if (entry?.kind !== 'approve') return;
    for (const ref of entry.show) {
      if (handedInBy(after)(ref).length > 0) shown.add(`${entry.name} ${ref.step}`);
    }
  };
  const noteArrival = (
    { id, inputs: taken }: Step,
    { after }: Move,
    empty: ReadonlySet<string>,
  ) => {
    reached.add(id);
    for (const input of taken) {
      if (input.kind !== 'file' || after === null) continue;
      const key = `${id} ${input.fromStep}`;
      const known = inputs.get(key) ?? { missing: false, there: false };
      inputs.set(key, known);
      const isThere = handedInBy(after)({ step: input.fromStep, output: 'out' }).length > 0;
      if (isThere || empty.has(input.fromStep)) known.there = true;
      else known.missing = true;
    }
  };

  const noteRun = (run: string, { context }: Move) => {
    for (const name of declaredNames(job)) {
      const known = atRuns.get(`${run} ${name}`) ?? { missing: false, there: false };
      atRuns.set(`${run} ${name}`, known);
      if (Object.hasOwn(context, name)) known.there = true;
      else known.missing = true;
    }
  };

  if (!runEverything(job, workflow, onMove)) return null;

  const found: string[] = [];
  const isAnyDeclared =
    (workflow.inputs ?? []).length > 0 || job.steps.some(({ reports = [] }) => reports.length > 0);
  const judge = (key: string, condition: Condition, fixed: readonly string[] | null) => {
    const names = condition.variables.map(({ name }) => name);
    const unknown = names.filter((name) => free.includes(name));
    for (const name of unknown) {
      found.push(`undeclared_variable ${isAnyDeclared ? 'problem' : 'warning'} ${key} ${name}`);
    }
    const known = asked.get(key);
    if (known === undefined) return;
    const others = names.filter((name) => !free.includes(name));
    const never = others.filter((name) => known.unset.has(name) && !known.set.has(name));
    if (never.length > 0) {
      for (const name of never) found.push(`unset_variable problem ${key} ${name}`);
    } else if (fixed !== null && unknown.length === 0 && !names.some((n) => fixed.includes(n))) {
      found.push(`until_cannot_change problem ${key}`);
    } else if (!known.isHeld) found.push(`never_holds problem ${key}`);
    else {
      for (const name of others.filter((each) => known.unset.has(each))) {
        found.push(`unset_variable warning ${key} ${name}`);
      }
    }
  };
  for (const { id, when } of steps) if (when !== null) judge(`when ${id}`, when, null);
  for (const loop of loops) {
    if (loop.until.kind === 'when') {
      const reported = stepsOf(loop)
        .filter(({ id }) => reached.has(id))
        .flatMap(({ reports = [] }) => reports.map(({ name }) => name));
      judge(`until ${loop.name}`, loop.until.condition, reported);
    }
    if (loop.until.kind === 'rules' && stuck.has(loop.name)) {
      found.push(`skipped_source problem until_output ${loop.name}`);
    }
  }
  for (const [key, { missing, there }] of inputs) {
    if (missing) found.push(`skipped_source ${there ? 'warning' : 'problem'} input ${key}`);
  }
  for (const [key, { missing, there }] of atRuns) {
    if (missing) found.push(`unset_variable ${there ? 'warning' : 'problem'} run_input ${key}`);
  }
  let isBehind = false;
  for (const { entry } of leavesOf(workflow)) {
    if (entry.kind === 'for_each' && stuck.has(entry.name)) {
      found.push(`skipped_source problem items ${entry.name}`);
    }
    if (entry.kind === 'approve' && reached.has(entry.name)) {
      for (const { step } of entry.show) {
        if (!shown.has(`${entry.name} ${step}`)) {
          found.push(`nothing_to_show problem show ${entry.name} ${step}`);
        }
      }
    }
    const own =
      entry.kind === 'steps' ? entry.steps : entry.kind === 'for_each' ? [entry.step] : [];
    const isAsked = own.some(({ id }) => asked.has(`when ${id}`));
    const names = entry.kind === 'steps' ? entry.steps.map(({ id }) => id) : [entry.name];
    for (const name of names) {
      const isSeen = isAsked || reached.has(name) || stuck.has(name);
      if (!isSeen && !isBehind) found.push(`unreachable problem entry ${name}`);
      isBehind = !isSeen;
    }
  }
  return found.sort();
}

export function declaredNames(job: Job): readonly string[] {
  const all = [
    ...job.workflows.flatMap(({ inputs = [] }) => inputs),
    ...job.steps.flatMap(({ reports = [] }) => reports),
  ];
  return [...new Set(all.map(({ name }) => name))];
}
