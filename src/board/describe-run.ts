// A folded run as people see it.

import { itemOf } from '../core/session/for-each.ts';
import { currentEntry } from '../core/session/positions.ts';
import { openStepId, progressOf } from '../core/session/progress.ts';
import { nameForPeople, type Session } from '../core/session/state.ts';
import { isSubmittedByName, shownOutputs } from '../core/session/submission.ts';
import { isAtTerminal } from '../core/session/terminal-caller.ts';
import type { Workflow } from '../core/workflow.ts';
import type { FoldedRun } from './fold-run.ts';
import type { Run } from './run.ts';
import { closedText } from './run-questions.ts';
import { later, type RunContext, runStateOf } from './run-state.ts';

export function describeRun(folded: FoldedRun, context: RunContext): Run {
  const { session, refusals, overrides } = folded;
  const step = openStepId(session);
  const lastActivityAt = later(session.lastActivityAt, context.askedAt);
  const agentSeenAt = later(folded.agentSeenAt, context.askedAt);
  return {
    session_id: session.id,
    workflow: nameForPeople(session),
    goal: session.goal,
    agent: context.names.ofOwner(session.owner),
    parent_session_id: session.parentId,
    status: session.status,
    state: runStateOf(folded, context),
    step,
    position: positionOf(session),
    ...passOf(session),
    ...itemAt(session, step),
    started_at: session.startedAt,
    last_activity_at: lastActivityAt,
    ...(agentSeenAt !== lastActivityAt && { agent_seen_at: agentSeenAt }),
    ...(isAtTerminal(session.owner) && { at_terminal: true }),
    ...waitsAt(session, context),
    ended_at: session.endedAt,
    attempts: attemptsAt(session, step),
    refusals,
    overrides,
    nudges: session.nudges.total,
    last_feedback: feedbackOf(session, context),
    questions: session.status === 'active' ? context.questions : [],
  };
}

function positionOf({ position, entries }: Session): Run['position'] {
  const index = position.entryIndex + 1;
  return { index, of: Math.max(entries ?? index, index) };
}

function passOf({ position }: Session): Pick<Run, 'pass'> {
  const inner = position.loops?.at(-1);
  return inner === undefined ? {} : { pass: inner.pass };
}

function waitsAt(
  { status, position: { at } }: Session,
  { closed }: RunContext,
): Pick<Run, 'waits_at'> {
  if (status !== 'active' || (at?.kind !== 'approve' && at?.kind !== 'run')) return {};
  const isAnswered = at.kind === 'approve' && closed?.outcome?.kind === 'answered';
  return { waits_at: isAnswered ? 'answered' : at.kind };
}

/** Nothing if its entry is gone from the workflow. */
export function handInOf(session: Session, workflow: Workflow): Pick<Run, 'hand_in'> {
  const members = currentEntry(session, workflow)?.members ?? [];
  const open = members.find(({ id }) => id === openStepId(session));
  if (open === undefined) return {};
  const own = shownOutputs(members).filter(({ step }) => step === open);
  const outputs = own.filter(({ output }) => output.required).map(({ shown }) => shown);
  const isNamed = members.length > 1 && isSubmittedByName(open);
  return { hand_in: { outputs, ...(isNamed && { step_id: open.id }) } };
}

/** What a person has said since replaces the feedback that a person was asked. */
function feedbackOf({ status, position, abortReason }: Session, { closed }: RunContext) {
  if (status !== 'active') return abortReason;
  if (closed?.outcome == null) return position.feedback;
  const next = closed.outcome.kind === 'answered' ? 'goes on from there' : 'asks again';
  return `${closedText(closed.id, closed.outcome)}. The next call of finished_step ${next}.`;
}

/** Items may be accepted in any order, so the open one does not say how many are. */
function itemAt({ position: { at, progress } }: Session, step: string): Pick<Run, 'item'> {
  if (at?.kind !== 'for_each') return {};
  const accepted = progress.filter(({ completedAt }) => completedAt !== null).length;
  return { item: { index: itemOf(step)?.index ?? 1, of: at.items.length, accepted } };
}

/** Counts a running review, as the readable view of the session does. */
function attemptsAt(session: Session, step: string): number {
  const progress = progressOf(session, step);
  if (progress === undefined) return 0;
  return progress.attempts + (progress.pendingReview === null ? 0 : 1);
}
