// What the history of a session says of an event, in words that its readers know.

import type { Grant, Weakening } from './gate.ts';
import type { Evidence, FailedMember, HistoryItem, Session, Settled } from './state.ts';

const NONE: readonly never[] = [];

/** What a settled submission adds to the history. */
export function settledItems(session: Session, data: Settled['data'], at: string): HistoryItem[] {
  const { definition = session.definition } = data;
  // Plain loops: this runs for every event of a long stream, and most lists are absent.
  const items: HistoryItem[] = [];
  if (definition !== session.definition) {
    items.push({ at, step_id: null, event: 'definition_changed', definition });
  }
  if (data.gate !== undefined) {
    items.push(...weakenedItems(data.gate.weakened ?? NONE, at, data.gate.granted));
  }
  for (const each of data.evidence ?? NONE) items.push(evidenceItem(each, at));
  for (const member of data.accepted) {
    const { step_id, files, override_reason: reason, override_grant: granted } = member;
    if (reason !== undefined) {
      items.push({ at, step_id, event: 'review_overridden', reason, ...(granted && { granted }) });
    }
    items.push({ at, step_id, event: 'accepted', files });
  }
  for (const member of data.failed ?? NONE) items.push(failedItem(member, at));
  for (const step_id of data.voided ?? NONE) items.push({ at, step_id, event: 'review_voided' });
  for (const step_id of data.skipped ?? NONE) items.push({ at, step_id, event: 'skipped' });
  if (data.completed) items.push({ at, step_id: null, event: 'completed' });
  return items;
}

function evidenceItem(evidence: Evidence, at: string): HistoryItem {
  const { step_id, kind, key: _key, ...told } = evidence;
  return { at, step_id, event: `${kind}_ran`, ...told };
}

const EVENT_OF: Readonly<Partial<Record<FailedMember['stage'], string>>> = {
  self_review: 'self_review_requested',
  self_review_failed: 'self_review_failed',
  override_pending: 'override_asked',
  override_refused: 'override_refused',
};

export function weakenedItems(
  weakened: readonly Weakening[],
  at: string,
  granted?: Grant,
): HistoryItem[] {
  return weakened.map(({ step_id, what }) => ({
    at,
    step_id,
    event: 'gate_weakened',
    what,
    ...(granted && { granted }),
  }));
}

function failedItem(member: FailedMember, at: string): HistoryItem {
  return {
    at,
    step_id: member.step_id,
    event: EVENT_OF[member.stage] ?? `${member.stage}_failed`,
    feedback: member.feedback,
    files: member.files,
    details: member.details,
  };
}

export function skips(at: string, skipped: readonly string[]): HistoryItem[] {
  return skipped.map((step_id) => ({ at, step_id, event: 'skipped' }));
}
