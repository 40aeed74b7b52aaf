// What may happen to a session: a command and the state it meets become an event, or
// a refusal. Nothing here reads a clock, a disk or a random source; time, ids and the
// definition as it is now come in with the command.

import { commit, refused, unchanged } from '../decision.ts';
import type { Refusal } from '../refusal.ts';
import type { Step, Workflow } from '../workflow.ts';
import { type Gate, isSameGate, type Weakening } from './gate.ts';
import { arrive, entryIndexOf, standing, stepIdsOf } from './positions.ts';
import * as refusals from './refusals.ts';
import { alreadyAccepted, type Call, isRepeat } from './repeats.ts';
import {
  type AcceptedMember,
  type Context,
  type Ending,
  type Evidence,
  type FailedMember,
  type GateChange,
  isCompleted,
  type Owner,
  progressOf,
  type Session,
  type SessionDecision,
  type Taken,
} from './state.ts';
import { assignOutputs, type Submitted, stillToSubmit } from './submission.ts';

/** A definition as it was read for this command. */
export interface Edition {
  readonly workflow: Workflow;
  readonly hash: string;
}

export interface StartCommand {
  readonly at: string;
  readonly id: string;
  readonly kind: Session['kind'];
  readonly owner: Owner;
  readonly parentId: string | null;
  readonly level: number;
  readonly jobName: string;
  readonly jobDir: string;
  readonly goal: string;
  readonly instanceId: string | null;
  readonly context: Context;
  readonly branch: { readonly branch_name: string; readonly branch_from?: string };
  readonly edition: Edition;
  /** What the gate demands now, to know it when it demands less. */
  readonly gate?: Gate;
}

export function decideStart(command: StartCommand): SessionDecision {
  const { workflow } = command.edition;
  const context = {
    ...command.context,
    goal: command.goal,
    job_name: command.jobName,
    workflow_name: workflow.name,
    instance_id: command.instanceId,
  };
  const { position, skipped } = arrive(workflow, 0, context, 1);
  if (position === null) return refused(refusals.nothingToRun(workflow));
  return commit({
    type: 'started',
    at: command.at,
    data: {
      session_id: command.id,
      kind: command.kind,
      job_name: command.jobName,
      job_dir: command.jobDir,
      workflow_name: workflow.name,
      instance_id: command.instanceId,
      goal: command.goal,
      context,
      ...command.branch,
      parent_session_id: command.parentId,
      level: command.level,
      owner: command.owner,
      definition: command.edition.hash,
      ...(command.gate !== undefined && { gate: command.gate }),
      position,
      skipped,
    },
  });
}

export type Hearing =
  | {
      readonly kind: 'run';
      readonly visit: number;
      readonly members: readonly Step[];
      readonly submitted: readonly Submitted[];
    }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Understands a call before any work is done for it: what it submits, or why not. */
export function hear(session: Session, workflow: Workflow, call: Call): Hearing {
  if (session.status !== 'active') {
    return session.status === 'completed' && isRepeat(session, call)
      ? { kind: 'repeat' }
      : { kind: 'refused', refusal: refusals.noSuchSession(session.id) };
  }
  const here = standing(session, workflow);
  if (here === null) return { kind: 'refused', refusal: refusals.currentStepGone(session) };
  const { members } = here;

  if (call.stepId !== null && !members.some((step) => step.id === call.stepId)) {
    if (session.lastAccepted?.stepIds.includes(call.stepId) && isRepeat(session, call)) {
      return { kind: 'repeat' };
    }
    return { kind: 'refused', refusal: wrongStep(session, workflow, here.entryIndex, call.stepId) };
  }

  const done = (id: string) => isCompleted(session, id);
  const assignment = assignOutputs(members, done, call.outputs, call.stepId);
  const fits =
    assignment.kind === 'members' && assignment.submitted.every((each) => typesFit(each));
  if (!fits && isRepeat(session, call)) return { kind: 'repeat' };
  if (assignment.kind === 'refused') return assignment;
  return {
    kind: 'run',
    visit: session.position.visit,
    members,
    submitted: assignment.submitted,
  };
}

export interface ReviewCommand {
  readonly at: string;
  readonly by: Owner;
  readonly visit: number;
  readonly review: string;
  readonly stepIds: readonly string[];
}

export function decideReview(session: Session, command: ReviewCommand): SessionDecision {
  const { at, by, visit, review } = command;
  if (session.status !== 'active' || session.position.visit !== visit) {
    return refused(refusals.stepIsPast(session, command.stepIds[0] ?? ''));
  }
  return commit({
    type: 'reviewing',
    at,
    data: { ...actorIfNew(session, by), visit, review, step_ids: command.stepIds },
  });
}

export interface SettleCommand {
  readonly at: string;
  readonly by: Owner;
  /** The visit that the call was bound to on arrival. */
  readonly visit: number;
  readonly call: Call;
  readonly context: Context;
  readonly accepted: readonly AcceptedMember[];
  readonly failed: readonly FailedMember[];
  readonly evidence: readonly Evidence[];
  readonly voided: readonly string[];
  /** Why reviews came to no verdict. */
  readonly faults: readonly string[];
  readonly edition: Edition;
  /** What the gate demands now, and what of it is weaker than before. */
  readonly gate?: GateChange;
  /** Told with the answer, and again when the same call comes again. */
  readonly warnings: readonly string[];
  /** Recorded if this completes the session; left out where it cannot. */
  readonly ending?: Ending;
}

export function decideSettle(session: Session, command: SettleCommand): SessionDecision {
  const { at, by, visit, call, accepted, failed, evidence, voided, edition } = command;
  if (session.status !== 'active' || session.position.visit !== visit) {
    const sameCall = session.lastAccepted?.visit === visit && isRepeat(session, call);
    if (sameCall && session.status !== 'aborted') return unchanged();
    const first = (accepted[0] ?? failed[0])?.step_id ?? voided[0] ?? call.stepId;
    return refused(refusals.stepIsPast(session, first ?? ''));
  }
  const here = standing(session, edition.workflow);
  if (here === null) return refused(refusals.currentStepGone(session));
  const acceptedIds = accepted.map((member) => member.step_id);
  const judgedIds = [...failed.map((member) => member.step_id), ...voided];
  // What was handed in again and failed is open again, whatever was accepted before.
  const open = here.members.filter(
    ({ id }) => judgedIds.includes(id) || !(acceptedIds.includes(id) || isCompleted(session, id)),
  );
  const nothingNew = accepted.every((member) => alreadyAccepted(session, member, call.notes));
  const nothingRan = judgedIds.length === 0 && evidence.length === 0;
  if (nothingNew && nothingRan && open.length > 0) return unchanged();

  // Context counts from the moment the call is accepted, its own conditions included.
  const context = accepted.length > 0 ? withoutReserved(command.context) : {};
  const data = {
    ...actorIfNew(session, by),
    visit,
    ...(edition.hash !== session.definition && { definition: edition.hash }),
    ...(command.gate !== undefined && isNewGate(session, command.gate) && { gate: command.gate }),
    accepted,
    sent: { outputs: call.outputs, notes: call.notes },
    ...(failed.length > 0 && { failed }),
    ...(evidence.length > 0 && { evidence }),
    ...(voided.length > 0 && { voided }),
    ...(command.warnings.length > 0 && { warnings: command.warnings }),
    ...(Object.keys(context).length > 0 && { context }),
  };
  if (open.length > 0) {
    const judged = accepted.length > 0 || failed.length > 0;
    const feedback = judged
      ? stayingFeedback(
          here.members,
          open,
          [...failed.map(({ feedback }) => feedback), ...command.faults],
          judgedIds,
          acceptedIds,
        )
      : session.lastFeedback;
    return commit({
      type: 'settled',
      at,
      data: { ...data, position: null, ...(feedback !== null && { feedback }) },
    });
  }
  const next = arrive(
    edition.workflow,
    here.entryIndex + 1,
    { ...session.context, ...context },
    visit + 1,
  );
  const warnings = [...command.warnings, ...next.unset];
  return commit({
    type: 'settled',
    at,
    data: {
      ...data,
      ...(warnings.length > 0 && { warnings }),
      position: next.position,
      ...(next.skipped.length > 0 && { skipped: next.skipped }),
      ...(next.position === null && {
        completed: true as const,
        ...(command.ending !== undefined && { ending: command.ending }),
      }),
    },
  });
}

function isNewGate({ gate }: Session, { now }: GateChange): boolean {
  return gate === null || !isSameGate(gate, now);
}

/** Puts on record, once, that the gate became weaker and no person has agreed yet. */
export function decideReport(
  session: Session,
  command: { at: string; by: Owner; weakened: readonly Weakening[] },
): SessionDecision {
  if (session.status !== 'active') return refused(refusals.noSuchSession(session.id));
  const { at, by, weakened } = command;
  if (JSON.stringify(weakened) === JSON.stringify(session.reported)) return unchanged();
  return commit({ type: 'gate_weakened', at, data: { ...actorIfNew(session, by), weakened } });
}

/** What was accepted, and what keeps the session at its entry: findings, open members. */
function stayingFeedback(
  members: readonly Step[],
  open: readonly Step[],
  findings: readonly string[],
  judgedIds: readonly string[],
  acceptedIds: readonly string[],
): string {
  const missing = open.filter((step) => !judgedIds.includes(step.id));
  const staying = [
    ...findings.filter((finding) => finding !== ''),
    ...(missing.length > 0 ? [stillToSubmit(members, missing)] : []),
  ].join('; ');
  // Where something has to be fixed, that alone is said.
  if (findings.length > 0) return staying;
  const names = acceptedIds.map((id) => `'${id}'`).join(', ');
  const verb = acceptedIds.length === 1 ? 'is' : 'are';
  return names === '' ? staying : `${names} ${verb} accepted. ${staying}`;
}

/** What a call that names no member of a concurrent entry is told; null if all are done. */
export function nothingSubmitted(
  session: Session,
  { members, submitted }: Pick<Extract<Hearing, { kind: 'run' }>, 'members' | 'submitted'>,
): string | null {
  if (submitted.length > 0) return null;
  const open = members.filter((step) => !isCompleted(session, step.id));
  return open.length === 0 ? null : stillToSubmit(members, open);
}

export interface GoBackCommand {
  readonly at: string;
  readonly by: Owner;
  readonly stepId: string;
  readonly edition: Edition;
}

export function decideGoBack(session: Session, command: GoBackCommand): SessionDecision {
  if (session.status !== 'active') return refused(refusals.noSuchSession(session.id));
  const { workflow } = command.edition;
  const target = entryIndexOf(workflow, command.stepId);
  if (target === -1) return refused(refusals.noSuchStep(workflow, command.stepId));
  // When the current step left the file, anywhere up to where it stood is back.
  const current = standing(session, workflow)?.entryIndex ?? session.position.entryIndex;
  if (target > current) return refused(refusals.noForwardJump(session, command.stepId));

  const before = workflow.entries.slice(0, target).flat();
  const known = stepIdsOf(workflow);
  // What an edit removed from the workflow is not before the target, so it goes as well.
  const invalidated = [
    ...known,
    ...Object.keys(session.progress).filter((id) => !known.includes(id)),
  ]
    .filter((id) => !before.some((step) => step.id === id))
    .filter((id) => id === command.stepId || progressOf(session.progress, id) !== undefined);
  return commit({
    type: 'went_back',
    at: command.at,
    data: {
      ...actorIfNew(session, command.by),
      definition: command.edition.hash,
      from: session.position.members[0] as string,
      to: command.stepId,
      position: {
        entryIndex: target,
        members: (workflow.entries[target] ?? []).map((step) => step.id),
        skipped: [],
        visit: session.position.visit + 1,
      },
      invalidated,
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
  command: { at: string; by: Owner; explanation: string; ending: Ending },
): SessionDecision {
  if (session.status !== 'active') return refused(refusals.noSuchSession(session.id));
  const { at, by, explanation, ending } = command;
  return commit({
    type: 'aborted',
    at,
    data: { ...actorIfNew(session, by), explanation, ending },
  });
}

function wrongStep(session: Session, workflow: Workflow, entryIndex: number, stepId: string) {
  const index = entryIndexOf(workflow, stepId);
  if (index === -1) return refusals.noSuchStep(workflow, stepId);
  return index > entryIndex
    ? refusals.stepIsAhead(session, stepId)
    : refusals.stepIsPast(session, stepId);
}

function typesFit({ step, outputs }: Submitted): boolean {
  return step.outputs.every((output) => {
    if (!outputs.has(output.name)) return true;
    const value = outputs.get(output.name);
    if (output.type === 'file') return typeof value === 'string';
    return (
      Array.isArray(value) &&
      value.every((path) => typeof path === 'string') &&
      (value.length > 0 || !output.required)
    );
  });
}

const RESERVED = ['goal', 'job_name', 'workflow_name', 'instance_id'];

/** A caller's context never overrides what the session says of itself. */
export function withoutReserved(context: Context): Context {
  return Object.fromEntries(Object.entries(context).filter(([key]) => !RESERVED.includes(key)));
}

function actorIfNew({ owner }: Session, by: Owner): { by?: Owner } {
  return by.identity === owner.identity && by.process === owner.process ? {} : { by };
}
