// Compares the model with the server's answers and with the disk.

import { expect } from 'vitest';
import type { Answer } from '../support/calls.ts';
import type { Disk } from './disk.ts';
import { briefing, type Expected, type ModelSession } from './model.ts';
import type { Tally } from './tally.ts';

/** A call that the server completed: its answer must match the model. */
export function expectAnswer({ data }: Answer, expected: Expected): void {
  expect(data).toMatchObject(expected);
  if (expected.all_outputs) expect(data.all_outputs).toEqual(expected.all_outputs);
}

/** Without the stack: it belongs to the caller, which may be another process now. */
export function expectSameAnswer(answer: Answer, first: Answer): void {
  const { stack: _, ...said } = answer.data;
  const { stack: __, ...saidFirst } = first.data;
  expect(said).toEqual(saidFirst);
}

/** `get_active_workflow` on a session, after a restart. */
export function expectStanding({ data }: Answer, session: ModelSession): void {
  expect(data).toMatchObject({
    active: true,
    session_id: session.id,
    goal: session.goal,
    begin_step: briefing(session),
    truncated: false,
  });
  const steps: { step_id: string; notes: string; outputs: object }[] = data.completed_steps;
  expect(steps.map(({ step_id, notes, outputs }) => [step_id, { notes, outputs }]).sort()).toEqual(
    [...session.done].sort(),
  );
}

/** The journal contains what the model says: every accepted call once, and no other. */
export async function expectJournals(disk: Disk, sessions: Iterable<ModelSession>): Promise<void> {
  for (const session of sessions) {
    const { log, session: state } = await disk.read(session.id);
    expect(log).toEqual(session.log);
    expect(state?.status).toBe(session.status);
    expect(state?.context).toMatchObject(session.context);
  }
}

/** Everything that ever happened, checked again at the end. */
export async function audit(
  disk: Disk,
  known: ReadonlyMap<string, ModelSession>,
  tally: Tally,
): Promise<void> {
  await expectJournals(disk, known.values());
  for (const id of disk.sessionIds()) {
    const { events, voids } = await disk.read(id);
    if (!known.has(id)) expect(events).toEqual([]);
    await disk.expectViewShows(id);
    tally.events += events.length;
    tally.voids += voids;
    if (events.length === 0) tally.emptyStreams += 1;
  }
  tally.sessions = known.size;
  tally.leftovers = disk.leftovers().length;
}
