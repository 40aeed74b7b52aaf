// The reference for entries: what the contract says, in the most naive form. One session, plain
// mutable data, a path of indexes that is moved like the hands of a clock; none of the product's
// code.

import type { PlainStep } from '../definitions.ts';
import type { EntryCall, EntryFacts, Found, Submit } from './entry-calls.ts';
import type { PlainEntry, PlainLoop } from './plain-entries.ts';

interface Done {
  done: boolean;
  attempts: number;
  output: string | null;
  /** Others beside it had an output of that name. */
  shared: boolean;
  content: number;
  /** When it was done, in calls. */
  at: number;
}

export interface EntriesModel {
  entries: readonly PlainEntry[];
  status: 'active' | 'completed' | 'aborted';
  /** Indexes, outermost first; the last is that of the entry where it stands. */
  path: number[];
  passes: Map<string, { pass: number; said: string | null }>;
  arrival: number;
  members: string[];
  items: number;
  progress: Map<string, Done>;
  green: boolean;
  limit: { loop: string; pass: number; said: string } | null;
  feedback: string | null;
  runs: number;
  nestedAborted: boolean;
  approved: Set<string>;
  rejected: Map<string, string | null>;
  back: Map<string, number>;
  clock: number;
}

export function newEntriesModel(entries: readonly PlainEntry[]): EntriesModel {
  return {
    entries,
    status: 'active',
    path: [-1],
    passes: new Map(),
    arrival: 0,
    members: [],
    items: 0,
    progress: new Map(),
    green: false,
    limit: null,
    feedback: null,
    runs: 0,
    clock: 0,
    nestedAborted: false,
    approved: new Set(),
    rejected: new Map(),
    back: new Map(),
  };
}

/** A copy that can be thrown away: what is refused must leave nothing behind. */
function copyOf(model: EntriesModel): EntriesModel {
  const progress = new Map([...model.progress].map(([id, done]) => [id, { ...done }]));
  return {
    ...model,
    path: [...model.path],
    passes: new Map(model.passes),
    members: [...model.members],
    progress,
    approved: new Set(model.approved),
    rejected: new Map(model.rejected),
    back: new Map(model.back),
  };
}

class No extends Error {}

function listAt(model: EntriesModel, depth: number): readonly PlainEntry[] {
  let list = model.entries;
  for (let level = 0; level < depth; level += 1) {
    list = (list[model.path[level] as number] as PlainLoop).entries;
  }
  return list;
}

function entryAt(model: EntriesModel): PlainEntry {
  const depth = model.path.length - 1;
  return listAt(model, depth)[model.path[depth] as number] as PlainEntry;
}

function loopsAround(model: EntriesModel): PlainLoop[] {
  return model.path
    .slice(0, -1)
    .map((_, depth) => listAt(model, depth)[model.path[depth] as number] as PlainLoop);
}

function stepsIn(entry: PlainEntry): string[] {
  switch (entry.kind) {
    case 'steps':
      return entry.steps.map(({ id }) => id);
    case 'for_each':
      return [entry.step.id];
    case 'loop':
      return entry.entries.flatMap(stepsIn);
    default:
      return [entry.name];
  }
}

function baseOf(id: string): string {
  return id.split('#')[0] as string;
}

function clear(model: EntriesModel, steps: readonly string[]): void {
  for (const id of [...model.progress.keys()]) {
    if (steps.includes(baseOf(id))) model.progress.delete(id);
  }
}

function applies(step: PlainStep, model: EntriesModel): boolean {
  if (step.when === null) return true;
  return 'not' in step.when ? !model.green : model.green;
}

/** Stands at the entry of the path if there is something to do; `asked`: `when` counts. */
function stand(model: EntriesModel, found: Found, asked: boolean): boolean {
  const entry = entryAt(model);
  let members: string[];
  let items = 0;
  switch (entry.kind) {
    case 'loop':
      throw new Error('one stands in a loop, not at it');
    case 'steps':
      members = entry.steps.filter((step) => !asked || applies(step, model)).map(({ id }) => id);
      break;
    case 'for_each': {
      members = [];
      if (asked && !applies(entry.step, model)) break;
      if (model.progress.get(entry.items)?.done !== true) throw new No('items_invalid');
      items = found.items[entry.name] ?? 0;
      for (let index = 1; index <= items; index += 1) members.push(`${entry.step.id}#${index}`);
      break;
    }
    default:
      members = [entry.name];
  }
  if (members.length === 0) return false;
  if (entry.kind === 'run') model.runs += 1;
  model.nestedAborted = false;
  model.members = members;
  model.items = items;
  model.arrival += 1;
  model.limit = null;
  model.feedback = null;
  for (const id of members) {
    model.progress.set(id, {
      done: false,
      attempts: 0,
      output: null,
      shared: false,
      content: 0,
      at: 0,
    });
  }
  return true;
}

/** Into the entry of the path, down to where something is done; false: nothing applies. */
function enter(model: EntriesModel, found: Found, asked: boolean): boolean {
  const entry = entryAt(model);
  if (entry.kind !== 'loop') return stand(model, found, asked);
  model.passes.set(entry.name, { pass: 1, said: null });
  if (asked) clear(model, stepsIn(entry));
  return enterPass(model, entry, found, asked);
}

function enterPass(model: EntriesModel, loop: PlainLoop, found: Found, asked: boolean): boolean {
  const depth = model.path.length;
  for (const index of loop.entries.keys()) {
    model.path = [...model.path.slice(0, depth), index];
    if (enter(model, found, asked || index > 0)) return true;
  }
  model.path = model.path.slice(0, depth);
  return false;
}

/** On from the entry of the path, which is done, or from a loop as a whole. */
function goOn(model: EntriesModel, found: Found): void {
  const from = copyOf(model);
  for (;;) {
    const depth = model.path.length - 1;
    const list = listAt(model, depth);
    for (let index = (model.path[depth] as number) + 1; index < list.length; index += 1) {
      model.path = [...model.path.slice(0, depth), index];
      if (enter(model, found, true)) return;
    }
    if (depth === 0) {
      Object.assign(model, { status: 'completed', path: from.path, passes: from.passes });
      return;
    }
    model.path = model.path.slice(0, depth);
    const loop = entryAt(model) as PlainLoop;
    const pass = model.passes.get(loop.name)?.pass as number;
    const judged = judge(model, loop, found);
    if (judged === 'done') continue;
    if (judged === 'cannot_tell') throw new No('loop_undecided');
    const said = loop.until.kind === 'when' ? SAID_WHEN(model) : SAID;
    if (pass >= loop.max || !oneMore(model, loop, pass, said, found)) {
      waitForPerson(model, from, { loop: loop.name, pass, said });
    }
    return;
  }
}

const SAID = 'still red';
const SAID_WHEN = (model: EntriesModel) => `The condition does not hold (green is ${model.green}).`;

/** False, with nothing changed, if nothing applies in the next pass. */
function oneMore(
  model: EntriesModel,
  loop: PlainLoop,
  pass: number,
  said: string,
  found: Found,
): boolean {
  const before = copyOf(model);
  model.passes.set(loop.name, { pass: pass + 1, said });
  clear(model, stepsIn(loop));
  if (enterPass(model, loop, found, true)) return true;
  Object.assign(model, before);
  return false;
}

/** Everything stays as it was, but for what the call itself has done. */
function waitForPerson(
  model: EntriesModel,
  from: EntriesModel,
  limit: NonNullable<EntriesModel['limit']>,
): void {
  const { path, passes } = from;
  Object.assign(model, { path, passes, limit, progress: from.progress });
  model.feedback = '(limit)';
}

function judge(model: EntriesModel, { name, until }: PlainLoop, found: Found) {
  if (until.kind === 'when') return model.green ? 'done' : 'not_yet';
  if (until.kind === 'rules') {
    const isThere = [...model.progress].some(
      ([id, { done }]) =>
        done && (id === until.step || (id.includes('#') && baseOf(id) === until.step)),
    );
    if (!isThere) return 'cannot_tell';
  }
  return found.untils[name] ?? 'done';
}

/** The answer of the reference, which has changed the model. */
export function expectEntries(model: EntriesModel, call: EntryCall): string {
  const before = copyOf(model);
  model.clock += 1;
  try {
    return answerTo(model, call);
  } catch (error) {
    if (!(error instanceof No)) throw error;
    Object.assign(model, before);
    return `refused ${error.message}`;
  }
}

export function startEntries(model: EntriesModel, found: Found): string {
  try {
    for (const index of model.entries.keys()) {
      model.path = [index];
      if (enter(model, found, true)) return 'started';
    }
  } catch (error) {
    if (!(error instanceof No)) throw error;
    return `refused ${error.message}`;
  }
  return 'refused workflow_empty';
}

function answerTo(model: EntriesModel, call: EntryCall): string {
  if (call.kind === 'rebuild') return 'rebuilt';
  if (model.status !== 'active')
    return call.kind === 'go_to' ? 'refused session_not_found' : 'over';
  switch (call.kind) {
    case 'submit':
      return submit(model, call);
    case 'late':
      return 'late';
    case 'wait':
      return wait(model, call);
    case 'nested_ends':
      return nestedEnds(model, call.completed, call.found);
    case 'go_to':
      return goTo(model, call.name, call.found);
  }
}

/** The members that a submission speaks of. */
function chosenMembers(model: EntriesModel, { which }: Pick<Submit, 'which'>): string[] {
  const open = model.members.filter((id) => !model.progress.get(id)?.done);
  const pool = open.length > 0 ? open : model.members;
  const ids = which.map((each) => pool[each % pool.length] as string);
  return model.members.filter((id) => ids.includes(id));
}

function submit(model: EntriesModel, call: Submit): string {
  const { kind } = entryAt(model);
  if (kind === 'approve' || kind === 'run' || model.limit !== null) return 'waits';
  const members = chosenMembers(model, call);
  const failing = chosenMembers(model, { which: call.failing }).filter((id) =>
    members.includes(id),
  );
  const accepted = members.filter((id) => !failing.includes(id));
  for (const id of failing) (model.progress.get(id) as Done).attempts += 1;
  const isNew = (id: string) => {
    const { done, content } = model.progress.get(id) as Done;
    return !done || content !== call.content;
  };
  const nothingNew = failing.length === 0 && !accepted.some(isNew);
  const open = model.members.filter(
    (id) => failing.includes(id) || !(accepted.includes(id) || model.progress.get(id)?.done),
  );
  if (nothingNew && open.length > 0) return kind === 'for_each' ? 'next_item' : 'stays';
  for (const id of accepted) {
    const done = model.progress.get(id) as Done;
    const shared = model.members.length > 1 || id.includes('#');
    const accepted = { done: true, output: pathOf(id), content: call.content };
    Object.assign(done, { ...accepted, shared, at: model.clock });
  }
  if (accepted.length > 0 && call.green !== null) model.green = call.green;
  if (open.length > 0) {
    const failed = failing.map((id) => `${id} is bad`).join('; ');
    if (kind === 'for_each') {
      model.feedback = failing.length > 0 ? failed : null;
      return failing.length > 0 ? 'stays' : 'next_item';
    }
    model.feedback = '(open)';
    return 'stays';
  }
  model.feedback = null;
  goOn(model, call.found);
  return outcome(model);
}

export function pathOf(id: string): string {
  return `out/${id}`;
}

function outcome(model: EntriesModel): string {
  if (model.status === 'completed') return 'complete';
  return model.limit === null ? 'moved' : 'waiting';
}

function wait(model: EntriesModel, call: Extract<EntryCall, { kind: 'wait' }>): string {
  if (model.limit !== null) return answerLoop(model, call);
  const entry = entryAt(model);
  if (entry.kind === 'run') return model.nestedAborted ? 'refused run_aborted' : 'run_open';
  if (entry.kind !== 'approve') return 'not here';
  const digest = shownBytes(model, entry.show, call.edited);
  const key = `${entry.name} ${digest}`;
  const isKnown = digest !== '' && (model.approved.has(key) || model.rejected.has(key));
  if (!isKnown && call.approves === null) return 'ask';
  const approves = isKnown ? model.approved.has(key) : call.approves === true;
  const words = isKnown ? (model.rejected.get(key) ?? null) : call.words;
  if (approves) {
    if (digest !== '') model.approved.add(key);
    model.back.set(entry.name, 0);
    model.feedback = null;
    Object.assign(model.progress.get(entry.name) as Done, { done: true, at: model.clock });
    goOn(model, call.found);
    return outcome(model);
  }
  const back = model.back.get(entry.name) ?? 0;
  if (entry.back === null || back >= entry.back.max) {
    if (isKnown) return 'refused approval_rejected';
    if (digest !== '') model.rejected.set(key, words);
    model.feedback = `Rejected: ${words ?? 'no reason was given'}`;
    return 'refused approval_rejected';
  }
  goTo(model, entry.back.goTo, call.found);
  if (!isKnown && digest !== '') model.rejected.set(key, words);
  model.back.set(entry.name, back + 1);
  model.feedback = words ?? 'Rejected: no reason was given';
  return 'moved';
}

/** What a gate shows: each file that was handed in, with its content. */
function shownBytes(model: EntriesModel, show: readonly string[], edited: number): string {
  const parts: string[] = [];
  for (const [id, { done, content }] of model.progress) {
    const isShown = show.includes(id) || (id.includes('#') && show.includes(baseOf(id)));
    if (isShown && done) parts.push(`${pathOf(id)} ${content + edited}`);
  }
  return parts.sort().join(', ');
}

function answerLoop(model: EntriesModel, call: Extract<EntryCall, { kind: 'wait' }>): string {
  const { loop: name, pass, said } = model.limit as NonNullable<EntriesModel['limit']>;
  if (call.loop === null) return 'ask';
  if (call.loop === 'abort') {
    model.status = 'aborted';
    return 'aborted';
  }
  const from = copyOf(model);
  const depth = loopsAround(model).findIndex((loop) => loop.name === name);
  model.path = model.path.slice(0, depth + 1);
  model.limit = null;
  model.feedback = null;
  if (call.loop === 'go_on') goOnAfterLoop(model, from, call.found);
  else if (!oneMore(model, entryAt(model) as PlainLoop, pass, call.words ?? said, call.found)) {
    waitForPerson(model, from, { loop: name, pass, said: call.words ?? said });
  }
  if (model.limit === null && model.status === 'active') model.feedback = call.words;
  return outcome(model);
}

/** If an outer loop has to wait, the session stands where it stood, not at the inner loop. */
function goOnAfterLoop(model: EntriesModel, from: EntriesModel, found: Found): void {
  goOn(model, found);
  if (model.limit !== null || model.status === 'completed') {
    model.path = from.path;
    model.passes = from.passes;
  }
}

function nestedEnds(model: EntriesModel, completed: boolean, found: Found): string {
  const entry = entryAt(model);
  if (entry.kind !== 'run' || model.limit !== null) return 'stays';
  const run = model.progress.get(entry.name) as Done;
  if (!completed) {
    if (!model.nestedAborted) model.feedback = 'no use';
    model.nestedAborted = true;
    return 'stays';
  }
  model.feedback = null;
  Object.assign(run, { done: true, output: 'nested', at: model.clock });
  goOn(model, found);
  return outcome(model);
}

/** Where each name stands, as a path. */
function pathsOf(list: readonly PlainEntry[], above: number[] = []): [string, number[]][] {
  return list.flatMap((entry, index): [string, number[]][] => {
    const path = [...above, index];
    const names = entry.kind === 'steps' ? [] : [entry.name];
    if (entry.kind === 'loop') return [[entry.name, path], ...pathsOf(entry.entries, path)];
    return [...names, ...stepsIn(entry)].map((name) => [name, path]);
  });
}

function goTo(model: EntriesModel, name: string, found: Found): string {
  const paths = pathsOf(model.entries);
  const target = (paths.find(([each]) => each === name) ??
    paths.find(([each]) => each === baseOf(name)))?.[1];
  if (target === undefined) throw new No('step_not_found');
  if (isBefore(model.path, target)) throw new No('step_ahead');
  const begun = new Set([...model.progress.keys()].map(baseOf));
  const later = paths.filter(([, path]) => !isBefore(path, target)).map(([each]) => each);
  const cleared = [...new Set(later)].filter(
    (id) => isWork(model.entries, id) && (begun.has(id) || id === name),
  );
  const running = new Map(
    loopsAround(model).map((loop) => [loop.name, model.passes.get(loop.name)]),
  );
  const { arrival } = model;
  model.path = [...target];
  for (const loop of loopsAround(model)) {
    if (!running.has(loop.name)) model.passes.set(loop.name, { pass: 1, said: null });
  }
  clear(model, cleared);
  if (!enter(model, found, false)) throw new No('step_empty');
  model.arrival = arrival + 1;
  return `back ${cleared.sort().join(' ')}`;
}

/** Steps, approvals and runs have progress; loops and lists as such have none. */
function isWork(list: readonly PlainEntry[], id: string): boolean {
  return list.some((entry) => stepsIn(entry).includes(id));
}

/** In the file. A loop comes before what is in it. */
function isBefore(one: readonly number[], other: readonly number[]): boolean {
  for (const [depth, index] of other.entries()) {
    const mine = one[depth];
    if (mine === undefined) return true;
    if (mine !== index) return mine < index;
  }
  return false;
}

export function factsOfModel(model: EntriesModel, answer: string): EntryFacts {
  const entry = entryAt(model);
  const done = [...model.progress].filter(([, each]) => each.done);
  done.sort(([one, a], [other, b]) => a.at - b.at || (one < other ? -1 : 1));
  const allOutputs: Record<string, unknown> = {};
  for (const [id, { output, shared }] of done) {
    const kind = kindOf(model.entries, id);
    if (kind === 'approve') continue;
    const isRun = kind === 'run';
    const name = isRun ? `${id}.y` : shared ? `${id}.x` : 'x';
    allOutputs[name] = output;
  }
  const open = model.members.filter((id) => !model.progress.get(id)?.done);
  return {
    answer,
    status: model.status,
    arrival: model.arrival,
    entry: model.path[0] as number,
    members: model.members,
    current: entry.kind === 'steps' ? (model.members[0] as string) : (entry as PlainLoop).name,
    loops: loopsAround(model).map(({ name }) => {
      const { pass, said } = model.passes.get(name) ?? { pass: 0, said: null };
      return [name, pass, said];
    }),
    limit: model.limit && [model.limit.loop, model.limit.pass],
    feedback: model.feedback,
    completed: done.map(([id]) => id),
    attempts: Object.fromEntries(
      [...model.progress]
        .filter(([, each]) => each.attempts > 0)
        .map(([id, each]) => [id, each.attempts]),
    ),
    allOutputs,
    invalidated: answer.startsWith('back') ? answer.split(' ').slice(1) : null,
    shown:
      entry.kind === 'for_each'
        ? (open.length > 0 ? open : model.members.slice(0, 1)).slice(
            0,
            open.length > 0 ? entry.parallel : 1,
          )
        : [],
  };
}

/** Names of approvals and of nested runs. */
const kinds = new WeakMap<readonly PlainEntry[], ReadonlyMap<string, PlainEntry['kind']>>();

function kindOf(entries: readonly PlainEntry[], name: string): PlainEntry['kind'] | undefined {
  const known = kinds.get(entries) ?? new Map(kindsIn(entries));
  kinds.set(entries, known);
  return known.get(name);
}

function kindsIn(entries: readonly PlainEntry[]): [string, PlainEntry['kind']][] {
  return entries.flatMap((entry): [string, PlainEntry['kind']][] =>
    entry.kind === 'loop'
      ? kindsIn(entry.entries)
      : stepsIn(entry).map((name) => [name, entry.kind]),
  );
}

/** What keeps the session where it is, besides work. */
export function waitsFor(model: EntriesModel): 'approve' | 'run' | 'loop' | null {
  if (model.limit !== null) return 'loop';
  const { kind } = entryAt(model);
  return kind === 'approve' || kind === 'run' ? kind : null;
}

export function namesIn(entries: readonly PlainEntry[]): string[] {
  return pathsOf(entries).map(([name]) => name);
}
