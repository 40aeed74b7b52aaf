// The reference's `finished_step`, in the three moments that can be apart in time: the call is read,
// its reviews begin, and its outcome is settled.

import type { Answer } from './answers.ts';
import { type Finish, feedbackOn, judge, MAX_ATTEMPTS, type Value } from './calls.ts';
import type { PlainJob, PlainStep } from './definitions.ts';
import {
  actOn,
  answered,
  claim,
  inform,
  jobOf,
  type Model,
  type ModelSession,
  type ModelStep,
  moveOn,
  newStep,
  placeIn,
  refused,
  takeOff,
} from './reference-model.ts';
import { declaredBy, fits, type Submitted, sharedNames, sortOut } from './reference-outputs.ts';

/** A valid call, bound to the arrival that it found. */
export interface ReceivedModelCall extends Submitted {
  readonly call: Finish;
  readonly session: string;
  readonly arrival: number;
  readonly job: PlainJob;
  readonly members: readonly PlainStep[];
}

export function listen(model: Model, call: Finish): ReceivedModelCall | Answer {
  const ended = call.session === null ? undefined : model.sessions.get(call.session);
  if (
    ended?.status === 'completed' &&
    ended.owner === call.actor.owner &&
    isLastAccepted(ended, call)
  ) {
    return answered(model, call.actor, 'workflow_complete', ended);
  }
  const session = claim(model, call.actor, call.session);
  if ('code' in session) return refused(model, call.actor, session, null);
  const no = (code: string, message: string | null) =>
    refused(model, call.actor, { code, message }, session);

  const job = jobOf(model, session.job);
  if (job.workflow !== session.workflow) return no('workflow_not_found', null);
  const place = placeIn(session, job);
  // The step is to be shown to a caller that was sent back to it.
  const isGone = place === null && session.news?.ended === null;
  const news = isGone ? null : inform(model, call.actor, session);
  if (news !== null) return news;
  if (place === null) {
    return no('step_not_found', `Current step not found: ${session.members[0]}`);
  }
  const { members, index } = place;
  const { stepId } = call;
  if (stepId !== null && !members.some((step) => step.id === stepId)) {
    if (isLastAccepted(session, call)) return repeated(model, call, session);
    const at = job.entries.findIndex((entry) => entry.some((step) => step.id === stepId));
    if (at === -1) {
      const all = job.entries.flat().map((step) => step.id);
      const message = `Step '${stepId}' not found in workflow '${job.workflow}'. Available steps: ${all.join(', ')}`;
      return no('step_not_found', message);
    }
    return no('step_not_current', at > index ? null : noLonger(stepId, session));
  }

  const done = new Set(members.map(({ id }) => id).filter((id) => session.steps.get(id)?.done));
  const sorted = sortOut(members, done, call.outputs, stepId);
  const suits = 'given' in sorted && fits(members, sorted.given);
  if (!suits && isLastAccepted(session, call)) return repeated(model, call, session);
  if (!('given' in sorted)) return no(sorted.code, sorted.message);
  if (!suits) return no('outputs_invalid', null);
  const open = members.filter(({ id }) => !done.has(id));
  if (sorted.given.size === 0 && open.length > 0) {
    // It submits no member, so all open ones are named.
    const feedback = open.map(({ id }) => id);
    return { ...answered(model, call.actor, 'needs_work', session), feedback };
  }
  return { call, session: session.id, arrival: session.arrival, job, members, ...sorted };
}

/** The attempt is recorded before the reviewer begins. */
export function review(model: Model, received: ReceivedModelCall): ReceivedModelCall | Answer {
  const session = model.sessions.get(received.session) as ModelSession;
  const ids = submitted(received).filter((step) => judge(received.call, step).byReviewer);
  if (ids.length === 0) return received;
  if (isLate(session, received)) return late(model, received, ids[0]?.id ?? null);
  for (const { id } of ids) begun(session, id).reviewRuns = true;
  actOn(session, received.call.actor);
  return received;
}

export function settle(model: Model, received: ReceivedModelCall): Answer {
  const { call, job } = received;
  const session = model.sessions.get(received.session) as ModelSession;
  const judged = submitted(received).map((step) => ({ step, ...judge(call, step) }));
  const accepted = judged.filter((each) => each.result === 'accepted');
  const failed = judged.filter((each) => each.result === 'failed');
  const voided = judged.filter((each) => each.result === 'voided');

  if (isLate(session, received)) {
    const same = session.last?.arrival === received.arrival && isLastAccepted(session, call);
    if (same && session.status !== 'aborted') return repeated(model, call, session);
    const first = accepted[0] ?? failed[0] ?? voided[0];
    return late(model, received, first?.step.id ?? null);
  }

  // Who takes part is asked now: what another call has said meanwhile counts.
  const place = placeIn(session, job);
  if (place === null) throw new Error('a call was heard at a step that is not there');
  const { members } = place;
  const isOpen = (step: PlainStep) =>
    !session.steps.get(step.id)?.done && !accepted.some((each) => each.step === step);
  const open = members.filter(isOpen);
  const something =
    failed.length > 0 ||
    voided.length > 0 ||
    judged.some((each) => each.byReviewer) ||
    accepted.some(({ step }) => !isAsBefore(session, received, step));
  if (!something && open.length > 0) return repeated(model, call, session);

  actOn(session, call.actor);
  const together = accepted
    .map(({ step }) => step)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  for (const step of together) accept(model, session, received, step);
  for (const { step, byReviewer } of accepted) {
    if (byReviewer) begun(session, step.id).attempts += 1;
  }
  for (const { step, stage } of failed) {
    const record = begun(session, step.id);
    record.reviewRuns = false;
    if (stage === 'review') record.attempts += 1;
    if (stage === 'self_review') {
      record.asked = { paths: pathsGiven(received, step), notes: call.notes };
    }
  }
  for (const { step } of voided) begun(session, step.id).reviewRuns = false;
  if (accepted.length > 0) {
    for (const [name, value] of Object.entries(call.context)) {
      if (!OWN_FACTS.includes(name)) session.context[name] = value;
    }
    const { last } = session;
    const again = last?.arrival === received.arrival && isSameWord(last, call);
    const before = again ? last.steps : [];
    session.last = {
      steps: [...before, ...accepted.map(({ step }) => step.id)],
      arrival: received.arrival,
      outputs: call.outputs,
      notes: call.notes,
      context: call.context,
    };
  }

  const isPart = ({ step }: { readonly step: PlainStep }) => members.includes(step);
  if (open.length > 0 || failed.some(isPart) || voided.some(isPart)) {
    if (accepted.length === 0 && failed.length === 0) {
      return answered(model, call.actor, 'fault', session);
    }
    const feedback = failed.map(({ step, stage }) => feedbackOn(step.id, stage));
    const over = failed
      .filter((each) => each.stage === 'review')
      .filter(({ step }) => begun(session, step.id).attempts >= MAX_ATTEMPTS)
      .map(({ step, stage }) => feedbackOn(step.id, stage));
    if (over.length > 0) {
      const message = `Quality gate failed after ${MAX_ATTEMPTS} attempts. Feedback: ${over.join('; ')}`;
      return refused(model, call.actor, { code: 'quality_gate_failed', message }, session);
    }
    for (const step of open) {
      if (failed.some((each) => each.step === step)) continue;
      if (voided.some((each) => each.step === step)) continue;
      feedback.push(step.id);
      for (const each of declaredBy(members)) if (each.step === step) feedback.push(each.shown);
    }
    return { ...answered(model, call.actor, 'needs_work', session), feedback };
  }
  // What is still being reviewed here will be too late.
  for (const step of session.steps.values()) step.reviewRuns = false;
  const goesOn = moveOn(session, job, place.index + 1);
  if (!goesOn) {
    session.status = 'completed';
    takeOff(model, session);
  }
  return answered(model, call.actor, goesOn ? 'next_step' : 'workflow_complete', session);
}

const OWN_FACTS = ['goal', 'job_name', 'workflow_name', 'instance_id'];

function accept(
  model: Model,
  session: ModelSession,
  received: ReceivedModelCall,
  step: PlainStep,
): void {
  const record = begun(session, step.id);
  record.notes = notesOf(session, received, step);
  record.done = true;
  record.outputs = new Map(received.given.get(step.id));
  record.shared = sharedNames(received.members, step);
  record.content = received.call.content;
  record.reviewRuns = false;
  session.completedInOrder = session.completedInOrder.filter((id) => id !== step.id);
  session.completedInOrder.push(step.id);
  model.accepted.push(`${session.id} ${received.arrival} ${step.id}`);
}

/** A member that an edit added begins when it is first seen. */
function begun(session: ModelSession, id: string): ModelStep {
  const step = session.steps.get(id) ?? newStep();
  session.steps.set(id, step);
  return step;
}

/** Already done, with exactly these files and notes. */
function isAsBefore(session: ModelSession, received: ReceivedModelCall, step: PlainStep): boolean {
  const record = session.steps.get(step.id);
  const given = received.given.get(step.id) ?? new Map();
  return (
    record?.done === true &&
    (received.call.notes === null || record.notes === received.call.notes) &&
    (![...given.values()].some(hasPaths) || record.content === received.call.content) &&
    sameOutputs(Object.fromEntries(record.outputs), Object.fromEntries(given))
  );
}

/** Notes stay if the same is submitted again without any. */
function notesOf(
  session: ModelSession,
  received: ReceivedModelCall,
  step: PlainStep,
): string | null {
  const { notes } = received.call;
  const record = session.steps.get(step.id);
  if (notes !== null || record === undefined) return notes;
  if (isAsBefore(session, received, step)) return record.notes;
  return record.asked?.paths === pathsGiven(received, step) ? record.asked.notes : null;
}

function pathsGiven({ given }: ReceivedModelCall, step: PlainStep): string {
  const paths = [...(given.get(step.id)?.values() ?? [])].flat();
  return JSON.stringify([...new Set(paths)].sort());
}

function hasPaths(value: Value): boolean {
  return !Array.isArray(value) || value.length > 0;
}

function isLate(session: ModelSession, received: ReceivedModelCall): boolean {
  return session.status !== 'active' || session.arrival !== received.arrival;
}

function late(model: Model, received: ReceivedModelCall, stepId: string | null): Answer {
  const session = model.sessions.get(received.session) as ModelSession;
  const message = stepId === null ? null : noLonger(stepId, session);
  return refused(model, received.call.actor, { code: 'step_not_current', message }, session);
}

function noLonger(stepId: string, session: ModelSession): string {
  return `Step '${stepId}' is no longer the current step of session '${session.id}'`;
}

/** The answer that the same call got before. */
function repeated(model: Model, call: Finish, session: ModelSession): Answer {
  const stays = session.status === 'active' && session.arrival === session.last?.arrival;
  if (session.status !== 'active') {
    return answered(model, call.actor, 'workflow_complete', session);
  }
  return answered(model, call.actor, stays ? 'needs_work' : 'next_step', session);
}

function isLastAccepted({ last }: ModelSession, call: Finish): boolean {
  if (last === null || !isSameWord(last, call)) return false;
  return call.stepId === null || last.steps.includes(call.stepId);
}

function isSameWord(last: NonNullable<ModelSession['last']>, call: Finish): boolean {
  if (last.notes !== call.notes || !sameOutputs(last.context, call.context)) return false;
  return sameOutputs(last.outputs, call.outputs);
}

/** Order of names does not matter, and null counts as absent. */
function sameOutputs(one: Value, other: Value): boolean {
  if (Array.isArray(one) || Array.isArray(other)) {
    return JSON.stringify(one) === JSON.stringify(other);
  }
  const given = (outputs: Value) =>
    Object.entries(outputs ?? {})
      .filter(([, value]) => value !== null)
      .map((pair) => JSON.stringify(pair))
      .sort();
  return JSON.stringify(given(one)) === JSON.stringify(given(other));
}

function submitted({ members, given }: ReceivedModelCall): PlainStep[] {
  return members.filter((step) => given.has(step.id));
}
