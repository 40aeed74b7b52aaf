// The reference's `finished_step`, in the three moments that can be apart in time: the call is read,
// its reviews begin, and its outcome is settled.

import type { ApproveEntry, Step } from '../../src/core/workflow.ts';
import type { Answer } from './answers.ts';
import { type Finish, feedbackOn, judge, MAX_ATTEMPTS } from './calls.ts';
import {
  actOn,
  baseOf,
  claim,
  copyOf,
  entryAt,
  handedIn,
  type Last,
  type Model,
  type ModelSession,
  type ModelStep,
  No,
  refused,
  type Spoken,
  sessionOf,
  shownMembers,
  told,
} from './model.ts';
import { declaredBy, fits, type Given, sameOutputs, sharedNames, sortOut } from './reading.ts';
import { afterMove, attempt, inform, moveParent, undone } from './reference.ts';
import { answerLoop, goBack, goOn, isBefore, placeOf } from './walk.ts';

/** A valid call, bound to the arrival that it found. */
export interface Received {
  readonly call: Finish;
  readonly session: string;
  readonly arrival: number;
  readonly members: readonly Step[];
  /** Null: it hands in nothing. */
  readonly given: Given | null;
  /** What it waits for then. */
  readonly waits: 'loop' | 'approve' | 'run';
  readonly name: string;
}

export function listen(model: Model, call: Finish): Received | Answer {
  const ended = call.session === null ? undefined : model.sessions.get(call.session);
  if (ended?.status === 'completed' && ended.owner === call.actor.owner && isRepeat(ended, call)) {
    return told('workflow_complete');
  }
  let received: Received | null = null;
  const answer = attempt(() => {
    const session = claim(model, call.actor, call.session);
    const news = inform(call.actor, session);
    if (news !== null && news.ended !== null) throw new No('steered_by_person');
    if (news !== null) return told('next_step', news.person, news.reason);
    const read = readCall(model, session, call);
    if ('status' in read) return read;
    received = read;
    return told('happened');
  });
  return received ?? answer;
}

function readCall(model: Model, session: ModelSession, call: Finish): Received | Answer {
  const entry = entryAt(model, session);
  const isNoName = entry.kind !== 'steps' && call.stepId === entry.name;
  const isList = entry.kind === 'for_each' && call.stepId === entry.step.id;
  const stepId = isNoName || isList ? null : call.stepId;
  const members = membersFor(model, session, call, stepId);
  const isHere =
    members.some(({ id }) => id === stepId) ||
    (session.limit !== null && stepId !== null && session.members.includes(stepId));
  if (stepId !== null && !isHere) {
    if (isRepeat(session, call)) return repeated(session);
    throw wrongStep(model, session, stepId);
  }
  const name = entry.kind === 'steps' ? '' : entry.name;
  const waits = entry.kind === 'approve' ? entry.kind : 'run';
  const common = {
    call,
    session: session.id,
    arrival: session.arrival,
    members,
    name,
    waits,
  } as const;
  if (session.limit !== null) return { ...common, given: null, waits: 'loop' };
  const isDone = (id: string) => session.steps.get(id)?.done === true;
  const named = call.stepId ?? '';
  const inPass = session.path.length > 1 && session.members.includes(named) && !isDone(named);
  let given: Given;
  try {
    given = sortOut(members, isDone, call.outputs, stepId);
    if (!fits(members, given)) throw new No('outputs_invalid');
  } catch (no) {
    if (!inPass && isRepeat(session, call)) return repeated(session);
    throw no;
  }
  if (entry.kind === 'approve' || entry.kind === 'run') return { ...common, given: null };
  const open = members.filter(({ id }) => !isDone(id));
  // It submits no member, so all open ones are named.
  if (given.size === 0 && open.length > 0) return told('needs_work', ...open.map(({ id }) => id));
  return { ...common, given };
}

/** Of items, those that are put before the agent, and those that the call names. */
function membersFor(model: Model, session: ModelSession, call: Finish, stepId: string | null) {
  const entry = entryAt(model, session);
  const shown = shownMembers(model, session);
  if (entry.kind !== 'for_each') return shown;
  const { outputs } = call;
  const names =
    typeof outputs === 'object' && outputs !== null && !Array.isArray(outputs)
      ? Object.keys(outputs).map((name) => name.split('.')[0])
      : [];
  return session.members
    .filter((id) => shown.some((step) => step.id === id) || id === stepId || names.includes(id))
    .map((id) => ({ ...entry.step, id }));
}

function wrongStep(model: Model, session: ModelSession, stepId: string): No {
  const entry = entryAt(model, session);
  const place = placeOf(model, session, stepId) ?? placeOf(model, session, baseOf(stepId));
  const isNoItem = entry.kind === 'for_each' && baseOf(stepId) === entry.step.id;
  if (place === null || isNoItem) return new No('step_not_found', stepId);
  const isAhead = isBefore(session.path, place);
  return new No('step_not_current', stepId, isAhead ? 'not yet' : 'no longer');
}

/** The attempt is recorded before the reviewer begins. */
export function review(model: Model, received: Received): Received | Answer {
  const session = sessionOf(model, received.session);
  const ids = submitted(received)
    .filter((step) => judge(received.call, step).byReviewer)
    .map(({ id }) => id);
  if (ids.length === 0) return received;
  if (isPast(session, received)) return late(received, ids[0] as string);
  for (const id of ids) stepOf(session, id).reviewRuns = true;
  actOn(session, received.call.actor);
  return received;
}

export function settle(model: Model, received: Received): Answer {
  const session = sessionOf(model, received.session);
  const { given, call } = received;
  const before = copyOf(session);
  return attempt(() => {
    const answer = undone(session, () =>
      given === null ? wait(model, session, received) : verdict(model, session, received, given),
    );
    const no = afterMove(model, before, session, call.actor, call.found);
    return no === null ? answer : { ...told('needs_work', ...no.says), code: no.code };
  });
}

function verdict(model: Model, session: ModelSession, received: Received, given: Given): Answer {
  const { call, arrival, members } = received;
  const all = submitted(received).map((step) => ({ id: step.id, ...judge(call, step) }));
  const [accepted, failed, voided] = (['accepted', 'failed', 'voided'] as const).map((result) =>
    all.filter((each) => each.result === result),
  ) as [typeof all, typeof all, typeof all];
  const judged = [...failed, ...voided].map(({ id }) => id);
  if (isPast(session, received)) {
    return lateOrRepeated(session, received, [...accepted, ...failed, ...voided][0]?.id ?? '');
  }
  // Everything is accepted, and a loop waits for a person.
  if (session.limit !== null) return whereItIs(session, arrival, []);
  const now = new Set(accepted.map(({ id }) => id));
  const open = session.members.filter(
    (id) => judged.includes(id) || !(session.steps.get(id)?.done || now.has(id)),
  );
  const isSame = ({ id }: { id: string }) => isAsBefore(stepOf(session, id), call, given.get(id));
  const isNothing = judged.length === 0 && !all.some((each) => each.byReviewer);
  const ids = all.map(({ id }) => id);
  if (isNothing && accepted.every(isSame) && open.length > 0)
    return whereItIs(session, arrival, ids);

  actOn(session, call.actor);
  model.clock += 1;
  for (const { id, byReviewer } of accepted) {
    accept(model, session, received, id, given.get(id) ?? {});
    if (byReviewer) stepOf(session, id).attempts += 1;
  }
  for (const { id, stage } of failed) {
    const step = stepOf(session, id);
    step.reviewRuns = false;
    if (stage === 'review') step.attempts += 1;
    if (stage === 'self_review') step.asked = { paths: pathsIn(given.get(id)), notes: call.notes };
    step.turnedDown = id.includes('#');
  }
  for (const { id } of voided) stepOf(session, id).reviewRuns = false;
  if (accepted.length > 0) {
    const own = Object.entries(call.context).filter(([name]) => !OWN_FACTS.includes(name));
    session.context = { ...session.context, ...Object.fromEntries(own) };
    remember(session, received, [...now]);
  }
  if (open.length === 0) {
    session.feedback = null;
    goOn(model, session, call.found);
    return moved(session);
  }
  const findings = [
    ...failed.map(({ id, stage }) => feedbackOn(id, stage)),
    ...voided.map(({ id }) => id),
  ];
  if (accepted.length > 0 || failed.length > 0) {
    const missing = open.filter((id) => !judged.includes(id));
    session.feedback = feedbackAt(session, members, findings, missing);
  }
  const where = whereItIs(session, arrival, ids);
  if (where.status !== 'needs_work') return where;
  if (accepted.length === 0 && failed.length === 0) return told('fault');
  const over = failed.filter(
    ({ id, stage }) => stage === 'review' && stepOf(session, id).attempts >= MAX_ATTEMPTS,
  );
  if (over.length > 0) {
    return refused(
      'quality_gate_failed',
      over.map(({ id, stage }) => feedbackOn(id, stage)),
    );
  }
  return told('needs_work', ...(session.feedback ?? []));
}

const OWN_FACTS = ['goal', 'job_name', 'workflow_name', 'instance_id'];

/** The findings, and what is still to be submitted; of items, only the findings. */
function feedbackAt(
  session: ModelSession,
  members: readonly Step[],
  findings: readonly string[],
  missing: readonly string[],
): readonly string[] | null {
  if (session.members[0]?.includes('#')) return findings.length === 0 ? null : findings;
  const names = declaredBy(members).filter(({ step }) => missing.includes(step.id));
  return [...findings, ...missing, ...names.map(({ shown }) => shown)];
}

function accept(
  model: Model,
  session: ModelSession,
  { call, arrival, members }: Received,
  id: string,
  outputs: ModelStep['outputs'],
): void {
  const step = stepOf(session, id);
  step.notes = notesOf(step, call, outputs);
  Object.assign(step, { done: true, outputs, shared: sharedNames(members, id) });
  Object.assign(step, { content: call.content, at: model.clock });
  step.reviewRuns = false;
  step.turnedDown = false;
  session.accepted = [...session.accepted, `${session.id} ${arrival} ${id}`];
}

/** Notes stay if the same is submitted again without any. */
function notesOf(step: ModelStep, call: Finish, outputs: ModelStep['outputs']): string | null {
  if (call.notes !== null) return call.notes;
  if (isAsBefore(step, call, outputs)) return step.notes;
  return step.asked?.paths === pathsIn(outputs) ? step.asked.notes : null;
}

/** Already done, with exactly these files and notes. */
function isAsBefore(step: ModelStep, call: Finish, outputs: ModelStep['outputs'] = {}): boolean {
  const hasPaths = Object.values(outputs).some(
    (value) => !Array.isArray(value) || value.length > 0,
  );
  return (
    step.done &&
    (call.notes === null || step.notes === call.notes) &&
    (!hasPaths || step.content === call.content) &&
    sameOutputs(step.outputs, outputs)
  );
}

function pathsIn(outputs: ModelStep['outputs'] = {}): string {
  return JSON.stringify([...new Set(Object.values(outputs).flat())].sort());
}

function stepOf(session: ModelSession, id: string): ModelStep {
  return session.steps.get(id) as ModelStep;
}

/** The last accepted call; equal ones at one arrival count as one. */
function remember(
  session: ModelSession,
  { call, arrival }: Received,
  ids: readonly string[],
): void {
  const { last } = session;
  const { outputs, notes, context } = call;
  const words = ({ outputs, notes, context }: Spoken) => JSON.stringify([outputs, notes, context]);
  const isSame = last?.arrival === arrival && words(last) === words(call);
  session.last = {
    steps: [...(isSame ? last.steps : []), ...ids],
    arrival,
    outputs,
    notes,
    context,
  };
}

// Calls that hand in nothing.

function wait(model: Model, session: ModelSession, received: Received): Answer {
  const { call, arrival, waits, name } = received;
  const { loop, words } = call.person;
  const isOver = isPast(session, received);
  switch (waits) {
    case 'run':
      return isOver ? late(received, name) : waitForRun(model, session, received);
    case 'approve':
      if (isOver) return lateOrRepeated(session, received, name);
      return session.limit === null ? approve(model, session, received) : told('waiting');
    case 'loop':
      if (isOver)
        return lateOrRepeated(session, received, call.stepId ?? (session.members[0] as string));
      if (loop === null) return asks(session, received);
      if (loop === 'abort') {
        const abortReason = words ?? { says: [session.limit?.loop as string] };
        Object.assign(session, { status: 'aborted', abortReason, abortedBy: 'Ada' });
        return told('aborted');
      }
      actOn(session, call.actor);
      remember(session, { ...received, arrival }, session.members);
      answerLoop(model, session, loop, words, call.found);
      return moved(session);
  }
}

function asks(session: ModelSession, { call }: Received): Answer {
  actOn(session, call.actor);
  session.feedback = ['asked'];
  return told('waiting');
}

function waitForRun(model: Model, session: ModelSession, { call, arrival }: Received): Answer {
  const nested = sessionOf(model, (session.runs as { id: string }).id);
  if (nested.status === 'active') throw new No('run_open', nested.id);
  if (nested.status === 'aborted') throw new No('run_aborted');
  const no = moveParent(model, nested, call.actor, call.found);
  if (no !== null) throw no;
  return whereItIs(session, arrival, []);
}

function approve(model: Model, session: ModelSession, received: Received): Answer {
  const { call } = received;
  const entry = entryAt(model, session) as ApproveEntry;
  const { approves, words, edited } = call.person;
  const bytes = bytesShown(session, entry, edited);
  const said = session.approvals.get(entry.name) ?? nothingSaid();
  session.approvals.set(entry.name, said);
  // What shows nothing asks each time.
  const knows = bytes !== '';
  const wasApproved = knows && said.approved.has(bytes);
  const wasRejected = knows && !wasApproved && said.rejected.has(bytes);
  if (!wasApproved && !wasRejected && approves === null) return asks(session, received);
  const reason = wasRejected ? (said.rejected.get(bytes) ?? null) : words;
  if (wasApproved || (!wasRejected && approves === true)) {
    if (knows) said.approved.add(bytes);
    said.back = 0;
    actOn(session, call.actor);
    session.feedback = null;
    model.clock += 1;
    Object.assign(stepOf(session, entry.name), { done: true, at: model.clock });
    remember(session, received, [entry.name]);
    goOn(model, session, call.found);
    return moved(session);
  }
  const isBack = entry.onReject !== null && said.back < entry.onReject.max;
  if (!isBack) {
    if (!wasRejected) {
      if (knows) said.rejected.set(bytes, reason);
      actOn(session, call.actor);
      session.feedback = reason === null ? [] : [reason];
    }
    return refused('approval_rejected', reason === null ? [] : [reason]);
  }
  actOn(session, call.actor);
  remember(session, received, [entry.name]);
  const { last } = session;
  goBack(model, session, entry.onReject?.goTo as string, call.found);
  session.last = last;
  if (!wasRejected && knows) said.rejected.set(bytes, reason);
  said.back += 1;
  session.feedback = reason === null ? [] : [reason];
  return told('next_step');
}

function nothingSaid() {
  return { approved: new Set<string>(), rejected: new Map<string, string | null>(), back: 0 };
}

/** What a gate shows: each file that was handed in, with its content. */
function bytesShown(session: ModelSession, entry: ApproveEntry, edited: number): string {
  const files = entry.show.flatMap((ref) =>
    handedIn(session, ref).flatMap(({ outputs, content }) =>
      [outputs[ref.output] as string | string[]]
        .flat()
        .map((path) => `${path} ${content} ${edited}`),
    ),
  );
  return [...new Set(files)].sort().join(', ');
}

// Where a call leaves its session.

function submitted({ members, given }: Received): Step[] {
  return members.filter(({ id }) => given?.has(id));
}

function isPast(session: ModelSession, { arrival }: Received): boolean {
  return session.status !== 'active' || session.arrival !== arrival;
}

function lateOrRepeated(session: ModelSession, received: Received, name: string): Answer {
  const { call, arrival } = received;
  const same = session.last?.arrival === arrival && isRepeat(session, call);
  return same && session.status !== 'aborted'
    ? whereItIs(session, arrival, [])
    : late(received, name);
}

function late({ session }: Received, stepId: string): Answer {
  return refused('step_not_current', [stepId, 'no longer', session]);
}

/** After a move, all reviews that still run are too late; not while a person has to decide. */
function moved(session: ModelSession): Answer {
  if (session.limit !== null) return told('waiting');
  for (const step of session.steps.values()) step.reviewRuns = false;
  return told(session.status === 'completed' ? 'workflow_complete' : 'next_step');
}

/** The answer to a call that changes nothing, seen from the arrival that it was bound to. */
function whereItIs(session: ModelSession, arrival: number, ids: readonly string[]): Answer {
  if (session.status !== 'active') return told('workflow_complete');
  if (session.arrival !== arrival) return told('next_step');
  if (session.limit !== null) return told('waiting');
  const isNext =
    session.members[0]?.includes('#') &&
    ids.length > 0 &&
    ids.every((id) => stepOf(session, id).done && !stepOf(session, id).turnedDown);
  return told(isNext ? 'next_step' : 'needs_work');
}

/** The answer that the same call got before. */
function repeated(session: ModelSession): Answer {
  const { arrival, steps } = session.last as Last;
  return whereItIs(session, arrival, steps);
}

function isRepeat({ last }: ModelSession, call: Finish): boolean {
  if (last === null || !isSameWord(last, call)) return false;
  return call.stepId === null || last.steps.includes(call.stepId);
}

function isSameWord(last: Spoken, call: Spoken): boolean {
  if (last.notes !== call.notes || !sameOutputs(last.context, call.context)) return false;
  return sameOutputs(last.outputs, call.outputs);
}
