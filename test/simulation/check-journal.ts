// Plays a history through stores on a shared journal, with overlapping calls settled at the same
// moment by different processes. Their order is not known, so the reference tries every order; but
// some order must explain everything observed.

import type { SessionEvent } from '../../src/core/session/events.ts';
import { type Answer, agrees } from './answers.ts';
import type { Call, History } from './calls.ts';
import { compareAll, type Difference } from './check-history.ts';
import { type JournalShell, openJournalShell } from './journal-shell.ts';
import { isSame } from './plain.ts';
import { play } from './play.ts';
import { openProcesses } from './processes.ts';
import { expectations } from './reference.ts';
import { type Model, newModel } from './reference-model.ts';
import { openStage } from './stage.ts';

export async function checkOnJournal(history: History): Promise<Difference | null> {
  const processes = openProcesses(history.calls.flatMap(deaths));
  try {
    const shell = openJournalShell(processes);
    const stage = openStage(history.jobs, shell, true);
    let model = newModel(history.jobs);
    for (const [at, call] of history.calls.entries()) {
      const explained = await explain(model, call, shell, await play(stage, call));
      if ('expected' in explained) return { at, ...explained };
      model = explained.model;
    }
    const difference = await compareRecords(model, shell);
    return difference === null ? null : { at: history.calls.length - 1, ...difference };
  } finally {
    await processes.close();
  }
}

/** The model after the call, in the first order of events that fits what happened. */
async function explain(
  before: Model,
  call: Call,
  shell: JournalShell,
  actual: readonly Answer[],
): Promise<{ model: Model } | { expected: unknown; actual: unknown }> {
  let nearest: { expected: unknown; actual: unknown } = { expected: 'some order', actual };
  for (const ordered of orders(call)) {
    const model = structuredClone(before);
    const expected = expectations(model, ordered);
    const odd = expected.findIndex((each, index) => {
      const other = actual[index];
      return other === undefined || !agrees(each, alike(call, each, other));
    });
    if (odd !== -1) {
      nearest = { expected: expected[odd], actual: actual[odd] };
      continue;
    }
    const all = await compareAll(model, shell);
    // Two orders may lead to the same state by different events.
    const difference = all ?? (call.kind === 'overlap' ? await compareRecords(model, shell) : null);
    if (difference === null) return { model };
    nearest = difference;
  }
  return nearest;
}

/** In an overlap, an answer may already show the effect of the next call. */
function alike(call: Call, expected: Answer, actual: Answer): Answer {
  if (call.kind !== 'overlap') return actual;
  return { ...actual, session: expected.session, stack: expected.stack };
}

function orders(call: Call): Call[] {
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
async function compareRecords(
  model: Model,
  shell: JournalShell,
): Promise<{ expected: unknown; actual: unknown } | null> {
  const accepted: string[] = [];
  for (const [id, events] of await shell.events()) {
    const numbers = events.map((event) => event.seq);
    const gapless = events.map((_, index) => index + 1);
    if (!isSame(gapless, numbers)) return { expected: gapless, actual: numbers };
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
  const expected = [...model.accepted].sort();
  const actual = accepted.sort();
  return isSame(expected, actual) ? null : { expected, actual };
}

export function deaths(call: Call): string[] {
  if (call.kind === 'overlap') return call.between.flatMap(deaths);
  return call.kind === 'die' ? [call.process] : [];
}
