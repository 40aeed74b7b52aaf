// Where a session goes when nothing is left to do at its entry: into the next one, around a loop
// once more, out of it, or nowhere until a person has spoken. Loops nest, and an entry in which
// nothing applies is passed over, so one move may go through several.

import type { Context } from '../conditions.ts';
import { holds, missingVariables } from '../conditions.ts';
import { readVariable } from '../conditions-values.ts';
import { leavesOf, type Place, placeOf } from '../places.ts';
import type { Refusal } from '../refusal.ts';
import { shownUpTo } from '../wording.ts';
import {
  type Entry,
  type ForEachEntry,
  type LoopEntry,
  membersOf,
  type OutputRef,
  type RunEntry,
  type Step,
  type Workflow,
} from '../workflow.ts';
import type { UntilRecord } from './events.ts';
import { type Facts, type HandedIn, type Need, refuseForNeed } from './facts.ts';
import { itemId, noItems } from './for-each.ts';
import { cannotTell } from './refusals.ts';
import { runInputs } from './run-inputs.ts';
import type { EntryAt, LoopLimit, LoopPass, Position } from './state.ts';

/** What a move is made with. */
export interface Moving {
  readonly workflow: Workflow;
  /** With what the call adds to it. */
  readonly context: Context;
  readonly facts: Facts;
  /** What was handed in last, by the call itself or before; of each item, of a `for_each`. */
  readonly handedIn: (output: OutputRef) => readonly HandedIn[];
  /** The number of the arrival that comes next. */
  readonly arrival: number;
}

export interface Onward {
  readonly stop: Stop;
  /** Every step passed over on the way because its `when` was false. */
  readonly skipped: readonly string[];
  /** What was passed over and why, and which variables ahead are not set. */
  readonly warnings: readonly string[];
  readonly untils: readonly UntilRecord[];
}

export type Stop =
  | { readonly kind: 'at'; readonly position: Position }
  /** No entry is left: the workflow is complete. */
  | { readonly kind: 'end' }
  /** It stays where it is until a person has said what becomes of the loop. */
  | { readonly kind: 'limit'; readonly limit: LoopLimit }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** What a session that begins has to be told of what it passes over and what is not set. */
export function startWarnings(workflow: Workflow, context: Context): readonly string[] {
  return enterWorkflow({ workflow, context, facts: {}, handedIn: () => [], arrival: 1 }).warnings;
}

/** The first entry of the workflow that has something to do. */
export function enterWorkflow(moving: Moving): Onward {
  return travel(moving, (way) => way.firstOf(moving.workflow.entries, 0, [], null));
}

/** On from an entry, or from a loop as a whole; `loops`: those around it, with their passes. */
export function leaveEntry(moving: Moving, place: Place, loops: readonly LoopPass[]): Onward {
  return travel(moving, (way) => way.after(place, loops));
}

/** Around a loop once more; `loops` ends in the pass that is over. */
export function nextPass(
  moving: Moving,
  loop: Place,
  loops: readonly LoopPass[],
  said: string,
): Onward {
  return travel(moving, (way) => way.again(loop, loops, said));
}

/** To an entry that is gone back to, or to the first of a loop: `when` is not asked there. */
export function returnTo(moving: Moving, target: Place, loops: readonly LoopPass[]): Onward {
  return travel(moving, (way) => way.backTo(target.entry, target.entryIndex, loops));
}

interface Way {
  firstOf(
    list: readonly Entry[],
    from: number,
    loops: readonly LoopPass[],
    top: number | null,
  ): Stop;
  after(place: Place, loops: readonly LoopPass[]): Stop;
  again(loop: Place, loops: readonly LoopPass[], said: string): Stop;
  backTo(entry: Entry, entryIndex: number, loops: readonly LoopPass[]): Stop;
}

const END: Stop = { kind: 'end' };

function travel(moving: Moving, go: (way: Way) => Stop): Onward {
  const { workflow, context, facts, arrival } = moving;
  const skipped: string[] = [];
  const warnings: string[] = [];
  const untils: UntilRecord[] = [];
  /** What a pass that begins on the way will have of its own, and has not yet. */
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
      const stop = come(list[at] as Entry, top ?? at, loops);
      if (stop.kind !== 'end') return stop;
    }
    return END;
  }

  function come(entry: Entry, entryIndex: number, loops: readonly LoopPass[]): Stop {
    const arriveWith = (members: readonly string[], left: readonly string[], at?: EntryAt) =>
      stopAt(entryIndex, members, left, loops, at);
    switch (entry.kind) {
      case 'steps': {
        const members = entry.steps.filter((step) => isEligible(step, context));
        const left = passOver(entry.steps.filter((step) => !members.includes(step)));
        const ids = members.map((step) => step.id);
        return ids.length === 0 ? END : arriveWith(ids, left);
      }
      case 'for_each':
        if (isEligible(entry.step, context)) return comeToItems(entry, entryIndex, loops);
        passOver([entry.step]);
        return END;
      case 'loop':
        return firstOf(entry.entries, 0, [...loops, { name: entry.name, pass: 1 }], entryIndex);
      case 'approve':
        return arriveWith([entry.name], [], { kind: 'approve', name: entry.name });
      case 'run':
        return comeToRun(entry, entryIndex, loops);
    }
  }

  function comeToItems(entry: ForEachEntry, entryIndex: number, loops: readonly LoopPass[]): Stop {
    const { name, step } = entry;
    const [output] = handedIn(entry.items);
    if (output === undefined) return { kind: 'refused', refusal: noItems(entry) };
    const items = own(facts.items, name);
    if (items === undefined) return needs({ kind: 'items', entry, output });
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

  function comeToRun(entry: RunEntry, entryIndex: number, loops: readonly LoopPass[]): Stop {
    const { name } = entry;
    const session = own(facts.runs, name);
    if (session === undefined) {
      return needs({ kind: 'run', entry, given: runInputs(entry, context, handedIn) });
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
    return stop.kind === 'end' && parent !== null ? passIsOver(parent, loops) : stop;
  }

  /** `loops` ends in the loop's own pass. */
  function passIsOver(place: Place, loops: readonly LoopPass[]): Stop {
    const loop = place.entry as LoopEntry;
    const { pass } = loops.at(-1) as LoopPass;
    const outcome = untilOf(loop, pass);
    switch (outcome.kind) {
      case 'need':
        return needs(outcome.need);
      case 'cannot_tell':
        return { kind: 'refused', refusal: cannotTell(loop.name, outcome.why) };
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
    if (until.kind === 'rules' && output.length === 0) {
      const ref = `${until.output.step}.${until.output.output}`;
      return { kind: 'cannot_tell', why: `${ref} was not handed in in this pass` } as const;
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
    // A pass with nothing to do would change nothing, and so would all the others.
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
        return comeToItems(entry, entryIndex, loops);
      case 'loop': {
        const inside = [...loops, { name: entry.name, pass: 1 }];
        const [first, ...others] = entry.entries;
        const stop = first === undefined ? END : backTo(first, entryIndex, inside);
        return stop.kind === 'end' ? firstOf(others, 0, inside, entryIndex) : stop;
      }
      default:
        return come(entry, entryIndex, loops);
    }
  }

  function passOver(steps: readonly Step[]): readonly string[] {
    const ids = steps.map((step) => step.id);
    skipped.push(...ids);
    warnings.push(...steps.map((step) => whySkipped(step, context)));
    return ids;
  }

  const stop = go({ firstOf, after, again, backTo });
  if (stop.kind === 'at') warnings.push(...unsetAfter(workflow, stop.position, context));
  return { stop, skipped, warnings, untils };
}

function needs(need: Need): Stop {
  return { kind: 'refused', refusal: refuseForNeed(need) };
}

function own<T>(facts: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return facts !== undefined && Object.hasOwn(facts, name) ? facts[name] : undefined;
}

const MAX_VALUE = 60;
const MAX_VALUES = 300;

function whySkipped(step: Step, context: Context): string {
  const names = unsetIn(step, context);
  if (names !== null) {
    return `Step '${step.id}' was skipped: it depends on ${names}, which is not set in \`context\`.`;
  }
  const why = valuesIn(step.when?.variables ?? [], context);
  return `Step '${step.id}' was skipped: its condition does not hold${why}.`;
}

type Variables = NonNullable<Step['when']>['variables'];

/** What a condition looks at, in brackets with a blank in front; nothing if that is nothing. */
function valuesIn(variables: Variables, context: Context): string {
  const values = variables.map((variable) => {
    const value = JSON.stringify(readVariable(variable, context)) ?? 'not set';
    return `${variable.name} is ${shownUpTo(value, MAX_VALUE)}`;
  });
  return values.length === 0 ? '' : ` (${shownUpTo(values.join(', '), MAX_VALUES)})`;
}

/**
 * Steps that the next move may come to and whose `when` asks for variables that are not
 * set: while the step before them is being done they can still be given.
 */
function unsetAfter(workflow: Workflow, { members, at }: Position, context: Context): string[] {
  const texts: string[] = [];
  const leaves = leavesOf(workflow);
  const here = placeOf(workflow, at?.name ?? members[0] ?? '');
  for (let next = (here?.leaf ?? -1) + 1; next < leaves.length; next += 1) {
    const { entry } = leaves[next] as Place;
    let isCertain = entry.kind === 'approve' || entry.kind === 'run';
    for (const step of membersOf(entry)) {
      const names = unsetIn(step, context);
      const runs = isEligible(step, context);
      if (names === null) isCertain ||= runs;
      else {
        texts.push(
          `Step '${step.id}' depends on ${names}, which is not set in \`context\`. Give it as \`context\` with finished_step; otherwise the step ${runs ? 'runs' : 'is skipped'}.`,
        );
      }
    }
    if (isCertain) break;
  }
  return texts;
}

/** The variables of its `when` that are not set, in words; null if there are none. */
function unsetIn({ when }: Step, context: Context): string | null {
  const missing = when === null ? [] : missingVariables(when, context);
  return missing.length === 0 ? null : missing.map((name) => `'${name}'`).join(', ');
}

export function isEligible({ when }: Step, context: Context): boolean {
  return when === null || holds(when, context);
}
