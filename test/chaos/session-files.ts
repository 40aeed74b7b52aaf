// The sessions of an agent as their journals leave them: as lines to compare, and as the
// states that the model of its work can begin with.

import { entriesOf } from './job-fixture.ts';
import type { JournalEvent, JournalFiles } from './journal-file.ts';
import { agentOfMark } from './marks.ts';
import {
  type ActiveSession,
  type EndedSession,
  listAll,
  membersOf,
  placeOf,
  type WorkState,
} from './stack-model.ts';

type Folded = ActiveSession | EndedSession;

/** One line per session. */
export function sessionsOf(agent: string, journal: JournalFiles): string[] {
  return listAll(splitUp(foldSessions(agent, journal)));
}

/** Above this many, a stack is only ever worked on by id, and its order does not matter. */
const MAX_ORDERED = 4;

/**
 * What the agent's work may look like at first. Single sessions do not say in which
 * order they lie on the stack, so all orders are allowed.
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
  let session: ActiveSession = { id, workflow, entry: 0, done: [], last: null };
  for (const { type, data } of events) {
    if (type === 'aborted') {
      return { id, how: 'aborted', last: { mark: data.explanation, answer: { kind: 'aborted' } } };
    }
    if (type === 'went_back') session = { ...session, entry: data.position.entryIndex, done: [] };
    if (type !== 'settled') continue;
    const mark: string = data.sent.notes;
    if (data.completed)
      return { id, how: 'completed', last: { mark, answer: { kind: 'complete' } } };
    const accepted: string[] = data.accepted.map((each: { step_id: string }) => each.step_id);
    if (data.position === null) {
      const members = membersOf(session);
      const done = members.filter((step) => session.done.includes(step) || accepted.includes(step));
      session = { ...session, done, last: { mark, answer: { kind: 'needs work' } } };
    } else {
      const arrived: ActiveSession = { ...session, entry: data.position.entryIndex, done: [] };
      session = { ...arrived, last: { mark, answer: placeOf(arrived) } };
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
