// What an event does to a session. Total and without judgement: an event in the
// journal happened, so it is applied; whether it may happen is `decide.ts`.

import { remember } from './history.ts';
import { settledItems, skips, weakenedItems } from './history-items.ts';
import { reasonAfter } from './reason.ts';
import { notesKept } from './repeats.ts';
import {
  type Evidence,
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
  const seq = session.seq + 1;
  switch (event.type) {
    case 'reviewing':
      return {
        ...session,
        seq,
        lastActivityAt: event.at,
        owner: acting(session.owner, event.data.by),
        lastMove: null,
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
    case 'gate_weakened':
      return {
        ...session,
        seq,
        lastActivityAt: event.at,
        owner: acting(session.owner, event.data.by),
        reported: event.data.weakened,
        history: remember(session.history, weakenedItems(event.data.weakened, event.at)),
      };
    case 'went_back':
      return {
        ...session,
        seq,
        lastActivityAt: event.at,
        owner: acting(session.owner, event.data.by),
        // The definition that was accepted under stays: the next submission tells the edit.
        position: event.data.position,
        progress: startMembers(
          without(session.progress, event.data.invalidated),
          event.data.position,
          event.at,
        ),
        lastAccepted: null,
        earlierAccepted: NONE,
        lastMove: {
          kind: 'went_back',
          seq,
          process: acting(session.owner, event.data.by).process,
          to: event.data.to,
          invalidated: event.data.invalidated,
        },
        lastFeedback: null,
        lastReason: null,
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
        ...session,
        seq,
        lastActivityAt: event.at,
        owner: event.data.owner,
        progress: withoutPending(session.progress),
        level: event.data.level,
        takeovers: session.takeovers + 1,
        takenWith: event.data.stack ?? [],
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
        ...session,
        seq,
        lastActivityAt: event.at,
        owner: acting(session.owner, event.data.by),
        status: 'aborted',
        endedAt: event.at,
        ending: event.data.ending,
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
    branchFrom: data.branch_from ?? null,
    parentId: data.parent_session_id,
    owner: data.owner,
    level: data.level,
    takeovers: 0,
    takenWith: [],
    startedAt: at,
    lastActivityAt: at,
    endedAt: null,
    ending: null,
    status: 'active',
    abortReason: null,
    definition: data.definition,
    gate: data.gate ?? null,
    reported: [],
    position: data.position,
    progress: startMembers({}, data.position, at),
    lastAccepted: null,
    earlierAccepted: NONE,
    lastMove: {
      kind: 'started',
      seq: 1,
      process: data.owner.process,
      to: null,
      invalidated: NONE,
    },
    lastFeedback: null,
    lastReason: null,
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
  const owner = acting(session.owner, data.by);
  const { failed = NONE, evidence = NONE, voided = NONE, context, completed = false } = data;
  // One fresh copy that nobody else has seen yet, changed in place: folding a long
  // stream is mostly this.
  const progress: Record<string, Progress> = { ...session.progress };
  const change = (id: string, changes: Partial<Progress>) => {
    progress[id] = { ...(progressOf(progress, id) ?? fresh(id, at)), ...changes };
  };
  for (const member of data.accepted) {
    const { step_id, outputs, shared_names, files } = member;
    const before = progressOf(progress, step_id) ?? fresh(step_id, at);
    const { startedAt, attempts, selfReview } = before;
    const reviewed = evidence.some((each) => each.kind === 'review' && each.step_id === step_id);
    progress[step_id] = {
      stepId: step_id,
      startedAt,
      completedAt: at,
      completedSeq: seq,
      outputs,
      sharedNames: shared_names ?? NONE,
      files,
      notes: data.sent.notes ?? notesKept(before, member),
      attempts: reviewed ? attempts + 1 : attempts,
      pendingReview: null,
      selfReview,
    };
  }
  for (const { step_id, stage, files, code } of failed) {
    const attempts = progressOf(progress, step_id)?.attempts ?? 0;
    change(step_id, {
      pendingReview: null,
      attempts: stage === 'review' ? attempts + 1 : attempts,
      ...(stage === 'self_review' && {
        selfReview: { notes: data.sent.notes, files, ...(code !== undefined && { code }) },
      }),
    });
  }
  for (const id of voided) change(id, { pendingReview: null });
  for (const id of data.position?.members ?? NONE) progress[id] = fresh(id, at);

  // Written out, since copying all to replace half takes twice as long.
  return {
    seq,
    id: session.id,
    kind: session.kind,
    jobName: session.jobName,
    jobDir: session.jobDir,
    workflowName: session.workflowName,
    instanceId: session.instanceId,
    goal: session.goal,
    context: context === undefined ? session.context : { ...session.context, ...context },
    branchName: session.branchName,
    branchFrom: session.branchFrom,
    parentId: session.parentId,
    owner,
    level: session.level,
    takeovers: session.takeovers,
    takenWith: session.takenWith,
    startedAt: session.startedAt,
    lastActivityAt: at,
    endedAt: completed ? at : null,
    ending: data.ending ?? null,
    status: completed ? 'completed' : session.status,
    abortReason: session.abortReason,
    definition: data.definition ?? session.definition,
    gate: data.gate?.now ?? session.gate,
    reported: data.gate === undefined ? session.reported : NONE,
    position: data.position ?? session.position,
    progress,
    ...acceptedCalls(session, data, seq, owner.process),
    lastMove: null,
    lastFeedback: data.feedback ?? null,
    lastReason: data.feedback === undefined ? null : reasonAfter(session, data),
    passed: data.position === null ? withPassed(session.passed, evidence) : NONE,
    history: remember(session.history, settledItems(session, data, at)),
  };
}

type AcceptedCalls = Pick<Session, 'lastAccepted' | 'earlierAccepted'>;

/** How many accepted calls are known when they come again. */
const MAX_EARLIER_ACCEPTED = 15;

function acceptedCalls(
  { lastAccepted: last, earlierAccepted }: AcceptedCalls,
  data: Settled['data'],
  seq: number,
  process: string,
): AcceptedCalls {
  if (data.accepted.length === 0) return { lastAccepted: last, earlierAccepted };
  // Members without required outputs are submitted one by one, each with the same outputs.
  const goesOn =
    last?.visit === data.visit &&
    last.notes === data.sent.notes &&
    JSON.stringify(last.outputs) === JSON.stringify(data.sent.outputs);
  const stepIds = data.accepted.map((member) => member.step_id);
  return {
    lastAccepted: {
      stepIds: goesOn ? [...last.stepIds, ...stepIds] : stepIds,
      visit: data.visit,
      outputs: data.sent.outputs,
      notes: data.sent.notes,
      warnings: data.warnings ?? NONE,
      seq,
      process,
    },
    earlierAccepted:
      goesOn || last === null
        ? earlierAccepted
        : [...earlierAccepted.slice(1 - MAX_EARLIER_ACCEPTED), last],
  };
}

const NONE: readonly never[] = [];

function withPassed(before: readonly string[], evidence: readonly Evidence[]): readonly string[] {
  const passed = evidence.filter((each) => each.passed).map((each) => each.key);
  return passed.length === 0 ? before : [...before, ...passed];
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
    attempts: 0,
    pendingReview: null,
    selfReview: null,
  };
}

/** Whoever was reviewing is gone, so the attempt is void. */
function withoutPending(progress: Session['progress']): Session['progress'] {
  return Object.fromEntries(
    Object.entries(progress).map(([id, step]) => [id, { ...step, pendingReview: null }]),
  );
}

function without(progress: Session['progress'], ids: readonly string[]): Session['progress'] {
  const kept: Record<string, Progress> = {};
  for (const id of Object.keys(progress))
    if (!ids.includes(id)) kept[id] = progress[id] as Progress;
  return kept;
}

/** The owner stays; the process that acted last is the one whose death makes an orphan. */
function acting(owner: Owner, by: Owner | undefined): Owner {
  return by?.identity === owner.identity ? by : owner;
}
