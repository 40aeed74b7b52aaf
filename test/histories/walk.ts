// The reference's walk of a workflow: a path of indexes that is moved like the hands of a clock. What
// a move needs to know comes with the call; what it cannot do throws `No`.

import type { Entry, LoopEntry } from '../../src/core/workflow.ts';
import { type Found, nestedId, STILL_RED } from './calls.ts';
import {
  applies,
  baseOf,
  copyOf,
  entryAt,
  handedIn,
  listAt,
  loopsAround,
  type Model,
  type ModelSession,
  No,
  newStep,
  workflowOf,
} from './model.ts';

interface Walk {
  readonly model: Model;
  readonly session: ModelSession;
  readonly found: Found;
}

/** Every name of work at an entry and in it: steps, approvals and runs. */
function workIn(entry: Entry): string[] {
  switch (entry.kind) {
    case 'steps':
      return entry.steps.map(({ id }) => id);
    case 'for_each':
      return [entry.step.id];
    case 'loop':
      return entry.entries.flatMap(workIn);
    default:
      return [entry.name];
  }
}

function clear({ steps }: ModelSession, names: readonly string[]): void {
  for (const id of [...steps.keys()]) if (names.includes(baseOf(id))) steps.delete(id);
}

/** Stands at the entry of the path if there is something to do; `asked`: `when` counts. */
function stand({ model, session, found }: Walk, asked: boolean): boolean {
  const entry = entryAt(model, session);
  const { context } = session;
  let members: string[] = [];
  if (entry.kind === 'steps') {
    members = entry.steps.filter((step) => !asked || applies(step, context)).map(({ id }) => id);
  } else if (entry.kind === 'for_each') {
    if (asked && !applies(entry.step, context)) return false;
    if (handedIn(session, entry.items).length === 0) throw new No('items_invalid', entry.name);
    const count = found.items[entry.name] ?? 0;
    members = Array.from({ length: count }, (_, index) => `${entry.step.id}#${index + 1}`);
  } else if (entry.kind !== 'loop') members = [entry.name];
  if (members.length === 0) return false;
  session.members = members;
  session.arrival += 1;
  session.limit = null;
  session.feedback = null;
  session.runs = null;
  if (entry.kind === 'run') {
    const id = nestedId(session.id, session.arrival);
    // Whatever would prevent its start refuses the call that leads here.
    if (!openSession(model, blank(id, entry.job), found)) throw new No('workflow_empty');
    session.runs = { id, aborted: false };
  }
  for (const id of members) session.steps.set(id, newStep());
  return true;
}

/** Into the entry of the path, down to where something is done; false: nothing applies. */
function enter(walk: Walk, asked: boolean): boolean {
  const { model, session } = walk;
  const entry = entryAt(model, session);
  if (entry.kind !== 'loop') return stand(walk, asked);
  session.passes.set(entry.name, { pass: 1, said: null });
  if (asked) clear(session, workIn(entry));
  return enterPass(walk, entry, asked);
}

function enterPass(walk: Walk, loop: LoopEntry, asked: boolean): boolean {
  const { session } = walk;
  const depth = session.path.length;
  for (const index of loop.entries.keys()) {
    session.path = [...session.path.slice(0, depth), index];
    if (enter(walk, asked || index > 0)) return true;
  }
  session.path = session.path.slice(0, depth);
  return false;
}

/** To the first entry with something to do; false if there is none. */
export function openSession(model: Model, session: ModelSession, found: Found): boolean {
  for (const index of workflowOf(model, session).entries.keys()) {
    session.path = [index];
    if (enter({ model, session, found }, true)) return true;
  }
  return false;
}

/** On from the entry of the path, which is done, or from a loop as a whole. */
export function goOn(model: Model, session: ModelSession, found: Found): void {
  const from = copyOf(session);
  const walk = { model, session, found };
  for (;;) {
    const depth = session.path.length - 1;
    const list = listAt(model, session, depth);
    for (let index = (session.path[depth] as number) + 1; index < list.length; index += 1) {
      session.path = [...session.path.slice(0, depth), index];
      if (enter(walk, true)) return;
    }
    if (depth === 0) {
      Object.assign(session, { status: 'completed', path: from.path, passes: from.passes });
      return;
    }
    session.path = session.path.slice(0, depth);
    const loop = entryAt(model, session) as LoopEntry;
    const pass = session.passes.get(loop.name)?.pass as number;
    const outcome = judgeUntil(walk, loop);
    if (outcome === 'done') continue;
    if (outcome === 'cannot_tell') throw new No('loop_undecided', loop.name);
    const said = loop.until.kind === 'when' ? undefined : STILL_RED;
    if (pass >= loop.max || !oneMore(walk, loop, pass, said)) {
      waitForPerson(session, from, { loop: loop.name, pass, said });
    }
    return;
  }
}

/** False, with nothing changed, if nothing applies in the next pass. */
function oneMore(walk: Walk, loop: LoopEntry, pass: number, said: string | undefined): boolean {
  const { session } = walk;
  const before = copyOf(session);
  session.passes.set(loop.name, { pass: pass + 1, said });
  clear(session, workIn(loop));
  if (enterPass(walk, loop, true)) return true;
  Object.assign(session, before);
  return false;
}

/** Everything stays as it was, but for what the call itself has done. */
function waitForPerson(
  session: ModelSession,
  { path, passes, steps }: ModelSession,
  limit: NonNullable<ModelSession['limit']>,
): void {
  Object.assign(session, { path, passes, steps, limit, feedback: [limit.loop] });
}

function judgeUntil({ session, found }: Walk, { name, until }: LoopEntry) {
  if (until.kind === 'when') {
    return applies({ when: until.condition }, session.context) ? 'done' : 'not_yet';
  }
  if (until.kind === 'rules') {
    const { output } = until;
    // A list without paths is no output.
    const paths = handedIn(session, output).flatMap(({ outputs }) => outputs[output.output]);
    if (paths.length === 0) return 'cannot_tell';
  }
  return found.untils[name] ?? 'done';
}

/** How a person lets a loop continue that is not done. */
export function answerLoop(
  model: Model,
  session: ModelSession,
  choice: 'one_more' | 'go_on',
  words: string | null,
  found: Found,
): void {
  const { loop: name, pass, said } = session.limit as NonNullable<ModelSession['limit']>;
  const from = copyOf(session);
  const walk = { model, session, found };
  const depth = loopsAround(model, session).findIndex((loop) => loop.name === name);
  session.path = session.path.slice(0, depth + 1);
  session.limit = null;
  session.feedback = null;
  if (choice === 'go_on') {
    goOn(model, session, found);
    // If an outer loop has to wait, it stands where it stood, not at the inner loop.
    if (session.limit !== null || session.status === 'completed') {
      Object.assign(session, { path: from.path, passes: from.passes });
    }
  } else if (!oneMore(walk, entryAt(model, session) as LoopEntry, pass, words ?? said)) {
    waitForPerson(session, from, { loop: name, pass, said: words ?? said });
  }
  if (session.limit === null && session.status === 'active') {
    session.feedback = words === null ? null : [words];
  }
}

/** Where each name stands, as a path. */
export function pathsOf(
  list: readonly Entry[],
  above: readonly number[] = [],
): [string, number[]][] {
  return list.flatMap((entry, index): [string, number[]][] => {
    const path = [...above, index];
    const names = entry.kind === 'steps' ? [] : [entry.name];
    if (entry.kind === 'loop') return [[entry.name, path], ...pathsOf(entry.entries, path)];
    return [...new Set([...names, ...workIn(entry)])].map((name) => [name, path]);
  });
}

export function placeOf(model: Model, session: ModelSession, name: string): number[] | null {
  const paths = pathsOf(workflowOf(model, session).entries);
  return paths.find(([each]) => each === name)?.[1] ?? null;
}

/** Back to a name; what was cleared, sorted. */
export function goBack(model: Model, session: ModelSession, name: string, found: Found): string[] {
  const { entries } = workflowOf(model, session);
  const paths = pathsOf(entries);
  const item = paths.find(([each]) => each === baseOf(name) && isOfItems(entries, each));
  const target = placeOf(model, session, name) ?? item?.[1];
  if (target === undefined) throw new No('step_not_found', name);
  if (isBefore(session.path, target)) throw new No('step_ahead', name);
  const begun = new Set([...session.steps.keys()].map(baseOf));
  const work = new Set(entries.flatMap(workIn));
  const cleared = paths
    .filter(([each, path]) => work.has(each) && !isBefore(path, target))
    .map(([each]) => each)
    .filter((each) => begun.has(each) || each === name);
  const running = new Set(loopsAround(model, session).map((loop) => loop.name));
  session.path = [...target];
  for (const loop of loopsAround(model, session)) {
    if (!running.has(loop.name)) session.passes.set(loop.name, { pass: 1, said: null });
  }
  clear(session, cleared);
  session.last = null;
  if (!enter({ model, session, found }, false)) throw new No('step_empty', name);
  return cleared.sort();
}

/** Whether a step is done once for each item of a list. */
function isOfItems(entries: readonly Entry[], id: string): boolean {
  return entries.some((entry) =>
    entry.kind === 'loop'
      ? isOfItems(entry.entries, id)
      : entry.kind === 'for_each' && entry.step.id === id,
  );
}

/** In the file. A loop comes before what is in it. */
export function isBefore(one: readonly number[], other: readonly number[]): boolean {
  for (const [depth, index] of other.entries()) {
    const mine = one[depth];
    if (mine === undefined) return true;
    if (mine !== index) return mine < index;
  }
  return false;
}

/** One that has not arrived anywhere yet. */
export function blank(id: string, job: string): ModelSession {
  return {
    ...{ id, job, owner: '', process: '', parent: null, isRun: false, status: 'active' },
    ...{ abortReason: null, abortedBy: null, reopened: false, news: null, context: {} },
    ...{ path: [-1], passes: new Map(), arrival: 0, members: [], steps: new Map() },
    ...{ limit: null, feedback: null, runs: null, approvals: new Map(), last: null, accepted: [] },
  };
}
