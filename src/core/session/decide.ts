// Decides what may happen to a session: a command and the current state give an event or a
// refusal. Nothing here reads a clock, a disk or a random source; the command brings the time,
// ids and the current definition.

import type { Context } from '../conditions.ts';
import { commit, refused, unchanged } from '../decision.ts';
import { RESERVED_VARIABLES, type VariableValues } from '../variables.ts';
import type { SessionDecision } from './events.ts';
import type { Facts } from './facts.ts';
import type { Gate, Weakening } from './gate.ts';
import { planGoBack } from './go-back.ts';
import { isPast } from './late-calls.ts';
import { definitionIfNew, type MoveCommand, type WorkflowInUse } from './move-fields.ts';
import { enterWorkflow } from './next-entry.ts';
import * as refusals from './refusals.ts';
import { currentStepId, type Ending, type Owner, type Session, type Taken } from './state.ts';
import { contextWithout } from './variables.ts';

export type { WorkflowInUse };

export interface StartCommand {
  readonly at: string;
  readonly id: string;
  readonly source: Session['source'];
  readonly owner: Owner;
  readonly parentId: string | null;
  /** The `run` of the parent that starts it. */
  readonly runEntry?: string;
  readonly level: number;
  readonly jobName: string;
  readonly jobDir: string;
  readonly goal: string;
  readonly instanceId: string | null;
  readonly context: Context;
  /** Already validated, with defaults; they become part of the context. */
  readonly inputs?: VariableValues;
  readonly branch: { readonly branch_name: string; readonly branch_from?: string };
  readonly inUse: WorkflowInUse;
  readonly facts?: Facts;
  /** What the gate demands now, to detect later that it demands less. */
  readonly gate?: Gate;
}

export function decideStart(command: StartCommand): SessionDecision {
  const { workflow } = command.inUse;
  const { inputs = {} } = command;
  const context = {
    ...command.context,
    ...inputs,
    goal: command.goal,
    job_name: command.jobName,
    workflow_name: workflow.name,
    instance_id: command.instanceId,
  };
  const { facts = {} } = command;
  const first = { workflow, context, facts, handedIn: () => [], arrival: 1 };
  const { stop, skipped } = enterWorkflow(first);
  if (stop.kind === 'refused') return refused(stop.refusal);
  if (stop.kind !== 'at') return refused(refusals.nothingToRun(workflow));
  return commit({
    type: 'started',
    at: command.at,
    data: {
      session_id: command.id,
      source: command.source,
      job_name: command.jobName,
      job_dir: command.jobDir,
      workflow_name: workflow.name,
      instance_id: command.instanceId,
      goal: command.goal,
      context,
      ...(Object.keys(inputs).length > 0 && { inputs }),
      ...command.branch,
      parent_session_id: command.parentId,
      ...(command.runEntry !== undefined && { run_entry: command.runEntry }),
      level: command.level,
      owner: command.owner,
      definition: command.inUse.hash,
      ...(command.gate !== undefined && { gate: command.gate }),
      position: stop.position,
      skipped,
      entries: workflow.entries.length,
    },
  });
}

export interface ChecksCommand {
  readonly at: string;
  readonly by: Owner;
  readonly arrival: number;
  readonly stepIds: readonly string[];
}

/**
 * Records that checks begin, or were stopped before they ended. Whether the submission still
 * counts is decided with its verdict.
 */
export function decideChecks(
  session: Session,
  type: 'checking' | 'checks_stopped',
  { at, by, arrival, stepIds }: ChecksCommand,
): SessionDecision {
  if (isPast(session, arrival)) return unchanged();
  return commit({ type, at, data: { ...actorIfNew(session, by), arrival, step_ids: stepIds } });
}

export function decideReview(
  session: Session,
  { at, by, arrival, stepIds, review }: ChecksCommand & { readonly review: string },
): SessionDecision {
  if (isPast(session, arrival)) return refused(refusals.stepIsPast(session, stepIds[0] ?? ''));
  const data = { ...actorIfNew(session, by), arrival, review, step_ids: stepIds };
  return commit({ type: 'reviewing', at, data });
}

/** Records, once, that the gate became weaker and no person has agreed yet. */
export function decideGateWeakened(
  session: Session,
  command: { at: string; by: Owner; weakened: readonly Weakening[] },
): SessionDecision {
  if (session.status !== 'active') return refused(refusals.noSuchSession(session.id));
  const { at, by, weakened } = command;
  if (JSON.stringify(weakened) === JSON.stringify(session.reported)) return unchanged();
  return commit({ type: 'gate_weakened', at, data: { ...actorIfNew(session, by), weakened } });
}

/** Who moves a run: its agent, or a person. */
export type Mover = Owner | { readonly person: string };

export interface GoBackCommand extends Omit<MoveCommand, 'ending'> {
  readonly at: string;
  readonly by: Mover;
  /** Given by a person. */
  readonly reason?: string;
  readonly stepId: string;
}

/** Only a person opens a completed session again. */
export function decideGoBack(session: Session, command: GoBackCommand): SessionDecision {
  const reopens = session.status === 'completed' && 'person' in command.by;
  if (session.status !== 'active' && !reopens) return refused(refusals.noSuchSession(session.id));
  const back = planGoBack(session, command.stepId, command, (cleared) =>
    contextWithout(session, cleared),
  );
  if (back.kind === 'refused') return back;
  return commit({
    type: 'went_back',
    at: command.at,
    data: {
      ...moverOf(session, command.by),
      ...(command.reason !== undefined && { reason: command.reason }),
      ...definitionIfNew(session, command),
      definition: command.inUse.hash,
      from: currentStepId(session),
      to: command.stepId,
      position: back.position,
      invalidated: back.invalidated,
    },
  });
}

export function decideAdopt(
  session: Session,
  command: { at: string; owner: Owner; level: number; stack: readonly Taken[] },
): SessionDecision {
  if (session.status !== 'active') return refused(refusals.noSuchSession(session.id));
  const { at, owner, level, stack } = command;
  const data = { owner, level, ...(stack.length > 1 && { stack }) };
  return commit({ type: 'adopted', at, data });
}

export function decideAbort(
  session: Session,
  command: { at: string; by: Mover; explanation: string; ending: Ending },
): SessionDecision {
  if (session.status !== 'active') return refused(refusals.noSuchSession(session.id));
  const { at, by, explanation, ending } = command;
  return commit({ type: 'aborted', at, data: { ...moverOf(session, by), explanation, ending } });
}

/** A caller's context cannot override the session's own variables. */
export function withoutReserved(context: Context): Context {
  return Object.fromEntries(
    Object.entries(context).filter(([key]) => !RESERVED_VARIABLES.includes(key)),
  );
}

/** Recorded only if it differs from the last actor. */
export function actorIfNew({ owner }: Session, by: Owner): { by?: Owner } {
  return by.identity === owner.identity && by.process === owner.process ? {} : { by };
}

function moverOf(session: Session, by: Mover): { by?: Owner; person?: string } {
  return 'person' in by ? { person: by.person } : actorIfNew(session, by);
}

/** Refuses if the session does not exist. */
export function ofExisting<D extends SessionDecision | Promise<SessionDecision>>(
  id: string,
  decide: (session: Session) => D,
): (session: Session | null) => D | SessionDecision {
  return (session) => (session === null ? refused(refusals.noSuchSession(id)) : decide(session));
}
