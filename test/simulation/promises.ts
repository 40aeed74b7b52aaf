// What holds for every session after every event, whatever the history.

import type { WorkflowInUse } from '../../src/core/session/decide.ts';
import type { SessionEvent } from '../../src/core/session/events.ts';
import { historyItems, MAX_HISTORY_ITEMS } from '../../src/core/session/history.ts';
import type { Session } from '../../src/core/session/state.ts';
import { stepsOf } from '../../src/core/workflow.ts';

export function checkEvent(
  before: Session | null,
  event: SessionEvent,
  after: Session,
  inUse: WorkflowInUse | null,
): void {
  const promise = (kept: boolean, what: string) => {
    if (!kept) throw new Error(`${what} (event: ${JSON.stringify(event)})`);
  };
  promise(after.seq === (before?.seq ?? 0) + 1, 'sequence numbers have no gap');
  const reopens =
    before?.status === 'completed' && event.type === 'went_back' && 'person' in event.data;
  promise(
    before === null || before.status === 'active' || reopens,
    'nothing happens to an ended session, unless a person opens a completed one again',
  );
  promise((before === null) === (event.type === 'started'), 'a session is started once, first');
  promise(after.status !== 'active' || after.position.members.length > 0, 'work has members');
  promise((after.endedAt === null) === (after.status === 'active'), 'only what ended has an end');
  promise((after.history?.length ?? 0) <= 2 * MAX_HISTORY_ITEMS, 'history is bounded');

  const arrived =
    event.type === 'went_back' || (event.type === 'judged' && event.data.position !== null);
  const arrivals = [before?.position.arrival ?? 0, after.position.arrival] as const;
  promise(
    before === null || arrived ? arrivals[1] > arrivals[0] : arrivals[1] === arrivals[0],
    'each arrival has a later arrival, and nothing else has',
  );
  promise(
    after.owner.process.startsWith(`${after.owner.identity}#`),
    "the process on record is one of the owner's",
  );
  if (before !== null && after.definition !== before.definition) {
    const known = historyItems(before.history);
    const news = historyItems(after.history).filter((item) => !known.includes(item));
    const noted = news.some(
      (item) => item.event === 'definition_changed' && item.definition === after.definition,
    );
    promise(noted, 'an edit that was followed is in the history');
  }
  if (event.type === 'judged' && inUse !== null) checkAccepted(event, inUse, promise);
}

function checkAccepted(
  event: Extract<SessionEvent, { type: 'judged' }>,
  { workflow }: WorkflowInUse,
  promise: (kept: boolean, what: string) => void,
): void {
  for (const { step_id, outputs } of event.data.accepted) {
    const step = stepsOf(workflow).find(({ id }) => id === step_id);
    const required = step?.outputs.filter((output) => output.required) ?? [];
    promise(step !== undefined, 'what is accepted is in the definition');
    promise(
      required.every(({ name }) => Object.hasOwn(outputs, name)),
      'a completed step has its required outputs',
    );
  }
}
