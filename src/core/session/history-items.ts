// The items of a session's history for an event.

import type {
  DefinitionChange,
  Evidence,
  FailedMember,
  GateChange,
  Judged,
  MoveFields,
  SessionEvent,
} from './events.ts';
import type { HistoryItem } from './history.ts';
import { openStepId } from './progress.ts';
import type { Session } from './state.ts';

/** `session`: as it was before the event; null for the first. */
export function historyOf(session: Session | null, event: SessionEvent): HistoryItem[] {
  const position = event.type === 'started' ? event.data.position : session?.position;
  const items = itemsOf(session, event);
  const inner = position?.loops?.at(-1);
  if (position === undefined || inner === undefined) return items;
  // Only for members of the current entry; skipped steps ahead may be in another pass.
  const { name: loop, pass } = inner;
  return items.map((item) =>
    item.step_id !== null && position.members.includes(item.step_id)
      ? { ...item, loop, pass }
      : item,
  );
}

function itemsOf(session: Session | null, event: SessionEvent): HistoryItem[] {
  const { at } = event;
  const current = session?.position.members[0] ?? null;
  switch (event.type) {
    case 'started': {
      const { position, definition, skipped, inputs } = event.data;
      const step_id = position.members[0] ?? null;
      const began = { at, step_id, event: 'started', definition, ...(inputs && { inputs }) };
      return [began, ...skips(at, skipped)];
    }
    case 'checking':
      return event.data.step_ids.map((step_id) => ({ at, step_id, event: 'checks_started' }));
    case 'checks_stopped':
      return event.data.step_ids.map((step_id) => ({ at, step_id, event: 'checks_stopped' }));
    case 'reviewing': {
      const { step_ids, review } = event.data;
      return step_ids.map((step_id) => ({ at, step_id, event: 'review_started', review }));
    }
    case 'judged':
      return judgedItems(session?.definition, event);
    case 'asked': {
      const { name, question, files } = event.data;
      return [{ at, step_id: name, event: 'person_asked', question, ...(files && { files }) }];
    }
    case 'approved': {
      const { name, files, answer } = event.data;
      const item = { at, step_id: name, event: 'approved', files, ...(answer && { answer }) };
      return [...edits(at, event.data), item, ...movedItems(at, event.data)];
    }
    case 'rejected': {
      const { name, files, answer, words, to, invalidated } = event.data;
      const back = to === undefined ? {} : { to, invalidated };
      const item = { at, step_id: name, event: 'rejected', words, files };
      return [...edits(at, event.data), { ...item, ...back, ...(answer && { answer }) }];
    }
    case 'loop_answered': {
      const { loop, pass, choice, words, answer } = event.data;
      const item = { at, step_id: loop, event: 'loop_answered', pass, choice, words, answer };
      return [...edits(at, event.data), item, ...movedItems(at, event.data)];
    }
    case 'run_ended': {
      const { name, session: id, aborted } = event.data;
      const how = aborted === undefined ? { event: 'accepted' } : { event: 'run_aborted', aborted };
      const item = { at, step_id: name, session_id: id, ...how };
      return [...edits(at, event.data), item, ...movedItems(at, event.data)];
    }
    case 'gate_weakened':
      return weakenedItems(event.data, at);
    case 'went_back': {
      const { to, from, invalidated, person, reason } = event.data;
      const steered = person === undefined ? {} : { person, reason };
      const item = { at, step_id: to, event: 'went_back', from, invalidated, ...steered };
      return [...weakenedItems(event.data.gate, at), item];
    }
    case 'adopted': {
      const [from, to] = [session?.owner.identity, event.data.owner.identity];
      return [{ at, step_id: current, event: 'adopted', from, to }];
    }
    case 'nudged':
      return [{ at, step_id: openIn(session), event: 'nudged', nth: event.data.nth }];
    case 'let_go':
      return [{ at, step_id: openIn(session), event: 'let_go', after: event.data.nudges }];
    case 'stack_changed':
      return [{ at, step_id: openIn(session), event: 'stack_changed', ...event.data }];
    case 'informed':
      return [{ at, step_id: openIn(session), event: 'informed' }];
    case 'aborted': {
      const { explanation: reason, person } = event.data;
      const steered = person === undefined ? {} : { person };
      return [{ at, step_id: current, event: 'aborted', reason, ...steered }];
    }
  }
}

function openIn(session: Session | null): string | null {
  return session && openStepId(session);
}

const NONE: readonly never[] = [];

function judgedItems(before: string | undefined, { at, data }: Judged): HistoryItem[] {
  const { definition = before, gate } = data;
  // Plain loops: this runs for every event of a long stream, and most lists are absent.
  const items: HistoryItem[] = [];
  if (definition !== before) {
    items.push({ at, step_id: null, event: 'definition_changed', definition });
  }
  if (gate !== undefined) items.push(...weakenedItems(gate, at));
  for (const each of data.evidence ?? NONE) items.push(evidenceItem(each, at));
  for (const member of data.accepted) {
    const { step_id, files, reports, override_reason: reason, override_grant: granted } = member;
    const { self_review: verdict } = member;
    if (verdict !== undefined) items.push({ at, step_id, event: 'self_reviewed', verdict });
    if (reason !== undefined) {
      items.push({ at, step_id, event: 'review_overridden', reason, ...(granted && { granted }) });
    }
    items.push({ at, step_id, event: 'accepted', files, ...(reports && { reports }) });
  }
  for (const member of data.failed ?? NONE) items.push(failedItem(member, at));
  for (const step_id of data.voided ?? NONE) items.push({ at, step_id, event: 'review_voided' });
  items.push(...movedItems(at, data));
  return items;
}

/** Loops judged and steps skipped on the way, and the end. */
function movedItems(at: string, { untils = NONE, skipped = NONE, completed }: MoveFields) {
  const items: HistoryItem[] = [];
  for (const { loop, pass, done, said } of untils) {
    const item = { at, step_id: loop, event: 'loop_judged', pass, done };
    items.push(said === undefined ? item : { ...item, said });
  }
  items.push(...skips(at, skipped));
  if (completed) items.push({ at, step_id: null, event: 'completed' });
  return items;
}

function edits(at: string, { definition, gate }: DefinitionChange): HistoryItem[] {
  const weakened = weakenedItems(gate, at);
  if (definition === undefined) return weakened;
  return [{ at, step_id: null, event: 'definition_changed', definition }, ...weakened];
}

function evidenceItem(evidence: Evidence, at: string): HistoryItem {
  const { step_id, kind, key: _key, ...result } = evidence;
  return { at, step_id, event: `${kind}_ran`, ...result };
}

const EVENT_OF: Readonly<Partial<Record<FailedMember['stage'], string>>> = {
  self_review: 'self_review_requested',
  self_review_failed: 'self_review_failed',
  override_pending: 'override_asked',
  override_refused: 'override_refused',
};

function weakenedItems(
  change: Pick<GateChange, 'weakened' | 'granted'> | undefined,
  at: string,
): HistoryItem[] {
  const { weakened = NONE, granted } = change ?? {};
  return weakened.map(({ step_id, what }) => ({
    at,
    step_id,
    event: 'gate_weakened',
    what,
    ...(granted && { granted }),
  }));
}

function failedItem(member: FailedMember, at: string): HistoryItem {
  const { step_id, stage, feedback, files, details } = member;
  const event = EVENT_OF[stage] ?? `${stage}_failed`;
  return { at, step_id, event, feedback, files, details };
}

function skips(at: string, skipped: readonly string[]): HistoryItem[] {
  return skipped.map((step_id) => ({ at, step_id, event: 'skipped' }));
}
