// The job that eight processes race through, and what must be true of its journal whatever
// happened in the race.

import { expect } from 'vitest';
import { evolve } from '../../src/core/session/evolve.ts';
import { isCompleted } from '../../src/core/session/progress.ts';
import type { Session } from '../../src/core/session/state.ts';
import type { Answer } from '../support/calls.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import type { OnDisk } from './disk.ts';
import type { Told } from './hammer.ts';
import { WORKERS } from './workers.ts';

/** Every step has one output, `of_<step>`. */
const ENTRIES = ['a', ['b', 'c', 'd'], 'e', ['f', 'g'], 'z'];
export const STEPS = ENTRIES.flat();
export const FIRST_STEP = 'a';
export const LAST_STEP = 'z';

export const START = { goal: 'Run', job_name: 'relay', workflow_name: 'relay' };

/** The same workflow also under a name for each of the workers, `team_<n>`. */
export function relayProject(project = newProject()): Project {
  const teams = Array.from({ length: WORKERS }, (_, index) => `team_${index}`);
  writeJob(
    project,
    'relay',
    Object.fromEntries(STEPS.map((id) => [id, { outputs: { [`of_${id}`]: 'file' } }])),
    Object.fromEntries(['relay', ...teams].map((workflow) => [workflow, ENTRIES])),
  );
  return project;
}

export function makeFile(project: Project, name: string): string {
  project.write(`out/${name}.txt`, `${name}\n`);
  return `out/${name}.txt`;
}

/** The output of a step: each worker has its own file. */
export function outputsOf(project: Project, step: string, by: string): Record<string, string> {
  return { [`of_${step}`]: makeFile(project, `${step}-${by}`) };
}

/** Compares one process's answers with its events in the journal. */
export function expectJournalAgrees(told: Told, { events }: OnDisk): void {
  const mine = eventsOf(told.pid, events);
  const judged = mine.filter((event) => event.type === 'judged');
  expect(judged.map(({ data }) => data.sent.notes)).toEqual([...told.accepted.keys()]);
  for (const { data } of judged) {
    const answer = told.accepted.get(data.sent.notes as string) as Answer;
    expect(answer.data).toMatchObject(
      data.position === null
        ? { status: 'needs_work', feedback: data.feedback }
        : { status: 'next_step', begin_step: { step_id: data.position.members[0] } },
    );
  }
  const returns = mine.filter((event) => event.type === 'went_back');
  expect(
    returns.map(({ data }) => ({ step: data.position.members[0], invalidated: data.invalidated })),
  ).toEqual(
    told.returns.map(({ data }) => ({
      step: data.begin_step.step_id,
      invalidated: data.invalidated_steps,
    })),
  );
  // Late, or with outputs of a step that was current a moment ago: no other reason is allowed.
  for (const code of told.refused.values()) {
    expect(['step_not_current', 'outputs_unknown']).toContain(code);
  }
  for (const code of told.noReturn) expect(code).toBe('step_ahead');
}

/** The events of one process; the actor is named only if it differs. */
function eventsOf(pid: number, events: OnDisk['events']): OnDisk['events'] {
  let session: Session | null = null;
  return events.filter((event) => {
    session = evolve(session, event);
    return session.owner.process.split('/')[1] === String(pid);
  });
}

/** Only submissions for the current step were accepted, and nothing advanced early. */
export function expectLegal({ events }: OnDisk): void {
  let session: Session | null = null;
  for (const event of events) {
    const next: Session = evolve(session, event);
    if (session !== null && event.type === 'judged') {
      const { arrival, members } = session.position;
      expect(event.data.arrival).toBe(arrival);
      for (const { step_id } of event.data.accepted) expect(members).toContain(step_id);
      const done = members.every((id) => isCompleted(next, id));
      expect(event.data.position !== null).toBe(done);
    }
    session = next;
  }
}
