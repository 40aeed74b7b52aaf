// The reference model: what the contract requires, in the most naive form that is obviously right.
// No events, no caches, and none of the product's code. `expectations` applies a call to the model
// and returns what the real thing has to answer.

import { type Answer, HAPPENED } from './answers.ts';
import {
  type Abort,
  type Actor,
  alone,
  type Call,
  type Facts,
  type Found,
  type GoTo,
  NOT_NEEDED,
  type Overlap,
  type Simple,
  type Start,
  type Steer,
} from './calls.ts';
import {
  actOn,
  claim,
  copyOf,
  entryAt,
  type Model,
  type ModelSession,
  No,
  outputsOf,
  refused,
  sessionOf,
  stackOf,
  takeOff,
  told,
  workflowOf,
} from './model.ts';
import { listen, review, settle } from './reference-finish.ts';
import { blank, goBack, goOn, openSession } from './walk.ts';

/** Applies the call to the model; one expected answer for each call that it contains. */
export function expectations(model: Model, call: Call): Answer[] {
  return call.kind === 'overlap' ? overlap(model, call) : [simple(model, call)];
}

function simple(model: Model, call: Simple): Answer {
  switch (call.kind) {
    case 'start':
      return attempt(() => start(model, call));
    case 'finish':
      return overlap(model, alone(call))[0] as Answer;
    case 'abort':
      return attempt(() => abort(model, call));
    case 'go_to':
      return attempt(() => goTo(model, call));
    case 'steer':
      return attempt(() => steer(model, call));
    case 'die':
      model.dead.add(call.process);
      return HAPPENED;
    case 'rebuild':
      return HAPPENED;
  }
}

export function attempt(work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    if (error instanceof No) return refused(error.code, error.says);
    throw error;
  }
}

/** What is refused must leave nothing behind. */
export function undone<T>(session: ModelSession, work: () => T): T {
  const before = copyOf(session);
  try {
    return work();
  } catch (error) {
    if (error instanceof No) Object.assign(session, before);
    throw error;
  }
}

function overlap(model: Model, call: Overlap): Answer[] {
  const received = call.received.map((each) => listen(model, each));
  const answers: Answer[] = [];
  const between = () => answers.push(...call.between.map((each) => simple(model, each)));
  if (call.early) between();
  const reviewed = received.map((each) => ('status' in each ? each : review(model, each)));
  if (!call.early) between();
  const settled = new Map<number, Answer>();
  for (const index of call.order) {
    const each = reviewed[index];
    if (each !== undefined) settled.set(index, 'status' in each ? each : settle(model, each));
  }
  for (const index of call.received.keys()) answers.push(settled.get(index) ?? told('unanswered'));
  return answers;
}

function start(model: Model, call: Start): Answer {
  const { actor, id, job } = call;
  const below = stackOf(model, actor.owner).at(-1);
  const session = {
    ...blank(id, job),
    ...actor,
    parent: below ?? null,
    context: contextOf(model, job, `goal of ${id}`, call.context),
  };
  if (!openSession(model, session, call.found)) throw new No('workflow_empty');
  if (below !== undefined) inform(actor, sessionOf(model, below));
  add(model, session, call.found);
  return told('started');
}

function contextOf(model: Model, job: string, goal: string, given: Facts): Facts {
  const { name } = workflowOf(model, { job });
  return { ...given, goal, job_name: job, workflow_name: name, instance_id: null };
}

function add(model: Model, session: ModelSession, found: Found): void {
  model.sessions.set(session.id, session);
  stackOf(model, session.owner).push(session.id);
  startRun(model, session, found);
}

/** The session that the entry runs, with what it passes on. */
function startRun(model: Model, session: ModelSession, found: Found): void {
  const entry = entryAt(model, session);
  if (entry.kind !== 'run' || session.runs === null) return;
  const goal = session.context.goal as string;
  const nested = {
    ...blank(session.runs.id, entry.job),
    owner: session.owner,
    process: session.process,
    parent: session.id,
    isRun: true,
    context: contextOf(model, entry.job, goal, {}),
  };
  openSession(model, nested, found);
  add(model, nested, found);
}

/**
 * What follows from a move of a session outside of it: what it no longer runs is aborted, what it
 * runs now is started, and a parent learns how it ended. The refusal of a parent that cannot go on.
 */
export function afterMove(
  model: Model,
  before: ModelSession,
  session: ModelSession,
  actor: Actor,
  found: Found,
): No | null {
  if (session.status === before.status && session.arrival === before.arrival) return null;
  if (session.status !== 'active') takeOff(model, session);
  const nested = before.runs === null ? undefined : model.sessions.get(before.runs.id);
  if (nested?.status === 'active')
    end(model, nested, { owner: nested.owner, process: nested.process }, NOT_NEEDED);
  if (session.status === 'active') startRun(model, session, found);
  if (session.status === 'aborted') reportAbort(model, session);
  return session.status === 'completed' ? moveParent(model, session, actor, found) : null;
}

function end(model: Model, session: ModelSession, actor: Actor, why: string, by?: string): void {
  const before = copyOf(session);
  Object.assign(session, { status: 'aborted', abortReason: why, abortedBy: by ?? null });
  // A person's abort changes no owner.
  if (by === undefined) actOn(session, actor);
  afterMove(model, before, session, actor, { untils: {}, items: {} });
}

function reportAbort(model: Model, { id, isRun, parent, abortReason, abortedBy }: ModelSession) {
  const waiting = isRun ? sessionOf(model, parent as string) : null;
  if (waiting?.status !== 'active' || waiting.runs?.id !== id || waiting.runs.aborted) return;
  waiting.runs = { id, aborted: true };
  const why = typeof abortReason === 'string' ? [abortReason] : (abortReason?.says ?? []);
  waiting.feedback = [...why, ...(abortedBy === null ? [] : [abortedBy])];
}

/** The parent goes on with the outputs; if it cannot, it still waits. */
export function moveParent(
  model: Model,
  nested: ModelSession,
  actor: Actor,
  found: Found,
): No | null {
  const parent = nested.isRun ? sessionOf(model, nested.parent as string) : null;
  if (parent?.status !== 'active' || parent.runs?.id !== nested.id || parent.limit !== null) {
    return null;
  }
  const before = copyOf(parent);
  try {
    undone(parent, () => {
      const step = parent.steps.get(parent.members[0] as string);
      const outputs = outputsOf(nested);
      model.clock += 1;
      Object.assign(step as object, {
        ...{ done: true, outputs, shared: Object.keys(outputs), at: model.clock },
      });
      parent.feedback = null;
      parent.last = null;
      goOn(model, parent, found);
    });
  } catch (error) {
    if (error instanceof No) return error;
    throw error;
  }
  actOn(parent, actor);
  return afterMove(model, before, parent, actor, found);
}

function abort(model: Model, { actor, session: id, explanation }: Abort): Answer {
  const session = claim(model, actor, id);
  if (inform(actor, session) !== null) throw new No('steered_by_person');
  end(model, session, actor, explanation);
  return told('aborted');
}

function goTo(model: Model, { actor, session: id, stepId, found }: GoTo): Answer {
  const session = claim(model, actor, id);
  if (inform(actor, session) !== null) throw new No('steered_by_person');
  const before = copyOf(session);
  const invalidated = undone(session, () => goBack(model, session, stepId, found));
  actOn(session, actor);
  afterMove(model, before, session, actor, found);
  return { ...told('went_back'), invalidated };
}

/** The agent learns, once, what a person did; null: it knows all. */
export function inform(actor: Actor, session: ModelSession): ModelSession['news'] {
  const { news } = session;
  if (news === null) return null;
  session.news = null;
  actOn(session, actor);
  return news;
}

function steer(model: Model, { session: id, stepId, person, reason, found }: Steer): Answer {
  const session = sessionOf(model, id);
  const caller = { owner: session.owner, process: session.process };
  const reopens = session.status === 'completed' && stepId !== null;
  if (reopens && session.isRun) throw new No('run_ended');
  if (session.status !== 'active' && !reopens) throw new No('session_not_found');
  if (stepId === null) {
    const nested = nestedIn(model, session);
    const rest = stackOf(model, session.owner).filter(
      (each) => each !== id && !nested.includes(each),
    );
    const onTop = model.sessions.get(rest.at(-1) ?? '');
    if (onTop !== undefined) onTop.news = { person, reason, ended: id };
    end(model, session, caller, reason, person);
    return told('steered');
  }
  const before = copyOf(session);
  undone(session, () => goBack(model, session, stepId, found));
  if (reopens) reopen(model, session);
  session.news = { person, reason, ended: null };
  session.feedback = [person, reason, stepId];
  afterMove(model, before, session, caller, found);
  return told('steered');
}

function nestedIn(model: Model, { runs }: ModelSession): string[] {
  const nested = runs === null ? undefined : model.sessions.get(runs.id);
  return nested?.status === 'active' ? [nested.id, ...nestedIn(model, nested)] : [];
}

/** It lies below what its owner does now; of several, ids decide. */
function reopen(model: Model, session: ModelSession): void {
  session.status = 'active';
  session.reopened = true;
  const stack = stackOf(model, session.owner);
  const isBelow = (id: string) => sessionOf(model, id).reopened;
  const below = [...stack.filter(isBelow), session.id].sort();
  model.stacks.set(session.owner, [...below, ...stack.filter((id) => !isBelow(id))]);
}
