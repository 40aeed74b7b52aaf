// Applies an event to a session, without checks: an event in the journal has happened. Whether it
// may happen was decided before (`decide…` in this folder).

import {
  afterCompletion,
  afterVerdict,
  arriveAt,
  withoutOldPasses,
  withoutPendingReviews,
  withoutSteps,
  withPendingReview,
} from './arrivals.ts';
import type {
  Approved,
  Judged,
  LoopAnswered,
  MoveFields,
  Rejected,
  RunEnded,
  SessionEvent,
  Started,
  WentBack,
} from './events.ts';
import { remember } from './history.ts';
import { historyOf } from './history-items.ts';
import { approvalsAfter } from './judged-files.ts';
import { NO_NUDGES, resetNudges } from './nudges.ts';
import { rejectedHere } from './refusals.ts';
import { callsAfter } from './repeats.ts';
import { gatesAfter } from './running-gates.ts';
import type { Arrival, Owner, Session, Steering, SteeringAct } from './state.ts';
import { actsOf, describeSteering } from './steering.ts';
import { contextWithout } from './variables.ts';

export function evolve(session: Session | null, event: SessionEvent): Session {
  if (event.type === 'started') return begin(event);
  if (session === null) throw new Error(`A session cannot begin with '${event.type}'`);
  const next = copyOf(session);
  next.seq = session.seq + 1;
  next.lastActivityAt = event.at;
  next.owner = ownerAfter(session.owner, event);
  next.history = remember(session.history, historyOf(session, event));
  next.gates = gatesAfter(session, event);
  change(next, session, event);
  if ('gate' in event.data && event.data.gate !== undefined) {
    next.gate = event.data.gate.now;
    next.reported = [];
  }
  return next;
}

/** The copy under construction. One copy per event keeps the replay of long streams fast. */
type Draft = { -readonly [Key in keyof Session]: Session[Key] };

function change(next: Draft, session: Session, event: Exclude<SessionEvent, Started>): void {
  switch (event.type) {
    case 'checking':
      next.lastMove = null;
      break;
    case 'checks_stopped':
      break;
    case 'reviewing': {
      const { step_ids, review } = event.data;
      next.position = withPendingReview(session, step_ids, review, event.at);
      next.lastMove = null;
      break;
    }
    case 'judged':
      judge(next, session, event);
      break;
    case 'asked': {
      const { question, files = {}, feedback } = event.data;
      const asked = { question, files };
      next.position = { ...session.position, asked, feedback, reason: 'waiting_for_person' };
      break;
    }
    case 'approved':
      next.approvals = approvalsAfter(session, event);
      advance(next, session, event, afterCompletion(session, event.at, event.data));
      rememberWaitingCall(next, session, event);
      break;
    case 'rejected':
      reject(next, session, event);
      break;
    case 'loop_answered': {
      const { limit: _limit, asked: _asked, ...here } = session.position;
      advance(next, session, event, { ...here, feedback: null, reason: null });
      rememberWaitingCall(next, session, event);
      break;
    }
    case 'run_ended':
      endRun(next, session, event);
      break;
    case 'gate_weakened':
      next.reported = event.data.weakened;
      break;
    case 'went_back': {
      const { position, to, invalidated, by } = event.data;
      const { process } = actorAfter(session.owner, by);
      const steering = steeringOf(session, event.data);
      const arrival = arriveAt(position, event.at);
      // `definition` stays as it is: the next submission reports the edit.
      next.position =
        steering === null ? arrival : { ...arrival, feedback: describeSteering(steering) };
      next.entries = event.data.entries ?? session.entries;
      next.earlier = withoutSteps([...session.earlier, session.position], invalidated);
      next.context = contextWithout(session, invalidated);
      next.lastAccepted = null;
      next.earlierAccepted = [];
      // The agent cannot have lost the answer to a person's move.
      next.lastMove =
        steering === null ? { kind: 'went_back', seq: next.seq, process, to, invalidated } : null;
      next.nudges = resetNudges(session.nudges);
      next.steering = steering ?? notYetInformed(session);
      if (session.status !== 'active') reopen(next);
      break;
    }
    case 'adopted':
      next.position = withoutPendingReviews(session.position);
      next.level = event.data.level;
      next.takeovers = session.takeovers + 1;
      next.takenWith = event.data.stack ?? [];
      next.nudges = resetNudges(session.nudges);
      break;
    case 'nudged':
      next.nudges = { inRow: event.data.nth, total: session.nudges.total + 1, letGo: false };
      break;
    case 'let_go':
      next.nudges = { ...session.nudges, letGo: true };
      break;
    case 'stack_changed': {
      const { ended, person, reason } = event.data;
      next.steering = steeredBy(session, { ended, person, reason, step: null });
      break;
    }
    case 'informed': {
      const { process } = actorAfter(session.owner, event.data.by);
      const informed = { seq: next.seq, process };
      next.steering = session.steering && { ...session.steering, informed };
      break;
    }
    case 'aborted':
      next.status = 'aborted';
      next.endedAt = event.at;
      next.ending = event.data.ending;
      next.abortReason = event.data.explanation;
      next.abortedBy = event.data.person ?? null;
      next.steering = null;
      break;
  }
}

/** Below what its agent does now: that comes first. */
function reopen(next: Draft): void {
  next.status = 'active';
  next.level = 0;
  next.endedAt = null;
  next.ending = null;
  next.afterword = null;
}

/** Steering ends when the informed agent acts; it remains if the agent is not informed yet. */
function notYetInformed({ steering }: Session): Steering | null {
  return steering?.informed === null ? steering : null;
}

function steeringOf(session: Session, { person, reason = '', to }: WentBack['data']) {
  if (person === undefined) return null;
  return steeredBy(session, { person, reason, ended: null, step: to });
}

/** A second act does not hide the first one from the agent. */
function steeredBy(session: Session, act: SteeringAct): Steering {
  const earlier = actsOf(notYetInformed(session)).slice(-MAX_EARLIER_ACTS);
  return { ...act, before: earlier, informed: null };
}

/** The number of earlier acts that one answer reports; older ones are dropped. */
const MAX_EARLIER_ACTS = 9;

function begin(event: Started): Session {
  const { data, at } = event;
  return {
    seq: 1,
    id: data.session_id,
    source: data.source,
    jobName: data.job_name,
    jobDir: data.job_dir,
    workflowName: data.workflow_name,
    instanceId: data.instance_id,
    goal: data.goal,
    context: data.context,
    inputs: data.inputs ?? {},
    branchName: data.branch_name,
    branchFrom: data.branch_from ?? null,
    parentId: data.parent_session_id,
    runEntry: data.run_entry ?? null,
    owner: data.owner,
    level: data.level,
    takeovers: 0,
    takenWith: [],
    startedAt: at,
    lastActivityAt: at,
    endedAt: null,
    ending: null,
    status: 'active',
    afterword: null,
    abortReason: null,
    abortedBy: null,
    definition: data.definition,
    entries: data.entries ?? null,
    gate: data.gate ?? null,
    reported: [],
    position: arriveAt(data.position, at),
    earlier: [],
    lastAccepted: null,
    earlierAccepted: [],
    lastMove: { kind: 'started', seq: 1, process: data.owner.process, to: null, invalidated: [] },
    gates: [],
    nudges: NO_NUDGES,
    steering: null,
    approvals: {},
    history: remember(null, historyOf(null, event)),
  };
}

function judge(next: Draft, session: Session, event: Judged): void {
  const { data } = event;
  const { context, accepted } = data;
  advance(next, session, event, afterVerdict(session, event));
  if (context !== undefined) next.context = { ...session.context, ...context };
  next.lastMove = null;
  next.steering = notYetInformed(session);
  if (accepted.length > 0) {
    next.nudges = resetNudges(session.nudges);
    const submitted = accepted.map((member) => member.step_id);
    rememberCall(next, session, submitted, data);
  }
}

function rememberCall(
  next: Draft,
  session: Session,
  submitted: readonly string[],
  data: Judged['data'] | (Approved | Rejected | LoopAnswered)['data'],
): void {
  const { process } = actorAfter(session.owner, data.by);
  const { lastAccepted, earlierAccepted } = callsAfter(session, submitted, data, process);
  next.lastAccepted = lastAccepted;
  next.earlierAccepted = earlierAccepted;
}

/** Moves from `here`, the arrival after the event, to the event's position. */
function advance(
  next: Draft,
  session: Session,
  { at, data }: { readonly at: string; readonly data: MoveFields },
  here: Arrival,
): void {
  const { position, limit, feedback, definition, entries } = data;
  if (position !== null) {
    next.position = arriveAt(position, at, feedback);
    const left = withoutPendingReviews(here);
    next.earlier = withoutOldPasses([...session.earlier, left], session.position, position);
  } else if (limit === undefined)
    next.position = data.completed ? withoutPendingReviews(here) : here;
  else {
    const waiting = { feedback: feedback ?? null, reason: 'waiting_for_person' as const };
    next.position = { ...here, limit, ...waiting };
  }
  if (entries !== undefined) next.entries = entries;
  if (definition !== undefined) next.definition = definition;
  if (data.completed) {
    next.status = 'completed';
    next.afterword = data.afterword ?? null;
    next.endedAt = at;
    next.ending = data.ending ?? null;
  }
}

/** Remembers the call that waited for a person's answer, to recognize its repeat. */
function rememberWaitingCall(
  next: Draft,
  session: Session,
  { data }: Approved | Rejected | LoopAnswered,
): void {
  rememberCall(next, session, session.position.members, data);
  next.lastMove = null;
  next.nudges = resetNudges(session.nudges);
  next.steering = notYetInformed(session);
}

function reject(next: Draft, session: Session, event: Rejected): void {
  const { position, words, invalidated = [], name, definition, entries } = event.data;
  next.approvals = approvalsAfter(session, event);
  if (entries !== undefined) next.entries = entries;
  if (definition !== undefined) next.definition = definition;
  const { message } = rejectedHere(name, words);
  if (position === null) {
    const { asked: _asked, ...here } = session.position;
    next.position = { ...here, feedback: message, reason: null };
    next.lastMove = null;
    return;
  }
  next.position = arriveAt(position, event.at, words ?? message);
  next.earlier = withoutSteps([...session.earlier, session.position], invalidated);
  rememberWaitingCall(next, session, event);
  next.earlierAccepted = [];
}

function endRun(next: Draft, session: Session, event: RunEnded): void {
  const { aborted, reports } = event.data;
  next.lastMove = null;
  next.nudges = resetNudges(session.nudges);
  if (aborted === undefined) {
    advance(next, session, event, afterCompletion(session, event.at, event.data));
    if (reports !== undefined) next.context = { ...session.context, ...reports };
    // The last accepted call was one of the nested session.
    next.lastAccepted = null;
    return;
  }
  next.position = { ...session.position, runAborted: aborted, feedback: aborted };
}

function ownerAfter(owner: Owner, { data }: Exclude<SessionEvent, Started>): Owner {
  if ('owner' in data) return data.owner;
  return actorAfter(owner, 'by' in data ? data.by : undefined);
}

/** The owner stays the same. If the process that acted last ends, the session is an orphan. */
function actorAfter(owner: Owner, by: Owner | undefined): Owner {
  return by?.identity === owner.identity ? by : owner;
}

/**
 * The fields are listed, because every event of a replay needs a copy, and `{ ...session }` takes
 * several times as long.
 */
function copyOf(session: Session): Draft {
  return {
    seq: session.seq,
    id: session.id,
    source: session.source,
    jobName: session.jobName,
    jobDir: session.jobDir,
    workflowName: session.workflowName,
    instanceId: session.instanceId,
    goal: session.goal,
    context: session.context,
    inputs: session.inputs,
    branchName: session.branchName,
    branchFrom: session.branchFrom,
    parentId: session.parentId,
    runEntry: session.runEntry,
    owner: session.owner,
    level: session.level,
    takeovers: session.takeovers,
    takenWith: session.takenWith,
    startedAt: session.startedAt,
    lastActivityAt: session.lastActivityAt,
    endedAt: session.endedAt,
    ending: session.ending,
    status: session.status,
    afterword: session.afterword,
    abortReason: session.abortReason,
    abortedBy: session.abortedBy,
    definition: session.definition,
    entries: session.entries,
    gate: session.gate,
    reported: session.reported,
    position: session.position,
    earlier: session.earlier,
    lastAccepted: session.lastAccepted,
    earlierAccepted: session.earlierAccepted,
    lastMove: session.lastMove,
    gates: session.gates,
    nudges: session.nudges,
    steering: session.steering,
    approvals: session.approvals,
    history: session.history,
  };
}
