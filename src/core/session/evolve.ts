// What an event does to a session. Total and without judgement: an event in the
// journal happened, so it is applied; whether it may happen is `decide.ts`.

import { remember } from './history.ts';
import {
  type Evidence,
  type FailedMember,
  type HistoryItem,
  type LastAccepted,
  type Owner,
  type Position,
  type Progress,
  progressOf,
  type Session,
  type SessionEvent,
  type Settled,
  type Started,
} from './state.ts';

export function evolve(session: Session | null, event: SessionEvent): Session {
  if (event.type === 'started') return begin(event);
  if (session === null) throw new Error(`A session cannot begin with '${event.type}'`);
  if (event.type === 'settled') return settle(session, event);
  const next = { ...session, seq: session.seq + 1 };
  switch (event.type) {
    case 'reviewing':
      return {
        ...next,
        owner: acting(session.owner, event.data.by),
        progress: {
          ...session.progress,
          ...Object.fromEntries(
            event.data.step_ids.map((id) => {
              const step = progressOf(session.progress, id) ?? fresh(id, event.at);
              return [id, { ...step, pendingReview: event.data.review }];
            }),
          ),
        },
        history: remember(
          session.history,
          event.data.step_ids.map((step_id) => ({
            at: event.at,
            step_id,
            event: 'review_started',
            review: event.data.review,
          })),
        ),
      };
    case 'went_back':
      return {
        ...next,
        owner: acting(session.owner, event.data.by),
        // The definition that was accepted under stays: the next submission tells the edit.
        position: event.data.position,
        progress: startMembers(
          without(session.progress, event.data.invalidated),
          event.data.position,
          event.at,
        ),
        lastAccepted: null,
        lastFeedback: null,
        passed: [],
        history: remember(session.history, [
          {
            at: event.at,
            step_id: event.data.to,
            event: 'went_back',
            from: event.data.from,
            invalidated: event.data.invalidated,
          },
        ]),
      };
    case 'adopted':
      return {
        ...next,
        owner: event.data.owner,
        ownedSince: event.at,
        history: remember(session.history, [
          {
            at: event.at,
            step_id: session.position.members[0] ?? null,
            event: 'adopted',
            from: session.owner.identity,
            to: event.data.owner.identity,
          },
        ]),
      };
    case 'aborted':
      return {
        ...next,
        owner: acting(session.owner, event.data.by),
        status: 'aborted',
        endedAt: event.at,
        abortReason: event.data.explanation,
        history: remember(session.history, [
          {
            at: event.at,
            step_id: session.position.members[0] ?? null,
            event: 'aborted',
            reason: event.data.explanation,
          },
        ]),
      };
  }
}

function begin(event: Started): Session {
  const { data, at } = event;
  return {
    seq: 1,
    id: data.session_id,
    kind: data.kind,
    jobName: data.job_name,
    jobDir: data.job_dir,
    workflowName: data.workflow_name,
    instanceId: data.instance_id,
    goal: data.goal,
    context: data.context,
    branchName: data.branch_name,
    parentId: data.parent_session_id,
    owner: data.owner,
    ownedSince: at,
    startedAt: at,
    endedAt: null,
    status: 'active',
    abortReason: null,
    definition: data.definition,
    position: data.position,
    progress: startMembers({}, data.position, at),
    lastAccepted: null,
    lastFeedback: null,
    passed: [],
    history: remember(null, [
      {
        at,
        step_id: data.position.members[0] ?? null,
        event: 'started',
        definition: data.definition,
      },
      ...skips(at, data.skipped),
    ]),
  };
}

function settle(session: Session, { at, data }: Settled): Session {
  const seq = session.seq + 1;
  // One fresh copy that nobody else has seen yet, changed in place: folding a long
  // stream is mostly this.
  const progress: Record<string, Progress> = { ...session.progress };
  const change = (id: string, changes: Partial<Progress>) => {
    progress[id] = { ...(progressOf(progress, id) ?? fresh(id, at)), ...changes };
  };
  for (const { step_id, outputs, shared_names, files } of data.accepted) {
    change(step_id, {
      completedAt: at,
      completedSeq: seq,
      outputs,
      sharedNames: shared_names,
      files,
      notes: data.sent.notes,
      pendingReview: null,
    });
  }
  for (const { step_id, stage } of data.failed) {
    const failedReviews = progressOf(progress, step_id)?.failedReviews ?? 0;
    const counted = stage === 'review' ? failedReviews + 1 : failedReviews;
    change(step_id, { pendingReview: null, failedReviews: counted });
  }
  for (const id of data.voided) change(id, { pendingReview: null });
  for (const id of data.position?.members ?? []) progress[id] = fresh(id, at);

  const passed = data.evidence.length === 0 ? NONE : passedKeys(data.evidence);
  return {
    ...session,
    seq,
    owner: acting(session.owner, data.by),
    definition: data.definition,
    context: isEmpty(data.context) ? session.context : { ...session.context, ...data.context },
    progress,
    position: data.position ?? session.position,
    status: data.completed ? 'completed' : session.status,
    endedAt: data.completed ? at : null,
    lastFeedback: data.feedback,
    passed:
      data.position !== null
        ? NONE
        : passed === NONE
          ? session.passed
          : [...session.passed, ...passed],
    lastAccepted:
      data.accepted.length === 0 ? session.lastAccepted : acceptedCall(session.lastAccepted, data),
    history: remember(session.history, historyOf(session, data, at)),
  };
}

/** One call may be settled in two events: its own members, then those that go along. */
function acceptedCall(last: LastAccepted | null, data: Settled['data']): LastAccepted {
  const goesOn =
    last?.visit === data.visit &&
    last.notes === data.sent.notes &&
    JSON.stringify(last.outputs) === JSON.stringify(data.sent.outputs);
  const stepIds = data.accepted.map((member) => member.step_id);
  return {
    stepIds: goesOn ? [...last.stepIds, ...stepIds] : stepIds,
    visit: data.visit,
    outputs: data.sent.outputs,
    notes: data.sent.notes,
    warnings: data.warnings,
  };
}

function historyOf(session: Session, data: Settled['data'], at: string): HistoryItem[] {
  const { definition } = data;
  // Plain loops: this runs for every event of a long stream, and most lists are empty.
  const items: HistoryItem[] = [];
  if (definition !== session.definition) {
    items.push({ at, step_id: null, event: 'definition_changed', definition });
  }
  for (const each of data.evidence) items.push(evidenceItem(each, at));
  for (const member of data.accepted) {
    const { step_id, files, override_reason: reason } = member;
    if (reason !== null) items.push({ at, step_id, event: 'review_overridden', reason });
    items.push({ at, step_id, event: 'accepted', files });
  }
  for (const member of data.failed) items.push(failedItem(member, at));
  for (const step_id of data.voided) items.push({ at, step_id, event: 'review_voided' });
  for (const step_id of data.skipped) items.push({ at, step_id, event: 'skipped' });
  if (data.completed) items.push({ at, step_id: null, event: 'completed' });
  return items;
}

const NONE: readonly string[] = [];

function passedKeys(evidence: readonly Evidence[]): readonly string[] {
  return evidence.filter((each) => each.passed).map((each) => each.key);
}

function isEmpty(map: Readonly<Record<string, unknown>>): boolean {
  for (const key in map) if (Object.hasOwn(map, key)) return false;
  return true;
}

function evidenceItem(evidence: Evidence, at: string): HistoryItem {
  const { step_id, kind, key: _key, ...told } = evidence;
  return { at, step_id, event: `${kind}_ran`, ...told };
}

function failedItem(member: FailedMember, at: string): HistoryItem {
  return {
    at,
    step_id: member.step_id,
    event: member.stage === 'self_review' ? 'self_review_requested' : `${member.stage}_failed`,
    feedback: member.feedback,
    files: member.files,
    details: member.details,
  };
}

function skips(at: string, skipped: readonly string[]): HistoryItem[] {
  return skipped.map((step_id) => ({ at, step_id, event: 'skipped' }));
}

function startMembers(
  progress: Session['progress'],
  position: Position,
  at: string,
): Session['progress'] {
  const started: Record<string, Progress> = { ...progress };
  for (const id of position.members) started[id] = fresh(id, at);
  return started;
}

function fresh(stepId: string, at: string): Progress {
  return {
    stepId,
    startedAt: at,
    completedAt: null,
    completedSeq: 0,
    outputs: {},
    sharedNames: [],
    files: {},
    notes: null,
    failedReviews: 0,
    pendingReview: null,
  };
}

function without(progress: Session['progress'], ids: readonly string[]): Session['progress'] {
  return Object.fromEntries(Object.entries(progress).filter(([id]) => !ids.includes(id)));
}

/** The owner stays; the process that acted last is the one whose death makes an orphan. */
function acting(owner: Owner, by: Owner): Owner {
  return by.identity === owner.identity ? by : owner;
}
