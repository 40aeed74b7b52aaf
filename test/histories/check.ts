// Plays a history against the reference, call by call, and reports the first difference: of the
// answers, and of everything there is after each call.

import type { SessionEvent } from '../../src/core/session/events.ts';
import { type Answer, agrees, answersAgree, type World } from './answers.ts';
import type { Call, History } from './calls.ts';
import { realWorld } from './facts.ts';
import { type JournalShell, openJournalShell } from './journal-shell.ts';
import { copyModel, entryAt, type Model, newModel, worldOf } from './model.ts';
import { play, type Stage } from './play.ts';
import { openProcesses } from './processes.ts';
import { openPureShell } from './pure-shell.ts';
import { expectations } from './reference.ts';

export interface Difference {
  /** Index of the call at which it showed. */
  readonly at: number;
  readonly expected: unknown;
  readonly actual: unknown;
}

type Mismatch = Omit<Difference, 'at'>;
export type Check = (history: History, met?: Set<string>) => Promise<Difference | null>;

/** On the deciders alone; null if everything is as predicted. `met` gets what was met. */
export const checkHistory: Check = (history, met) => {
  // Freezing costs as much as all the rest.
  const guarded = history.seed % 8 === 0;
  const shell = openPureShell(guarded);
  const stage = { shell, jobs: history.jobs, atOnce: false };
  const end = async () => {
    if (guarded) await shell.rebuild();
    return null;
  };
  return check(history, stage, end, met);
};

/**
 * Through stores on a shared journal, with overlapping calls settled at the same moment by different
 * processes. Their order is not known, but some order must explain everything observed.
 */
export const checkOnJournal: Check = async (history, met) => {
  const processes = openProcesses(history.calls.flatMap(deaths));
  try {
    const shell = openJournalShell(processes);
    const stage = { shell, jobs: history.jobs, atOnce: true };
    return await check(history, stage, (model) => compareRecords(model, shell), met);
  } finally {
    await processes.close();
  }
};

async function check(
  { jobs, calls }: History,
  stage: Stage,
  compareEnd: (model: Model) => Promise<Mismatch | null>,
  met = new Set<string>(),
): Promise<Difference | null> {
  let model = newModel(jobs);
  for (const [at, call] of calls.entries()) {
    let explained: Explained;
    const place = placeOf(model, call);
    try {
      explained = await explain(model, call, stage, await play(stage, call), compareEnd);
    } catch (error) {
      return { at, expected: 'no error', actual: error };
    }
    if ('expected' in explained) return { at, ...explained };
    model = explained.model;
    note(met, place, explained.answers, model);
  }
  const at = calls.length - 1;
  try {
    const world = worldOf(model, model.sessions.keys());
    const mismatch =
      difference(world, await realWorld(stage.shell, jobs, world)) ?? (await compareEnd(model));
    return mismatch === null ? null : { at, ...mismatch };
  } catch (error) {
    return { at, expected: 'the same sessions from their events', actual: error };
  }
}

type Explained = { readonly model: Model; readonly answers: readonly Answer[] } | Mismatch;

/** The model after the call, in the first order of events that fits what happened. */
async function explain(
  before: Model,
  call: Call,
  stage: Stage,
  actual: readonly Answer[],
  compareEnd: (model: Model) => Promise<Mismatch | null>,
): Promise<Explained> {
  let nearest: Mismatch = { expected: 'some order', actual };
  const orders = stage.atOnce ? ordersOf(call) : [call];
  const live = activeIn(before);
  for (const ordered of orders) {
    const model = orders.length === 1 ? before : copyModel(before);
    const answers = expectations(model, ordered);
    const odd = answers.findIndex((each, index) => !answersAgree(each, actual[index] as Answer));
    if (odd !== -1) {
      nearest = { expected: answers[odd], actual: actual[odd] };
      continue;
    }
    // Those that had ended before are compared at the end.
    const world = worldOf(model, new Set([...live, ...activeIn(model)]));
    const real = await realWorld(stage.shell, stage.jobs, world);
    // Two orders may lead to the same state by different events.
    const mismatch =
      difference(world, real) ?? (orders.length > 1 ? await compareEnd(model) : null);
    if (mismatch === null) return { model, answers };
    nearest = mismatch;
  }
  return nearest;
}

function activeIn({ sessions }: Model): string[] {
  return [...sessions.values()].flatMap(({ id, status }) => (status === 'active' ? [id] : []));
}

function difference(expected: World, actual: World): Mismatch | null {
  if (agrees(expected, actual)) return null;
  const odd = expected.sessions.findIndex((each, index) => !agrees(each, actual.sessions[index]));
  const [mine, other] = [expected.sessions[odd], actual.sessions[odd]];
  if (mine === undefined) return { expected: expected.stacks, actual: actual.stacks };
  if (other === undefined) return { expected: mine, actual: null };
  const fields = Object.keys(mine) as (keyof typeof mine)[];
  const wrong = fields.filter((field) => !agrees(mine[field], other[field]));
  const shown = (facts: typeof mine) =>
    wrong.map((field) => `${field}: ${JSON.stringify(facts[field])}`);
  return { expected: [mine.id, ...shown(mine)], actual: [mine.id, ...shown(other)] };
}

function ordersOf(call: Call): Call[] {
  if (call.kind !== 'overlap') return [call];
  return permutations(call.order).map((order) => ({ ...call, order }));
}

function permutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first) =>
    permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}

/** Nothing accepted is lost or duplicated; every view shows the last event. */
async function compareRecords(model: Model, shell: JournalShell): Promise<Mismatch | null> {
  const accepted: string[] = [];
  for (const [id, events] of await shell.events()) {
    const actual = events.map((event) => event.seq);
    const expected = events.map((_, index) => index + 1);
    if (!agrees(expected, actual)) return { expected, actual };
    const revision = shell.revisions().get(id);
    if (revision !== events.length) {
      return { expected: `view ${id} at ${events.length}`, actual: revision };
    }
    for (const event of events as unknown as SessionEvent[]) {
      if (event.type !== 'judged') continue;
      const { arrival } = event.data;
      accepted.push(...event.data.accepted.map(({ step_id }) => `${id} ${arrival} ${step_id}`));
    }
  }
  const all = [...model.sessions.values()].flatMap((session) => session.accepted);
  const [expected, actual] = [all.sort(), accepted.sort()];
  return agrees(expected, actual) ? null : { expected, actual };
}

/** What a call is; for `finished_step`, also where its session stands. */
function placeOf(model: Model, call: Call): string {
  if (call.kind !== 'finish') return call.kind;
  const id = call.session ?? model.stacks.get(call.actor.owner)?.at(-1);
  const session = model.sessions.get(id ?? '');
  if (session?.status !== 'active') return 'finish';
  return `finish at ${session.limit === null ? entryAt(model, session).kind : 'limit'}`;
}

/** Each call with its answer, and what sessions have come to. */
function note(met: Set<string>, place: string, answers: readonly Answer[], model: Model): void {
  for (const { status, code } of answers) {
    met.add(code === null ? `${place}: ${status}` : `${place}: ${status} ${code}`);
  }
  for (const {
    path,
    passes,
    news,
    isRun,
    reopened,
    runs,
    status,
    limit,
  } of model.sessions.values()) {
    if (path.length > 2) met.add('a loop in a loop');
    if ([...passes.values()].some(({ pass }) => pass > 2)) met.add('a third pass');
    if (news !== null) met.add(news.ended === null ? 'sent back by a person' : 'stack changed');
    if (isRun) met.add('a nested run');
    if (reopened) met.add('opened again by a person');
    const nested = runs === null ? undefined : model.sessions.get(runs.id);
    if (status === 'active' && limit === null && nested?.status === 'completed') {
      met.add('a parent that could not go on');
    }
  }
}

/** Removes every call without which the history still fails. */
export async function shorten(
  history: History,
  checked: Check,
): Promise<{ history: History; difference: Difference }> {
  const failing = await checked(history);
  if (failing === null) throw new Error('a history that does not fail cannot be shortened');
  let best = { history: upTo(history, failing.at), difference: failing };
  for (let left = true; left; ) {
    left = false;
    for (let index = best.history.calls.length - 1; index >= 0; index--) {
      const calls = best.history.calls.filter((_, at) => at !== index);
      const shorter = { ...history, calls };
      const found = isPossible(shorter) ? await checked(shorter).catch(() => null) : null;
      if (found === null || found.expected === 'no error') continue;
      best = { history: upTo(shorter, found.at), difference: found };
      left = true;
    }
  }
  return best;
}

function upTo(history: History, at: number): History {
  return { ...history, calls: history.calls.slice(0, at + 1) };
}

/** The dead do not call: a process must not act after its death. */
function isPossible({ calls }: History): boolean {
  const dead = new Set<string>();
  const speaks = (call: Call): boolean => {
    if (call.kind === 'die') dead.add(call.process);
    if (call.kind === 'overlap') return call.received.every(speaks) && call.between.every(speaks);
    return !('actor' in call) || !dead.has(call.actor.process);
  };
  return calls.every(speaks);
}

export function deaths(call: Call): string[] {
  if (call.kind === 'overlap') return call.between.flatMap(deaths);
  return call.kind === 'die' ? [call.process] : [];
}

/** What a reader of a workflow needs. */
const LEFT_OUT = [
  'name',
  'description',
  'instructions',
  'clauses',
  'variables',
  'summary',
  'rules',
];

export function describeDifference(
  { history, difference: { expected, actual } }: { history: History; difference: Difference },
  howToReplay: string,
): string {
  const show = (value: unknown) =>
    value instanceof Error ? (value.stack ?? value.message) : JSON.stringify(value, null, 2);
  const steps = (key: string, value: unknown) =>
    LEFT_OUT.includes(key) && !(key === 'name' && typeof value === 'string' && /e\d/.test(value))
      ? undefined
      : value;
  return [
    `Seed ${history.seed} differs from the reference. Play it again: ${howToReplay}`,
    ...[...history.jobs].map(([name, { entries }]) => `${name}: ${JSON.stringify(entries, steps)}`),
    'Calls:',
    ...history.calls.map((call, index) => `  ${index + 1}. ${JSON.stringify(call)}`),
    `Expected: ${show(expected)}`,
    `Actual: ${show(actual)}`,
  ].join('\n');
}
