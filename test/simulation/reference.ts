// The reference model: what the contract requires, in the most naive form that is obviously right.
// No events, no caches, and none of the product's code. `expectations` applies a call to the model
// and returns what the real thing has to answer.

import { type Answer, NOTHING_SAID } from './answers.ts';
import type { Abort, Actor, Call, GoTo, Overlap, Simple, Start, Steer } from './calls.ts';
import type { PlainJob } from './definitions.ts';
import { listen, review, settle } from './reference-finish.ts';
import {
  actOn,
  answered,
  claim,
  inform,
  jobOf,
  type Model,
  type ModelSession,
  moveOn,
  placeIn,
  refused,
  stackOf,
  standAt,
  takeOff,
} from './reference-model.ts';

/** Applies the call to the model; one expected answer for each call that it contains. */
export function expectations(model: Model, call: Call): Answer[] {
  if (call.kind === 'overlap') return overlap(model, call);
  return [simple(model, call)];
}

function simple(model: Model, call: Simple): Answer {
  switch (call.kind) {
    case 'start':
      return start(model, call);
    case 'finish':
      return overlap(model, {
        kind: 'overlap',
        received: [call],
        between: [],
        early: false,
        order: [0],
      })[0] as Answer;
    case 'abort':
      return abort(model, call);
    case 'go_to':
      return goTo(model, call);
    case 'steer':
      return steer(model, call);
    case 'edit':
      model.jobs.set(call.job.name, call.job);
      return NOTHING_SAID;
    case 'die':
      model.dead.add(call.process);
      return NOTHING_SAID;
    case 'rebuild':
      return NOTHING_SAID;
  }
}

function overlap(model: Model, call: Overlap): Answer[] {
  const receivedCalls = call.received.map((each) => listen(model, each));
  const answers: Answer[] = [];
  const between = () => answers.push(...call.between.map((each) => simple(model, each)));
  if (call.early) between();
  const reviewed = receivedCalls.map((each) => ('status' in each ? each : review(model, each)));
  if (!call.early) between();
  const settled = new Map<number, Answer>();
  for (const index of call.order) {
    const received = reviewed[index];
    if (received === undefined) continue;
    settled.set(index, 'status' in received ? received : settle(model, received));
  }
  for (const index of call.received.keys()) {
    answers.push(settled.get(index) ?? { ...NOTHING_SAID, status: 'unanswered' });
  }
  return answers;
}

function start(model: Model, call: Start): Answer {
  const job = jobOf(model, call.job);
  const stack = stackOf(model, call.actor.owner);
  const session: ModelSession = {
    id: call.id,
    job: job.name,
    workflow: job.workflow,
    owner: call.actor.owner,
    process: call.actor.process,
    parent: stack.at(-1) ?? null,
    status: 'active',
    abortReason: null,
    news: null,
    reopened: false,
    context: {
      ...call.context,
      goal: `goal of ${call.id}`,
      job_name: job.name,
      workflow_name: job.workflow,
      instance_id: null,
    },
    entry: 0,
    members: [],
    skipped: [],
    arrival: 0,
    steps: new Map(),
    completedInOrder: [],
    last: null,
  };
  if (!moveOn(session, job, 0)) {
    const message = `Workflow '${job.workflow}' has no steps`;
    return refused(model, call.actor, { code: 'workflow_empty', message }, null);
  }
  const below = model.sessions.get(session.parent ?? '');
  if (below !== undefined) inform(model, call.actor, below);
  model.sessions.set(session.id, session);
  stack.push(session.id);
  return answered(model, call.actor, 'started', session);
}

function abort(model: Model, call: Abort): Answer {
  const session = claim(model, call.actor, call.session);
  if ('code' in session) return refused(model, call.actor, session, null);
  if (inform(model, call.actor, session) !== null) return noEffect(model, call.actor, session);
  session.status = 'aborted';
  session.abortReason = call.explanation;
  actOn(session, call.actor);
  takeOff(model, session);
  return answered(model, call.actor, 'aborted', session);
}

function goTo(model: Model, call: GoTo): Answer {
  const session = claim(model, call.actor, call.session);
  if ('code' in session) return refused(model, call.actor, session, null);
  if (inform(model, call.actor, session) !== null) return noEffect(model, call.actor, session);
  const job = jobOf(model, session.job);
  const no = (code: string, message: string | null) =>
    refused(model, call.actor, { code, message }, session);
  if (job.workflow !== session.workflow) return no('workflow_not_found', null);
  const target = job.entries.findIndex((entry) => entry.some((step) => step.id === call.stepId));
  const all = job.entries.flat().map((step) => step.id);
  if (target === -1) {
    const steps = all.join(', ');
    const message = `Step '${call.stepId}' not found in workflow '${job.workflow}'. Available steps: ${steps}`;
    return no('step_not_found', message);
  }
  const current = placeIn(session, job)?.index ?? session.entry;
  if (target > current) {
    const message = `Cannot go forward to step '${call.stepId}' (current step: '${session.members[0]}'). Use finished_step to advance forward.`;
    return no('step_ahead', message);
  }
  const invalidated = goBack(session, job, call.stepId, target);
  actOn(session, call.actor);
  return { ...answered(model, call.actor, 'went_back', session), invalidated };
}

/** What was cleared, sorted. */
function goBack(session: ModelSession, job: PlainJob, stepId: string, target: number): string[] {
  const all = job.entries.flat().map((step) => step.id);
  const later = job.entries.slice(target).flat();
  const invalidated: string[] = [];
  for (const { id } of later) {
    if (id === stepId || session.steps.has(id)) invalidated.push(id);
  }
  // Steps that are no longer in the file do not come before the target either.
  for (const id of session.steps.keys()) if (!all.includes(id)) invalidated.push(id);
  for (const id of invalidated) {
    session.steps.delete(id);
    session.completedInOrder = session.completedInOrder.filter((each) => each !== id);
  }
  session.last = null;
  standAt(session, target, job.entries[target] ?? [], []);
  return invalidated.sort();
}

/** A call that was made without knowing what a person did. */
function noEffect(model: Model, actor: Actor, session: ModelSession): Answer {
  return refused(model, actor, { code: 'steered_by_person', message: null }, session);
}

/** It lies below what its owner does now; of several, ids decide. */
function reopen(model: Model, session: ModelSession): void {
  session.status = 'active';
  session.reopened = true;
  const stack = stackOf(model, session.owner);
  const isBelow = (id: string) => model.sessions.get(id)?.reopened === true;
  const below = [...stack.filter(isBelow), session.id].sort();
  model.stacks.set(session.owner, [...below, ...stack.filter((id) => !isBelow(id))]);
}

function steer(model: Model, call: Steer): Answer {
  const { stepId, person, reason } = call;
  const session = model.sessions.get(call.session) as ModelSession;
  const caller = { owner: session.owner, process: session.process };
  const no = (code: string) => refused(model, caller, { code, message: null }, session);
  const reopens = session.status === 'completed' && stepId !== null;
  if (session.status !== 'active' && !reopens) return no('session_not_found');
  if (stepId === null) {
    session.status = 'aborted';
    session.abortReason = reason;
    takeOff(model, session);
    const onTop = model.sessions.get(stackOf(model, session.owner).at(-1) ?? '');
    if (onTop !== undefined) onTop.news = { person, reason, ended: session.id };
    return answered(model, caller, 'steered', session);
  }
  const job = jobOf(model, session.job);
  if (job.workflow !== session.workflow) return no('workflow_not_found');
  const target = job.entries.findIndex((entry) => entry.some((step) => step.id === stepId));
  if (target === -1) return no('step_not_found');
  if (target > (placeIn(session, job)?.index ?? session.entry)) return no('step_ahead');
  goBack(session, job, stepId, target);
  if (reopens) reopen(model, session);
  session.news = { person, reason, ended: null };
  return answered(model, caller, 'steered', session);
}
