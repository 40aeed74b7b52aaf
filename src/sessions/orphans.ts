// What answers say about sessions that were left behind: which there are, who left them, and how to
// continue one.

import { refuse } from '../core/refusal.ts';
import { agentNameOf, claimOf, type Processes } from '../core/session/ownership.ts';
import { openStepId } from '../core/session/progress.ts';
import { type LeftStack, livenessOfAll, stackOf } from '../core/session/stack.ts';
import { type Owner, type Session, workflowLabel } from '../core/session/state.ts';
import { shown } from '../core/wording.ts';
import { type StackItem, stackItem } from './stack-items.ts';

export const MAX_IN_ERROR = 10;
const MAX_GOAL_LENGTH = 500;

export interface Orphan extends StackItem {
  readonly goal: string;
  readonly started_at: string;
  readonly last_activity_at: string;
  /** The agent and process that had it, and their host. */
  readonly left_by: string;
  /** The workflow that waits for it; absent if none does. */
  readonly nested_in?: string;
}

export function leftUnfinished(left: LeftStack, processes: Processes): string {
  const orphan = orphanOf(left, processes);
  const below = left.sessions.slice(0, -1).map((each) => `${each.id} (${workflowLabel(each)})`);
  const nested = below.length === 0 ? '' : ` It is nested in ${below.reverse().join(', in ')}.`;
  return `Left unfinished: session ${describeOrphan(orphan)}.${nested} To continue it, call get_active_workflow with session_id "${orphan.session_id}".`;
}

/** For a session in `stack` that is not the caller's, but would be acted on. */
export function notTakenOver(id: string): string {
  return `Session ${id} was left behind and is not yours yet. The next finished_step, go_to_step or abort_workflow without session_id takes it over; so does get_active_workflow with session_id "${id}", which you need before you start a workflow to be nested in it.`;
}

/** For a session that was requested by its id while another one is on top of it. */
export function comesFirst(top: Session): string {
  return `Session ${top.id} (${workflowLabel(top)}, step '${openStepId(top)}') is nested in this one and comes first: a call without session_id acts on that one.`;
}

export const LISTED = 'get_active_workflow lists them';

/** Nothing to work on; names orphaned sessions, so that the caller can request one. */
export function nothingActive(
  left: readonly LeftStack[],
  aborted: readonly string[],
  notices: readonly string[],
  processes: Processes,
) {
  const orphans = inOrderOfStart(left).map((each) => orphanOf(each, processes));
  const listed = orphans.slice(0, MAX_IN_ERROR).map((orphan) => {
    const nested = orphan.nested_in === undefined ? '' : `, nested in ${orphan.nested_in}`;
    return `${describeOrphan(orphan)}${nested}`;
  });
  const more = orphans.length - listed.length;
  if (more > 0) listed.push(`${more} more (${LISTED})`);
  const next =
    orphans.length === 0
      ? aborted.length > 0
        ? 'Tell your user, and start a workflow only if they want one: get_workflows lists them.'
        : 'call get_workflows to see what can be started, then start_workflow.'
      : `continue one that was left behind by giving its session_id: ${listed.join('; ')}. Or start a workflow.`;
  // A person's reason comes before any suggestion to begin something else.
  return refuse(
    'no_session',
    'No active workflow session. Use start_workflow to begin a workflow.',
    [...aborted, next, ...notices].join(' '),
  );
}

function describeOrphan(orphan: Orphan): string {
  const { session_id, workflow, step, goal, left_by, last_activity_at } = orphan;
  return `${session_id} (${workflow} at step '${step}', goal '${shown(goal)}', left by ${left_by}, last active ${last_activity_at})`;
}

/** Why this caller cannot work on an active session. */
export function whyUnavailable(
  caller: Owner,
  session: Session,
  sessions: readonly Session[],
  processes: Processes,
): string {
  const { owner } = session;
  const liveness = livenessOfAll(stackOf(sessions, owner.identity), processes.livenessOf);
  const by = leftBy(session, processes);
  return claimOf(caller, owner, liveness) === 'alive'
    ? `It is being worked on by ${by}.`
    : `It was left by ${by}; only agent '${agentNameOf(owner)}', or the coordinator by giving this session_id, can continue it.`;
}

export function orphanOf(left: LeftStack, processes: Processes): Orphan {
  const top = topOf(left);
  const below = left.sessions.at(-2);
  return {
    ...stackItem(top),
    goal: top.goal.slice(0, MAX_GOAL_LENGTH),
    started_at: top.startedAt,
    last_activity_at: top.lastActivityAt,
    left_by: leftBy(top, processes),
    ...(below !== undefined && { nested_in: workflowLabel(below) }),
  };
}

function leftBy({ owner }: Session, processes: Processes): string {
  const process = processes.describe(owner.process);
  return owner.agent === undefined ? process : `agent '${agentNameOf(owner)}', ${process}`;
}

/** For display only. */
export function inOrderOfStart(left: readonly LeftStack[]): LeftStack[] {
  return [...left].sort((a, b) => (topOf(a).startedAt < topOf(b).startedAt ? -1 : 1));
}

export function topOf({ sessions }: LeftStack): Session {
  return sessions.at(-1) as Session;
}
