// The reference model: what the contract says must happen, in the most naive form that
// is obviously right. No events, no caches, and nothing of the product's code.
// `expectations` carries a call out on the model and says what the real thing has to
// answer.

import { type Answer, NOTHING_SAID } from './answers.ts';
import type { Abort, Call, GoTo, Overlap, Simple, Start } from './calls.ts';
import { listen, review, settle } from './reference-finish.ts';
import {
  actOn,
  answered,
  claim,
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

/** Carries the call out on the model; one expected answer for each call that it holds. */
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
        heard: [call],
        between: [],
        early: false,
        order: [0],
      })[0] as Answer;
    case 'abort':
      return abort(model, call);
    case 'go_to':
      return goTo(model, call);
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
  const tickets = call.heard.map((each) => listen(model, each));
  const answers: Answer[] = [];
  const between = () => answers.push(...call.between.map((each) => simple(model, each)));
  if (call.early) between();
  const reviewed = tickets.map((each) => ('status' in each ? each : review(model, each)));
  if (!call.early) between();
  const settled = new Map<number, Answer>();
  for (const index of call.order) {
    const ticket = reviewed[index];
    if (ticket === undefined) continue;
    settled.set(index, 'status' in ticket ? ticket : settle(model, ticket));
  }
  for (const index of call.heard.keys()) {
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
  model.sessions.set(session.id, session);
  stack.push(session.id);
  return answered(model, call.actor, 'started', session);
}

function abort(model: Model, call: Abort): Answer {
  const session = claim(model, call.actor, call.session);
  if ('code' in session) return refused(model, call.actor, session, null);
  session.status = 'aborted';
  session.abortReason = call.explanation;
  actOn(session, call.actor);
  takeOff(model, session);
  return answered(model, call.actor, 'aborted', session);
}

function goTo(model: Model, call: GoTo): Answer {
  const session = claim(model, call.actor, call.session);
  if ('code' in session) return refused(model, call.actor, session, null);
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
  const later = job.entries.slice(target).flat();
  const invalidated: string[] = [];
  for (const { id } of later) {
    if (id === call.stepId || session.steps.has(id)) invalidated.push(id);
  }
  // What is no longer in the file does not stand before the target either.
  for (const id of session.steps.keys()) if (!all.includes(id)) invalidated.push(id);
  for (const id of invalidated) {
    session.steps.delete(id);
    session.completedInOrder = session.completedInOrder.filter((each) => each !== id);
  }
  session.last = null;
  actOn(session, call.actor);
  standAt(session, target, job.entries[target] ?? [], []);
  return { ...answered(model, call.actor, 'went_back', session), invalidated: invalidated.sort() };
}
