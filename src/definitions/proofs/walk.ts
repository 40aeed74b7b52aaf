// Walks every path through a workflow, over all values that its conditions distinguish, and
// collects facts. It follows the rules of `core/session/next-entry.ts`; a test compares the two on
// thousands of workflows.
//
// Paths differ in declared inputs and reports, undeclared context, the outcome of checks, lists
// with and without items, and the answers of people. Not included: an agent that goes back with
// go_to_step, or gives a declared report in the context of another step.

import { type Condition, holds } from '../../core/conditions.ts';
import type { PatternBudget } from '../../core/pattern-budget.ts';
import type { Values } from '../../core/proof.ts';
import {
  type ForEachEntry,
  type Job,
  ownSteps,
  type Step,
  type Workflow,
} from '../../core/workflow.ts';
import { onlyTruthiness, UNSET } from './domains.ts';
import {
  type ConditionFacts,
  noFacts,
  noteEvaluation,
  noteSource,
  type WorkflowFacts,
} from './facts.ts';
import type { Trail } from './path-events.ts';
import {
  afterWork,
  type PathState,
  startsOf,
  stepOf,
  withDone,
  withEvent,
  withoutDone,
} from './path-state.ts';
import { isLoop, type LoopSpot, type Spot, spotsOf } from './spots.ts';
import { trackedIn } from './tracked.ts';

interface Pass {
  readonly loop: LoopSpot;
  /** Counted up to the loop's `max`. */
  readonly pass: number;
}

interface Arrival {
  readonly spot: Spot;
  readonly members: readonly Step[];
  readonly passes: readonly Pass[];
  readonly state: PathState;
}

/** If there are more states, the walk stops and the facts are not `complete`: 40,000 for lint. */
const STATES_PER_MILLISECOND = 20;

/** `readByRuns`: variables for which the walk also notes whether they are set at nested runs. */
export function walk(
  job: Job,
  workflow: Workflow,
  budget: PatternBudget,
  readByRuns: readonly string[] = [],
): WorkflowFacts {
  const layout = spotsOf(workflow);
  const tracked = trackedIn(job, layout, budget, readByRuns);
  const facts = noFacts();
  const maxStates = STATES_PER_MILLISECOND * budget.total;
  const inputNames = new Set(
    job.workflows.flatMap(({ inputs = [] }) => inputs.map(({ name }) => name)),
  );
  const seen = new Set<string>();
  const arrivals: Arrival[] = [];
  let isTooMuch = false;

  function firstOf(from: Spot | null, passes: readonly Pass[], state: PathState): PathState | null {
    let here = state;
    for (let spot = from; spot !== null; spot = spot.next) {
      const on = enter(spot, passes, here);
      if (on === null) return null;
      here = on;
    }
    return here;
  }

  /** The state with which the walk continues if there is nothing to do; null: it stops here. */
  function enter(spot: Spot, passes: readonly Pass[], state: PathState): PathState | null {
    const { entry } = spot;
    switch (entry.kind) {
      case 'steps': {
        const members = entry.steps.filter((step) => applies(step, state));
        const left = entry.steps.filter((step) => !members.includes(step));
        const on = left.reduce((at, { id }) => withEvent(at, { what: 'skipped', name: id }), state);
        if (members.length === 0) return on;
        arrive({ spot, members, passes, state: on });
        return null;
      }
      case 'for_each':
        if (applies(entry.step, state)) return enterForEach(entry, spot, passes, state);
        return withEvent(state, { what: 'skipped', name: entry.step.id });
      case 'loop': {
        if (!isLoop(spot)) return state;
        return firstOf(spot.first, [...passes, { loop: spot, pass: 1 }], state);
      }
      default:
        arrive({ spot, members: [], passes, state });
        return null;
    }
  }

  function enterForEach(
    entry: ForEachEntry,
    spot: Spot,
    passes: readonly Pass[],
    state: PathState,
  ): PathState | null {
    if (!state.done.includes(entry.items.step)) {
      noteFirst(facts.stuck, entry.name, state.trail);
      return null;
    }
    arrive({ spot, members: [entry.step], passes, state });
    const empty = withEvent(state, { what: 'no_items', name: entry.name });
    return { ...empty, done: withDone(empty.done, `${entry.step.id}~`) };
  }

  function applies(step: Step, state: PathState): boolean {
    return step.when === null || evaluate(facts.whens, step.id, step.when, state);
  }

  /** Evaluates and records the condition of a step or a loop; returns whether it holds. */
  function evaluate(
    known: Map<string, ConditionFacts>,
    name: string,
    condition: Condition,
    { context, trail, done, over = [] }: PathState,
  ): boolean {
    const isHeld = holds(condition, context);
    const isDone = (id: string) => done.includes(id) || over.includes(id);
    // A condition may test whether an optional variable is set.
    const isExcused = (variable: string) =>
      onlyTruthiness(condition, variable) &&
      (inputNames.has(variable) || tracked.optionalReporters(variable).some(isDone));
    const { allAlike } = tracked;
    noteEvaluation(known, name, { condition, context, trail, isHeld, isExcused, allAlike });
    return isHeld;
  }

  function after(spot: Spot, passes: readonly Pass[], state: PathState): void {
    const on = firstOf(spot.next, passes, state);
    if (on === null) return;
    const loop = spot.loops.at(-1);
    if (loop === undefined) facts.ended ??= on.trail;
    else endPass(loop, passes, on);
  }

  /** The last of `passes` is the loop's own. */
  function endPass(loop: LoopSpot, passes: readonly Pass[], state: PathState): void {
    const { name, max } = loop.entry;
    const outcomes = untilOf(loop, state);
    if (outcomes.includes(true)) {
      after(loop, passes.slice(0, -1), withEvent(state, { what: 'until_done', name }));
    }
    if (!outcomes.includes(false)) return;
    const on = withEvent(state, { what: 'until_not_yet', name });
    if ((passes.at(-1)?.pass ?? 1) >= max) limit(loop, passes, on);
    else if (!again(loop, passes, on)) limit(loop, passes, on);
  }

  function untilOf({ entry: { name, until } }: LoopSpot, state: PathState): readonly boolean[] {
    switch (until.kind) {
      case 'check':
        return [true, false];
      case 'when':
        return [evaluate(facts.untils, name, until.condition, state)];
      case 'rules':
        if (state.done.includes(until.output.step)) return [true, false];
        // Whether a list is empty depends on the data, so it is not a problem of the workflow.
        if (!state.done.includes(`${until.output.step}~`)) {
          noteFirst(facts.stuck, name, state.trail);
        }
        return [];
    }
  }

  /** No pass is left: a person decides how it continues. */
  function limit(loop: LoopSpot, passes: readonly Pass[], state: PathState): void {
    const { name } = loop.entry;
    after(loop, passes.slice(0, -1), withEvent(state, { what: 'went_on', name }));
    again(loop, passes, withEvent(state, { what: 'one_pass_more', name }));
  }

  /** False if there is nothing to do in another pass. */
  function again(loop: LoopSpot, passes: readonly Pass[], state: PathState): boolean {
    const pass = Math.min((passes.at(-1)?.pass ?? 1) + 1, loop.entry.max);
    const inside = [...passes.slice(0, -1), { loop, pass }];
    return firstOf(loop.first, inside, withoutDone(state, loop.steps)) === null;
  }

  function arrive({ spot, members, passes, state }: Arrival): void {
    const here = {
      trail: state.trail,
      done: state.done.filter((id) => tracked.doneUntil(stepOf(id)) >= spot.leaf),
      context: relevantContext(spot.leaf, state.context),
    };
    const key = JSON.stringify([
      spot.order,
      members.length === ownSteps(spot.entry).length ? 0 : members.map(({ id }) => id),
      passes.map(({ pass }) => pass),
      here.context,
      here.done,
    ]);
    if (seen.has(key)) return;
    seen.add(key);
    noteArrival(spot, members, here);
    arrivals.push({ spot, members, passes, state: here });
  }

  const namesUsedAfter = new Map<number, readonly string[]>();

  /** The variables that conditions from there on still read. */
  function relevantContext(leaf: number, context: Values): Values {
    const names =
      namesUsedAfter.get(leaf) ??
      tracked.variables.filter(({ until }) => until >= leaf).map(({ name }) => name);
    namesUsedAfter.set(leaf, names);
    const isSet = (name: string) => context[name] !== UNSET;
    return Object.fromEntries(names.filter(isSet).map((name) => [name, context[name]]));
  }

  function noteArrival(
    { entry }: Spot,
    members: readonly Step[],
    { done, trail, context }: PathState,
  ): void {
    for (const { id, inputs } of members) {
      noteFirst(facts.reached, id, trail);
      for (const input of inputs) {
        if (input.kind !== 'file') continue;
        const { fromStep } = input;
        const isThere = done.includes(fromStep) || done.includes(`${fromStep}~`);
        noteSource(facts.inputs, id, fromStep, isThere, trail);
      }
    }
    if (entry.kind !== 'steps' && entry.kind !== 'loop')
      noteFirst(facts.reached, entry.name, trail);
    if (entry.kind === 'run') {
      for (const name of readByRuns) {
        noteSource(facts.runs, entry.name, name, Object.hasOwn(context, name), trail);
      }
    }
    if (entry.kind !== 'approve') return;
    const shown = facts.shown.get(entry.name) ?? new Set();
    facts.shown.set(entry.name, shown);
    for (const { step } of entry.show) if (done.includes(step)) shown.add(step);
  }

  function leave({ spot, members, passes, state }: Arrival): void {
    const { entry } = spot;
    switch (entry.kind) {
      case 'steps':
      case 'for_each': {
        const done = afterWork(tracked, spot, members, state);
        isTooMuch ||= done === null;
        for (const on of done ?? []) after(spot, passes, on);
        return;
      }
      case 'run':
        after(spot, passes, withEvent(state, { what: 'ran', name: entry.name }));
        return;
      case 'approve': {
        after(spot, passes, withEvent(state, { what: 'approved', name: entry.name }));
        const target = layout.byName.get(entry.onReject?.goTo ?? '');
        if (target === undefined) return;
        const back = withEvent(state, { what: 'rejected', name: entry.name });
        const kept = state.done.filter((id) => {
          const at = layout.byName.get(stepOf(id));
          return at !== undefined && at.order < target.order;
        });
        // Steps of the loop before the target still count, in any pass.
        const around = target.loops.map(
          (loop) => passes.find((pass) => pass.loop === loop) ?? { loop, pass: 1 },
        );
        backTo(target, around, { ...back, done: kept });
        return;
      }
      default:
        after(spot, passes, state);
    }
  }

  /** To the target of a rejection; `when` is not evaluated there. */
  function backTo(spot: Spot, passes: readonly Pass[], state: PathState): PathState | null {
    const { entry } = spot;
    if (isLoop(spot)) {
      const inside = [...passes, { loop: spot, pass: 1 }];
      const on = backTo(spot.first, inside, state);
      return on === null ? null : firstOf(spot.first.next, inside, on);
    }
    if (entry.kind === 'for_each') return enterForEach(entry, spot, passes, state);
    if (entry.kind !== 'steps') return enter(spot, passes, state);
    arrive({ spot, members: entry.steps, passes, state });
    return null;
  }

  const starts = startsOf(workflow, tracked, maxStates);
  isTooMuch = starts === null;
  for (const state of starts ?? []) {
    const on = firstOf(layout.spots[0] ?? null, [], state);
    if (on !== null) facts.ended ??= on.trail;
  }
  for (let at = 0; at < arrivals.length && !isTooMuch; at += 1) {
    leave(arrivals[at] as Arrival);
    isTooMuch ||= arrivals.length > maxStates;
  }
  facts.complete = !isTooMuch;
  return facts;
}

function noteFirst(facts: Map<string, Trail>, name: string, trail: Trail): void {
  if (!facts.has(name)) facts.set(name, trail);
}
