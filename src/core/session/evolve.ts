// What an event does to a session. Total and without judgement: an event in the
// journal happened, so it is applied; whether it may happen is `decide.ts`.

import {
  type AcceptedMember,
  type Evidence,
  type FailedMember,
  HISTORY_KEPT,
  type HistoryItem,
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
  const next = { ...session, seq: session.seq + 1 };
  switch (event.type) {
    case 'reviewing':
      return {
        ...next,
        owner: acting(session.owner, event.data.by),
        progress: updateEach(session.progress, event.data.step_ids, (step) => ({
          ...step,
          pendingReview: event.data.review,
        })),
        history: remember(
          session,
          event.data.step_ids.map((step_id) => ({
            at: event.at,
            step_id,
            event: 'review_started',
            review: event.data.review,
          })),
        ),
      };
    case 'settled':
      return settle(next, event);
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
        history: remember(session, [
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
        history: remember(session, [
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
        history: remember(session, [
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
    history: [
      {
        at,
        step_id: data.position.members[0] ?? null,
        event: 'started',
        definition: data.definition,
      },
      ...skips(at, data.skipped),
    ],
  };
}

function settle(session: Session, { at, data }: Settled): Session {
  let progress = session.progress;
  for (const member of data.accepted) progress = complete(progress, member, data.sent.notes, at);
  for (const member of data.failed) {
    progress = updateEach(progress, [member.step_id], (step) => ({
      ...step,
      pendingReview: null,
      failedReviews: step.failedReviews + (member.stage === 'review' ? 1 : 0),
    }));
  }
  progress = updateEach(progress, data.voided, (step) => ({ ...step, pendingReview: null }));
  if (data.position !== null) progress = startMembers(progress, data.position, at);

  const edited: HistoryItem[] =
    data.definition === session.definition
      ? []
      : [{ at, step_id: null, event: 'definition_changed', definition: data.definition }];
  return {
    ...session,
    owner: acting(session.owner, data.by),
    definition: data.definition,
    context: { ...session.context, ...data.context },
    progress,
    position: data.position ?? session.position,
    status: data.completed ? 'completed' : session.status,
    endedAt: data.completed ? at : null,
    lastFeedback: data.feedback,
    passed:
      data.position !== null
        ? []
        : [
            ...session.passed,
            ...data.evidence.filter((each) => each.passed).map((each) => each.key),
          ],
    lastAccepted:
      data.accepted.length === 0
        ? session.lastAccepted
        : {
            stepIds: data.accepted.map((member) => member.step_id),
            visit: data.visit,
            outputs: data.sent.outputs,
            notes: data.sent.notes,
            warnings: data.warnings,
          },
    history: remember(session, [
      ...edited,
      ...data.evidence.map((each) => evidenceItem(each, at)),
      ...data.accepted.flatMap((member) => acceptedItems(member, at)),
      ...data.failed.map((member) => failedItem(member, at)),
      ...data.voided.map((step_id) => ({ at, step_id, event: 'review_voided' })),
      ...skips(at, data.skipped),
      ...(data.completed ? [{ at, step_id: null, event: 'completed' }] : []),
    ]),
  };
}

function complete(
  progress: Session['progress'],
  member: AcceptedMember,
  notes: string | null,
  at: string,
): Session['progress'] {
  const before = progressOf(progress, member.step_id) ?? fresh(member.step_id, at);
  // Taken out and put back, so that the record is in order of completion.
  const { [member.step_id]: _, ...others } = progress;
  return {
    ...others,
    [member.step_id]: {
      ...before,
      completedAt: at,
      outputs: member.outputs,
      sharedNames: member.shared_names,
      files: member.files,
      notes,
      pendingReview: null,
    },
  };
}

function acceptedItems(member: AcceptedMember, at: string): HistoryItem[] {
  const accepted = { at, step_id: member.step_id, event: 'accepted', files: member.files };
  if (member.override_reason === null) return [accepted];
  return [
    { at, step_id: member.step_id, event: 'review_overridden', reason: member.override_reason },
    accepted,
  ];
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
    outputs: {},
    sharedNames: [],
    files: {},
    notes: null,
    failedReviews: 0,
    pendingReview: null,
  };
}

function updateEach(
  progress: Session['progress'],
  ids: readonly string[],
  change: (step: Progress) => Progress,
): Session['progress'] {
  const changed: Record<string, Progress> = { ...progress };
  for (const id of ids) {
    const step = progressOf(progress, id);
    if (step !== undefined) changed[id] = change(step);
  }
  return changed;
}

function without(progress: Session['progress'], ids: readonly string[]): Session['progress'] {
  return Object.fromEntries(Object.entries(progress).filter(([id]) => !ids.includes(id)));
}

/** The owner stays; the process that acted last is the one whose death makes an orphan. */
function acting(owner: Owner, by: Owner): Owner {
  return { identity: owner.identity, process: by.process };
}

function remember(session: Session, items: readonly HistoryItem[]): readonly HistoryItem[] {
  return [...session.history, ...items].slice(-HISTORY_KEPT);
}
