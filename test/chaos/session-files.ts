// The sessions of an agent as their journals leave them: as lines to compare, and as initial
// states for the model of its work.

import { entriesOf } from './job-fixture.ts';
import type { JournalEvent, JournalFiles } from './journal-file.ts';
import { agentOfMark } from './marks.ts';
import {
  type ActiveSession,
  type EndedSession,
  listAll,
  membersOf,
  type WorkState,
} from './stack-model.ts';

type Folded = ActiveSession | EndedSession;

/** One line per session. */
export function sessionsOf(agent: string, journal: JournalFiles): string[] {
  return listAll(splitUp(foldSessions(agent, journal)));
}

/** Above this size, a stack is only used by id, and its order does not matter. */
const MAX_ORDERED = 4;

/**
 * The possible initial states of the agent's work. Single sessions do not show their order on the
 * stack, so all orders are allowed.
 */
export function statesOf(agent: string, journal: JournalFiles): WorkState[] {
  const { active, ended } = splitUp(foldSessions(agent, journal));
  const orders = active.length > MAX_ORDERED ? [active] : permutations(active);
  return orders.map((order) => ({ active: order, ended }));
}

function foldSessions(agent: string, journal: JournalFiles): Folded[] {
  return [...journal.sessions]
    .filter(([, events]) => agentOfMark(events[0]?.data.goal ?? '') === agent)
    .map(([id, events]) => foldSession(id, events));
}

function splitUp(sessions: readonly Folded[]): WorkState {
  const isEnded = (session: Folded): session is EndedSession => 'how' in session;
  return {
    active: sessions.filter((session): session is ActiveSession => !isEnded(session)),
    ended: sessions.filter(isEnded),
  };
}

function foldSession(id: string, events: readonly JournalEvent[]): Folded {
  const workflow: string = events[0]?.data.workflow_name;
  let session: ActiveSession = { id, workflow, entry: 0, done: [], accepted: [] };
  for (const { type, data } of events) {
    if (type === 'aborted') return { id, how: 'aborted', marks: [data.explanation] };
    if (type === 'went_back') {
      session = { ...session, entry: data.position.entryIndex, done: [], accepted: [] };
    }
    if (type !== 'judged') continue;
    const accepted = [...session.accepted, { mark: data.sent.notes, entry: session.entry }];
    if (data.completed) return { id, how: 'completed', marks: accepted.map(({ mark }) => mark) };
    if (data.position === null) {
      const steps: string[] = data.accepted.map((each: { step_id: string }) => each.step_id);
      const done = membersOf(session).filter(
        (step) => session.done.includes(step) || steps.includes(step),
      );
      session = { ...session, done, accepted };
    } else {
      session = { ...session, entry: data.position.entryIndex, done: [], accepted };
    }
  }
  if (entriesOf(workflow)[session.entry] === undefined) throw new Error(`${id} is nowhere`);
  return session;
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}
