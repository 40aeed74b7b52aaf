// Walks every path through a workflow, over all values that its conditions can tell apart, and
// notes what it sees. It goes from entry to entry by the rules of `core/session/onward.ts`; a test
// compares the two on thousands of workflows.
//
// A path is what declared inputs and reports, undeclared context, the outcome of checks, lists
// with and without items, and what a person says at a gate can bring about. That an agent goes
// back with go_to_step, or gives a declared report with the context of another step, is none.

import { holds } from '../../core/conditions.ts';
import type { Values } from '../../core/proof.ts';
import type { ForEachEntry, Job, Step, Workflow } from '../../core/workflow.ts';
import { isBare, UNSET } from './domains.ts';
import { noFacts, noteAsked, noteSource, type WorkflowFacts } from './facts.ts';
import { isLoop, type LoopSpot, layOut, type Spot } from './layout.ts';
import type { Trail } from './path-events.ts';
import { stepsAt, trackedIn } from './tracked.ts';
import { afterWork, happens, startsOf, type World, withDone } from './worlds.ts';

interface Pass {
  readonly loop: LoopSpot;
  /** Counted up to `max`. */
  readonly pass: number;
  /** Begun on the way to the next arrival. */
  readonly isNew: boolean;
}

interface Arrival {
  readonly spot: Spot;
  readonly members: readonly Step[];
  readonly passes: readonly Pass[];
  readonly world: World;
}

/** More states than this are not walked: whoever reads the facts has to look at `complete`. */
const MAX_STATES = 40_000;

export function walk(job: Job, workflow: Workflow, maxStates = MAX_STATES): WorkflowFacts {
  const layout = layOut(workflow);
  const tracked = trackedIn(job, layout);
  const facts = noFacts();
  const inputNames = new Set(job.workflows.flatMap((each) => (each.inputs ?? []).map(nameOf)));
  const reporters = optionalReporters(layout.spots);
  const seen = new Set<string>();
  const arrivals: Arrival[] = [];
  let isTooMuch = false;

  function firstOf(from: Spot | null, passes: readonly Pass[], world: World): World | null {
    let here = world;
    for (let spot = from; spot !== null; spot = spot.next) {
      const on = come(spot, passes, here);
      if (on === null) return null;
      here = on;
    }
    return here;
  }

  /** The world with which it goes on if there is nothing to do; null: it stops here. */
  function come(spot: Spot, passes: readonly Pass[], world: World): World | null {
    const { entry } = spot;
    switch (entry.kind) {
      case 'steps': {
        const members = entry.steps.filter((step) => applies(step, world));
        const left = entry.steps.filter((step) => !members.includes(step));
        const on = left.reduce((at, { id }) => happens(at, { what: 'skipped', name: id }), world);
        if (members.length === 0) return on;
        arrive({ spot, members, passes, world: on });
        return null;
      }
      case 'for_each':
        if (applies(entry.step, world)) return comeToItems(entry, spot, passes, world);
        return happens(world, { what: 'skipped', name: entry.step.id });
      case 'loop': {
        if (!isLoop(spot)) return world;
        return firstOf(spot.first, [...passes, { loop: spot, pass: 1, isNew: true }], world);
      }
      case 'approve':
      case 'run':
        arrive({ spot, members: [], passes, world });
        return null;
    }
  }

  function comeToItems(
    entry: ForEachEntry,
    spot: Spot,
    passes: readonly Pass[],
    world: World,
  ): World | null {
    if (!world.done.includes(entry.items.step)) {
      noteFirst(facts.stuck, entry.name, world.trail);
      return null;
    }
    arrive({ spot, members: [entry.step], passes, world });
    const empty = happens(world, { what: 'no_items', name: entry.name });
    return { ...empty, done: withDone(empty.done, `${entry.step.id}~`) };
  }

  function applies(step: Step, world: World): boolean {
    const { when, id } = step;
    if (when === null) return true;
    const { context, trail, done } = world;
    const isHeld = holds(when, context);
    const excused = (name: string) => isExcused(isBare(when, name), name, done);
    noteAsked(facts.whens, id, when, context, trail, isHeld, excused, tracked.allAlike);
    return isHeld;
  }

  /** Nothing is odd about asking whether something is given that need not be given. */
  function isExcused(bare: boolean, name: string, done: readonly string[]): boolean {
    if (!bare) return false;
    return inputNames.has(name) || (reporters.get(name) ?? []).some((id) => done.includes(id));
  }

  function after(spot: Spot, passes: readonly Pass[], world: World): void {
    const on = firstOf(spot.next, passes, world);
    if (on === null) return;
    const loop = spot.loops.at(-1);
    if (loop === undefined) facts.ended ??= on.trail;
    else passIsOver(loop, passes, on);
  }

  /** `passes` ends in the loop's own. */
  function passIsOver(loop: LoopSpot, passes: readonly Pass[], world: World): void {
    const { name, max } = loop.entry;
    const outcomes = untilOf(loop, world);
    if (outcomes.includes(true)) {
      after(loop, passes.slice(0, -1), happens(world, { what: 'until_done', name }));
    }
    if (!outcomes.includes(false)) return;
    const on = happens(world, { what: 'until_not_yet', name });
    if ((passes.at(-1)?.pass ?? 1) >= max) limit(loop, passes, on);
    else if (!again(loop, passes, on)) limit(loop, passes, on);
  }

  function untilOf({ entry: { name, until } }: LoopSpot, world: World): readonly boolean[] {
    switch (until.kind) {
      case 'check':
        return [true, false];
      case 'when': {
        const { context, trail, done } = world;
        const isHeld = holds(until.condition, context);
        const excused = (variable: string) =>
          isExcused(isBare(until.condition, variable), variable, done);
        const { condition } = until;
        noteAsked(facts.untils, name, condition, context, trail, isHeld, excused, tracked.allAlike);
        return [isHeld];
      }
      case 'rules':
        if (world.done.includes(until.output.step)) return [true, false];
        // A list without items is a matter of the data.
        if (!world.done.includes(`${until.output.step}~`)) {
          noteFirst(facts.stuck, name, world.trail);
        }
        return [];
    }
  }

  /** No pass is left: a person says how it goes on. */
  function limit(loop: LoopSpot, passes: readonly Pass[], world: World): void {
    const { name } = loop.entry;
    after(loop, passes.slice(0, -1), happens(world, { what: 'went_on', name }));
    again(loop, passes, happens(world, { what: 'one_pass_more', name }));
  }

  /** False: on some path there is nothing to do in one more pass. */
  function again(loop: LoopSpot, passes: readonly Pass[], world: World): boolean {
    const pass = Math.min((passes.at(-1)?.pass ?? 1) + 1, loop.entry.max);
    const inside = [...passes.slice(0, -1), { loop, pass, isNew: true }];
    return firstOf(loop.first, inside, world) === null;
  }

  function arrive({ spot, members, passes, world }: Arrival): void {
    const begun = passes.find(({ isNew }) => isNew)?.loop;
    const isOver = (id: string) => begun?.steps.some((step) => step.id === id.replace('~', ''));
    const here = {
      trail: world.trail,
      done: world.done.filter(
        (id) => tracked.doneUntil(id.replace('~', '')) >= spot.leaf && !isOver(id),
      ),
      context: whatMatters(spot.leaf, world.context),
    };
    const key = JSON.stringify([
      spot.order,
      members.length === stepsAt(spot.entry).length ? 0 : members.map(({ id }) => id),
      passes.map(({ pass }) => pass),
      here.context,
      here.done,
    ]);
    if (seen.has(key)) return;
    seen.add(key);
    notice(spot, members, here);
    const begunBefore = passes.map((pass) => (pass.isNew ? { ...pass, isNew: false } : pass));
    arrivals.push({ spot, members, passes: begunBefore, world: here });
  }

  const mattering = new Map<number, readonly string[]>();

  /** What some condition from there on still asks for. */
  function whatMatters(leaf: number, context: Values): Values {
    const names =
      mattering.get(leaf) ??
      tracked.variables.filter(({ until }) => until >= leaf).map(({ name }) => name);
    mattering.set(leaf, names);
    const isSet = (name: string) => context[name] !== UNSET;
    return Object.fromEntries(names.filter(isSet).map((name) => [name, context[name]]));
  }

  function notice({ entry }: Spot, members: readonly Step[], { done, trail }: World): void {
    for (const { id, inputs } of members) {
      noteFirst(facts.reached, id, trail);
      for (const input of inputs) {
        if (input.kind !== 'file') continue;
        const { fromStep } = input;
        const isThere = done.includes(fromStep) || done.includes(`${fromStep}~`);
        noteSource(facts, id, fromStep, isThere, trail);
      }
    }
    if (entry.kind !== 'steps' && entry.kind !== 'loop')
      noteFirst(facts.reached, entry.name, trail);
    if (entry.kind !== 'approve') return;
    const shown = facts.shown.get(entry.name) ?? new Set();
    facts.shown.set(entry.name, shown);
    for (const { step } of entry.show) if (done.includes(step)) shown.add(step);
  }

  function leave({ spot, members, passes, world }: Arrival): void {
    const { entry } = spot;
    switch (entry.kind) {
      case 'steps':
      case 'for_each':
        for (const on of work(spot, members, world)) after(spot, passes, on);
        return;
      case 'run':
        after(spot, passes, happens(world, { what: 'ran', name: entry.name }));
        return;
      case 'approve': {
        after(spot, passes, happens(world, { what: 'approved', name: entry.name }));
        const target = layout.byName.get(entry.onReject?.goTo ?? '');
        if (target === undefined) return;
        const back = happens(world, { what: 'rejected', name: entry.name });
        const kept = world.done.filter((id) => {
          const at = layout.byName.get(id.replace('~', ''));
          return at !== undefined && at.order < target.order;
        });
        // What was done in the loop before the target still counts, whatever the pass.
        const around = target.loops.map(
          (loop) => passes.find((pass) => pass.loop === loop) ?? { loop, pass: 1, isNew: false },
        );
        backTo(target, around, { ...back, done: kept });
        return;
      }
      case 'loop':
        return;
    }
  }

  function work(spot: Spot, members: readonly Step[], world: World): readonly World[] {
    const after = afterWork(tracked, spot, members, world);
    isTooMuch ||= after === null;
    return after ?? [];
  }

  /** To where a rejection leads: no step is asked there whether it applies. */
  function backTo(spot: Spot, passes: readonly Pass[], world: World): World | null {
    const { entry } = spot;
    if (isLoop(spot)) {
      const inside = [...passes, { loop: spot, pass: 1, isNew: true }];
      const on = backTo(spot.first, inside, world);
      return on === null ? null : firstOf(spot.first.next, inside, on);
    }
    if (entry.kind === 'for_each') return comeToItems(entry, spot, passes, world);
    if (entry.kind !== 'steps') return come(spot, passes, world);
    arrive({ spot, members: entry.steps, passes, world });
    return null;
  }

  const starts = startsOf(workflow, tracked, maxStates);
  isTooMuch = starts.length > maxStates;
  for (const world of isTooMuch ? [] : starts) {
    const on = firstOf(layout.spots[0] ?? null, [], world);
    if (on !== null) facts.ended ??= on.trail;
  }
  for (let at = 0; at < arrivals.length && !isTooMuch; at += 1) {
    leave(arrivals[at] as Arrival);
    isTooMuch ||= arrivals.length > maxStates;
  }
  facts.complete = !isTooMuch;
  return facts;
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function noteFirst(facts: Map<string, Trail>, name: string, trail: Trail): void {
  if (!facts.has(name)) facts.set(name, trail);
}

/** By variable: the steps that may report it and need not. */
function optionalReporters(spots: readonly Spot[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { entry } of spots) {
    for (const { id, reports = [] } of stepsAt(entry)) {
      for (const { name, required, default: initial } of reports) {
        if (required || initial !== null) continue;
        found.set(name, [...(found.get(name) ?? []), id]);
      }
    }
  }
  return found;
}
