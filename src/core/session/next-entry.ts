// Where a session goes when its entry is complete: to the next entry, into another pass of a loop,
// out of the loop, or nowhere until a person decides. Loops nest, and entries in which nothing
// applies are skipped, so one move may pass several entries.

import { type Context, holds, missingVariables } from '../conditions.ts';
import { readVariable } from '../conditions-values.ts';
import { type RefusedCall, refused } from '../decision.ts';
import { leavesOf, type Place, placeOf } from '../places.ts';
import { shownUpTo } from '../wording.ts';
import {
  type Entry,
  type ForEachEntry,
  type LoopEntry,
  membersOf,
  type OutputRef,
  ownSteps,
  type RunEntry,
  type Step,
  type Workflow,
} from '../workflow.ts';
import type { UntilRecord } from './events.ts';
import { type Facts, type HandedIn, refuseForNeed } from './facts.ts';
import { itemId, noItems } from './for-each.ts';
import { cannotTell } from './refusals.ts';
import type { EntryAt, LoopLimit, LoopPass, Position } from './state.ts';

/** What a move depends on. */
export interface Moving {
  readonly workflow: Workflow;
  /** Including what the call adds to it. */
  readonly context: Context;
  readonly facts: Facts;
  /** The last submission of an output, by this call or before; for a `for_each`, of each item. */
  readonly handedIn: (output: OutputRef) => readonly HandedIn[];
  /** The number of the next arrival. */
  readonly arrival: number;
}

export interface Onward {
  readonly stop: Stop;
  /** Every step skipped on the way because its `when` was false. */
  readonly skipped: readonly string[];
  /** What was skipped and why, and which variables of later steps are not set. */
  readonly warnings: readonly string[];
  readonly untils: readonly UntilRecord[];
}

export type Stop =
  | { readonly kind: 'at'; readonly position: Position }
  /** No entry is left: the workflow is complete. */
  | { readonly kind: 'end' }
  /** The session stays until a person has decided how the loop continues. */
  | { readonly kind: 'limit'; readonly limit: LoopLimit }
  | RefusedCall;

/** The warnings for a new session: what is skipped first, and which variables are not set. */
export function startWarnings(workflow: Workflow, context: Context): readonly string[] {
  return enterWorkflow({ workflow, context, facts: {}, handedIn: () => [], arrival: 1 }).warnings;
}

/** To the first entry of the workflow that has something to do. */
export function enterWorkflow(moving: Moving): Onward {
  const { firstOf, end } = openWalk(moving);
  return end(firstOf(moving.workflow.entries, 0, [], null));
}

/** On from an entry, or from a loop as a whole. `loops`: the passes of the loops around it. */
export function leaveEntry(moving: Moving, place: Place, loops: readonly LoopPass[]): Onward {
  const { after, end } = openWalk(moving);
  return end(after(place, loops));
}

/** Into another pass of a loop; the last of `loops` is the pass that has ended. */
export function nextPass(
  moving: Moving,
  loop: Place,
  loops: readonly LoopPass[],
  said: string,
): Onward {
  const { again, end } = openWalk(moving);
  return end(again(loop, loops, said));
}

/** Back to an entry, or to the first one of a loop; `when` is not evaluated there. */
export function returnTo(moving: Moving, target: Place, loops: readonly LoopPass[]): Onward {
  const { backTo, end } = openWalk(moving);
  return end(backTo(target.entry, target.entryIndex, loops));
}

const END: Stop = { kind: 'end' };

/** Each function returns where the session stops, or `end` if the list it walks is exhausted. */
function openWalk(moving: Moving) {
  const { workflow, context, facts, arrival } = moving;
  const skipped: string[] = [];
  const warnings: string[] = [];
  const untils: UntilRecord[] = [];
  /** Steps of a pass that begins on the way: their earlier outputs do not count in it. */
  let notYet: readonly string[] = [];
  const handedIn = (output: OutputRef) =>
    notYet.includes(output.step) ? [] : moving.handedIn(output);

  function firstOf(
    list: readonly Entry[],
    from: number,
    loops: readonly LoopPass[],
    top: number | null,
  ): Stop {
    for (let at = from; at < list.length; at += 1) {
      const stop = enter(list[at] as Entry, top ?? at, loops);
      if (stop.kind !== 'end') return stop;
    }
    return END;
  }

  function enter(entry: Entry, entryIndex: number, loops: readonly LoopPass[]): Stop {
    const arriveWith = (members: readonly string[], left: readonly string[], at?: EntryAt) =>
      stopAt(entryIndex, members, left, loops, at);
    switch (entry.kind) {
      case 'steps': {
        const members = entry.steps.filter((step) => isEligible(step, context));
        const left = skip(entry.steps.filter((step) => !members.includes(step)));
        const ids = members.map((step) => step.id);
        return ids.length === 0 ? END : arriveWith(ids, left);
      }
      case 'for_each':
        if (isEligible(entry.step, context)) return enterForEach(entry, entryIndex, loops);
        skip([entry.step]);
        return END;
      case 'loop':
        return firstOf(entry.entries, 0, [...loops, { name: entry.name, pass: 1 }], entryIndex);
      case 'approve':
        return arriveWith([entry.name], [], { kind: 'approve', name: entry.name });
      case 'run':
        return enterRun(entry, entryIndex, loops);
    }
  }

  function enterForEach(entry: ForEachEntry, entryIndex: number, loops: readonly LoopPass[]): Stop {
    const { name, step } = entry;
    const [output] = handedIn(entry.items);
    if (output === undefined) return refused(noItems(entry));
    const items = own(facts.items, name);
    if (items === undefined) return refused(refuseForNeed({ kind: 'items', entry, output }));
    if (items.length === 0) {
      skipped.push(step.id);
      warnings.push(
        `'${name}' was skipped: ${entry.items.step}.${entry.items.output} lists no items.`,
      );
      return END;
    }
    const members = items.map((_, index) => itemId(step.id, index + 1));
    return stopAt(entryIndex, members, [], loops, { kind: 'for_each', name, items });
  }

  function enterRun(entry: RunEntry, entryIndex: number, loops: readonly LoopPass[]): Stop {
    const { name } = entry;
    const session = own(facts.runs, name);
    if (session === undefined) {
      const given = runInputs(entry, context, handedIn);
      return refused(refuseForNeed({ kind: 'run', entry, given }));
    }
    return stopAt(entryIndex, [name], [], loops, { kind: 'run', name, session });
  }

  function stopAt(
    entryIndex: number,
    members: readonly string[],
    left: readonly string[],
    loops: readonly LoopPass[],
    at?: EntryAt,
  ): Stop {
    const position = {
      entryIndex,
      members,
      skipped: left,
      arrival,
      ...(at !== undefined && { at }),
      ...(loops.length > 0 && { loops }),
    };
    return { kind: 'at', position };
  }

  function after(place: Place, loops: readonly LoopPass[]): Stop {
    const { parent } = place;
    const top = parent === null ? null : place.entryIndex;
    const stop = firstOf(place.list, place.index + 1, loops, top);
    return stop.kind === 'end' && parent !== null ? endPass(parent, loops) : stop;
  }

  /** The last of `loops` is the loop's own pass. */
  function endPass(place: Place, loops: readonly LoopPass[]): Stop {
    const loop = place.entry as LoopEntry;
    const { pass } = loops.at(-1) as LoopPass;
    const outcome = untilOf(loop, pass);
    switch (outcome.kind) {
      case 'need':
        return refused(refuseForNeed(outcome.need));
      case 'cannot_tell':
        return refused(cannotTell(loop.name, outcome.why));
      case 'done':
        untils.push({ loop: loop.name, pass, done: true });
        return after(place, loops.slice(0, -1));
      case 'not_yet': {
        const { said } = outcome;
        untils.push({ loop: loop.name, pass, done: false, said });
        const limit = { loop: loop.name, pass, said };
        return pass >= loop.max ? { kind: 'limit', limit } : again(place, loops, said);
      }
    }
  }

  function untilOf(loop: LoopEntry, pass: number) {
    const { until, name } = loop;
    if (until.kind === 'when') {
      if (holds(until.condition, context)) return { kind: 'done' } as const;
      const values = valuesIn(until.condition.variables, context);
      return { kind: 'not_yet', said: `The condition does not hold${values}.` } as const;
    }
    const known = own(facts.untils, name);
    if (known !== undefined) return known;
    const output = until.kind === 'rules' ? handedIn(until.output) : [];
    // A list without paths is no output either: no text would meet every rule.
    if (until.kind === 'rules' && output.every(({ paths }) => paths.length === 0)) {
      const ref = `${until.output.step}.${until.output.output}`;
      return { kind: 'cannot_tell', why: `${ref} was not submitted in this pass` } as const;
    }
    return { kind: 'need', need: { kind: 'until', loop, pass, output } } as const;
  }

  function again(place: Place, loops: readonly LoopPass[], said: string): Stop {
    const loop = place.entry as LoopEntry;
    const { pass } = loops.at(-1) as LoopPass;
    const [before, warned] = [skipped.length, warnings.length];
    const next = { name: loop.name, pass: pass + 1, said };
    const inside = [...loops.slice(0, -1), next];
    notYet = membersOf(loop).map((step) => step.id);
    const stop = firstOf(loop.entries, 0, inside, place.entryIndex);
    if (stop.kind !== 'end') return stop;
    // In a pass with nothing to do nothing changes, so further passes would not help either.
    skipped.length = before;
    warnings.length = warned;
    return { kind: 'limit', limit: { loop: loop.name, pass, said } };
  }

  function backTo(entry: Entry, entryIndex: number, loops: readonly LoopPass[]): Stop {
    switch (entry.kind) {
      case 'steps': {
        const members = entry.steps.map((step) => step.id);
        return stopAt(entryIndex, members, [], loops);
      }
      case 'for_each':
        return enterForEach(entry, entryIndex, loops);
      case 'loop': {
        const inside = [...loops, { name: entry.name, pass: 1 }];
        const [first, ...others] = entry.entries;
        const stop = first === undefined ? END : backTo(first, entryIndex, inside);
        return stop.kind === 'end' ? firstOf(others, 0, inside, entryIndex) : stop;
      }
      default:
        return enter(entry, entryIndex, loops);
    }
  }

  function skip(steps: readonly Step[]): readonly string[] {
    const ids = steps.map((step) => step.id);
    skipped.push(...ids);
    warnings.push(...steps.map((step) => whySkipped(step, context)));
    return ids;
  }

  function end(stop: Stop): Onward {
    if (stop.kind === 'at') warnings.push(...unsetAfter(workflow, stop.position, context));
    return { stop, skipped, warnings, untils };
  }

  return { firstOf, after, again, backTo, end };
}

/** The values for the inputs of a nested workflow, by name; those without a value are absent. */
export function runInputs(
  { inputs }: RunEntry,
  context: Context,
  handedIn: (output: OutputRef) => readonly HandedIn[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    inputs.flatMap((input): [string, unknown][] => {
      if ('value' in input) return [[input.name, input.value]];
      if ('output' in input) return handedIn(input.output).map(({ paths }) => [input.name, paths]);
      return Object.hasOwn(context, input.from) ? [[input.name, context[input.from]]] : [];
    }),
  );
}

function own<T>(facts: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return facts !== undefined && Object.hasOwn(facts, name) ? facts[name] : undefined;
}

const MAX_VALUE_LENGTH = 60;
const MAX_VALUES_LENGTH = 300;

function whySkipped(step: Step, context: Context): string {
  const names = unsetIn(step, context);
  if (names !== null) {
    return `Step '${step.id}' was skipped: it depends on ${notSet(names)}.`;
  }
  const why = valuesIn(step.when?.variables ?? [], context);
  return `Step '${step.id}' was skipped: its condition does not hold${why}.`;
}

type Variables = NonNullable<Step['when']>['variables'];

/** The values that a condition reads, in brackets after a space; empty if it reads none. */
function valuesIn(variables: Variables, context: Context): string {
  const values = variables.map((variable) => {
    const value = JSON.stringify(readVariable(variable, context)) ?? 'not set';
    return `${variable.name} is ${shownUpTo(value, MAX_VALUE_LENGTH)}`;
  });
  return values.length === 0 ? '' : ` (${shownUpTo(values.join(', '), MAX_VALUES_LENGTH)})`;
}

/**
 * Warns of steps that the next move may reach and whose `when` reads variables that are not set.
 * They can still be given with the current step. Required reports of the current steps are not
 * missing: the session does not move on without them.
 */
function unsetAfter(workflow: Workflow, { members, at }: Position, context: Context): string[] {
  const texts: string[] = [];
  const leaves = leavesOf(workflow);
  const here = placeOf(workflow, at?.name ?? members[0] ?? '');
  const current = here === null ? [] : ownSteps(here.entry);
  const reported = current
    .filter(({ id }) => at !== undefined || members.includes(id))
    .flatMap(({ reports = [] }) => reports.filter(({ required }) => required))
    .map(({ name }) => name);
  for (let next = (here?.leaf ?? -1) + 1; next < leaves.length; next += 1) {
    const { entry } = leaves[next] as Place;
    let isCertain = entry.kind === 'approve' || entry.kind === 'run';
    for (const step of membersOf(entry)) {
      const unset = unsetIn(step, context);
      const names = unset?.filter((name) => !reported.includes(name)) ?? [];
      const runs = isEligible(step, context);
      if (unset === null) isCertain ||= runs;
      else if (names.length > 0) {
        texts.push(
          `Step '${step.id}' depends on ${notSet(names)}. Give ${names.length === 1 ? 'it' : 'them'} as \`context\` with finished_step; otherwise the step ${runs ? 'runs' : 'is skipped'}.`,
        );
      }
    }
    if (isCertain) break;
  }
  return texts;
}

/** The variables of its `when` that are not set; null if there are none. */
function unsetIn({ when }: Step, context: Context): readonly string[] | null {
  const missing = when === null ? [] : missingVariables(when, context);
  return missing.length === 0 ? null : missing;
}

function notSet(names: readonly string[]): string {
  const list = names.map((name) => `'${name}'`).join(', ');
  return `${list}, which ${names.length === 1 ? 'is' : 'are'} not set in \`context\``;
}

export function isEligible({ when }: Step, context: Context): boolean {
  return when === null || holds(when, context);
}
