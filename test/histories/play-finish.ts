// `finished_step` on a shell, in three moments: read, reviewed, settled. Other calls may come in
// between, as they do while a reviewer takes minutes.

import { type Refusal, refuse } from '../../src/core/refusal.ts';
import { decideApproval, decideAsked, verdictOn } from '../../src/core/session/approval-answer.ts';
import { decideReview } from '../../src/core/session/decide.ts';
import type { AcceptedMember, Evidence, FailedMember } from '../../src/core/session/events.ts';
import { isPast } from '../../src/core/session/late-calls.ts';
import { decideLoopAnswer } from '../../src/core/session/loop-answer.ts';
import { handedInBy, movementSince } from '../../src/core/session/positions.ts';
import { progressOf } from '../../src/core/session/progress.ts';
import {
  nothingSubmitted,
  type ReadSubmission,
  type WaitingCall,
} from '../../src/core/session/read-submission.ts';
import { rejectedHere, stepIsPast } from '../../src/core/session/refusals.ts';
import type { Outputs, Session } from '../../src/core/session/state.ts';
import { type Submitted, shownOutputs } from '../../src/core/session/submission.ts';
import { decideVerdict } from '../../src/core/session/verdict.ts';
import type { ApproveEntry, Step } from '../../src/core/workflow.ts';
import { readAtOnce } from '../support/read-at-once.ts';
import type { Answer } from './answers.ts';
import { type Finish, feedbackOn, judge, MAX_ATTEMPTS } from './calls.ts';
import { afterMove, commit, informed, inUseOf, moveParent, type Stage, told } from './play.ts';
import { isRefusal } from './shell.ts';

export interface ReceivedCall {
  readonly call: Finish;
  readonly id: string;
  readonly job: string;
  readonly read: ReadSubmission | WaitingCall;
}

export function isReceived(received: ReceivedCall | Answer): received is ReceivedCall {
  return 'read' in received;
}

export async function receiveCall(stage: Stage, call: Finish): Promise<ReceivedCall | Answer> {
  const { shell } = stage;
  const { actor } = call;
  const ended = call.session === null ? null : await shell.load(call.session);
  if (ended !== null && ended.status !== 'active' && ended.owner.identity === actor.owner) {
    const read = readAtOnce(ended, inUseOf(stage, ended.jobName), spokenIn(call));
    if (read.kind === 'repeat') return whereItIs(ended, 0, []);
  }
  const session = await shell.claim(actor, call.session);
  if (isRefusal(session)) return told(session);
  const wasSentBack = session.steering?.ended === null;
  const news = await informed(stage, actor, session);
  if (news !== null) return wasSentBack ? told('next_step', news.message) : told(news);
  const { jobName: job, id, lastAccepted } = session;
  const read = readAtOnce(session, inUseOf(stage, job), spokenIn(call));
  if (read.kind === 'refused') return told(read.refusal);
  if (read.kind === 'repeat') {
    return whereItIs(session, lastAccepted?.arrival ?? 0, lastAccepted?.stepIds ?? []);
  }
  if (read.kind === 'run') {
    const open = nothingSubmitted(session, read);
    if (open !== null) return told('needs_work', open);
    if (!read.submitted.every(isWellFormed)) return told(ILL_FORMED);
  }
  return { call, id, job, read };
}

/** Reports are not part of histories. */
function spokenIn({ outputs, notes, stepId, context }: Finish) {
  return { outputs, notes, stepId, context };
}

/** Replaces the gate's check of files, which all exist here. */
function isWellFormed({ step, outputs }: Submitted): boolean {
  return step.outputs.every(({ name, type, required }) => {
    const value = outputs.get(name);
    if (value === undefined) return true;
    if (type === 'file') return typeof value === 'string';
    if (!Array.isArray(value) || (required && value.length === 0)) return false;
    return value.every((path) => typeof path === 'string');
  });
}

const ILL_FORMED = refuse(
  'outputs_invalid',
  'an output does not have the declared shape',
  'fix it',
);

export async function reviewCall(
  stage: Stage,
  received: ReceivedCall,
): Promise<ReceivedCall | Answer> {
  const { call, id, read } = received;
  const stepIds = judged(received)
    .filter((each) => each.byReviewer)
    .map(({ step }) => step.id);
  if (stepIds.length === 0) return received;
  const at = stage.shell.clock();
  const command = { at, by: stage.shell.ownerOf(call.actor), arrival: read.arrival, stepIds };
  const reviewing = await commit(stage, call.actor, id, (now) =>
    decideReview(now, { ...command, review: `review at ${at}` }),
  );
  return isRefusal(reviewing) ? told(reviewing) : received;
}

const ENDING = { nth: 1, resumes: null };
const PERSON = { by: 'Ada', route: 'terminal' };

export async function settleCall(stage: Stage, received: ReceivedCall): Promise<Answer> {
  const { read } = received;
  if (read.kind === 'run') return settleVerdict(stage, received, read);
  switch (read.for.kind) {
    case 'loop':
      return settleLoop(stage, received);
    case 'approval':
      return settleApproval(stage, received, read.for.entry);
    case 'run':
      return settleRun(stage, received, read.for);
  }
}

async function settleVerdict(
  stage: Stage,
  received: ReceivedCall,
  { arrival, context }: ReadSubmission,
): Promise<Answer> {
  const { call } = received;
  const verdict = verdictOf(received);
  const { accepted, failed, voided } = verdict;
  const ids = judged(received).map(({ step }) => step.id);
  const command = { ...common(stage, received), context, warnings: [], ...verdict };
  const moved = await commit(
    stage,
    call.actor,
    received.id,
    (now, facts) => decideVerdict(now, { ...command, facts }),
    call.found,
  );
  if (isRefusal(moved)) return told(moved);
  const no = await afterMove(stage, call.actor, moved, call.found);
  if (no !== null) return parentWaits(no);
  const answer = whereItIs(moved.after, arrival, ids);
  if (answer.status !== 'needs_work') return answer;
  const isNothing = accepted.length === 0 && failed.length === 0;
  if (voided.length > 0 && isNothing) return told('fault');
  const over = failed.filter(
    ({ stage: at, step_id }) =>
      at === 'review' && (progressOf(moved.after, step_id)?.attempts ?? 0) >= MAX_ATTEMPTS,
  );
  if (over.length === 0) return answer;
  const feedback = over.map((member) => member.feedback).join('; ');
  return told(refuse('quality_gate_failed', feedback, ''));
}

function parentWaits({ code, message }: Refusal): Answer {
  return { ...told('needs_work', message), code: String(code) };
}

async function settleLoop(stage: Stage, received: ReceivedCall): Promise<Answer> {
  const { call, id, read } = received;
  const { loop: choice, words } = call.person;
  const now = (await stage.shell.load(id)) as Session;
  const { limit } = now.position;
  if (choice === null && !isPast(now, read.arrival) && limit !== undefined) {
    return ask(stage, received, limit.loop);
  }
  const answer = { ...PERSON, question: 'q-1' };
  const command = { ...common(stage, received), answer, choice: choice ?? 'one_more', words };
  return move(stage, received, (session, facts) =>
    decideLoopAnswer(session, { ...command, facts }),
  );
}

async function settleApproval(
  stage: Stage,
  received: ReceivedCall,
  { name, show }: ApproveEntry,
): Promise<Answer> {
  const { call, id, read } = received;
  const { approves, words, edited } = call.person;
  const now = (await stage.shell.load(id)) as Session;
  const handedIn = show.flatMap(handedInBy(now)).flatMap(({ files }) => Object.entries(files));
  const files = Object.fromEntries(handedIn.map(([path, hash]) => [path, `${hash} ${edited}`]));
  const said = approves === null ? null : { ...PERSON, question: 'q-1', approves, words };
  const verdict = verdictOn(now, { name, files, said });
  const isHere = !isPast(now, read.arrival) && now.position.limit === undefined;
  if (isHere && verdict === null) return ask(stage, received, name, files);
  const command = { ...common(stage, received), name, files, said };
  const answer = await move(stage, received, (session, facts) =>
    decideApproval(session, { ...command, facts }),
  );
  if (answer.status !== 'needs_work' || answer.code !== null) return answer;
  return told(rejectedHere(name, verdict?.words ?? null));
}

async function settleRun(
  stage: Stage,
  received: ReceivedCall,
  { entry, session: nested }: Extract<WaitingCall['for'], { kind: 'run' }>,
): Promise<Answer> {
  const { call, id, read } = received;
  const now = (await stage.shell.load(id)) as Session;
  if (isPast(now, read.arrival)) return told(stepIsPast(now, entry.name));
  const session = (await stage.shell.load(nested)) as Session;
  if (session.status === 'active') return told(refuse('run_open', nested, ''));
  if (session.status === 'aborted') return told(refuse('run_aborted', nested, ''));
  const no = await moveParent(stage, call.actor, session, call.found);
  if (no !== null) return told(no);
  return whereItIs((await stage.shell.load(id)) as Session, read.arrival, []);
}

async function ask(
  stage: Stage,
  received: ReceivedCall,
  name: string,
  files: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { at, by, arrival } = common(stage, received);
  // As if the question before it had been dismissed.
  const command = { at, by, arrival, name, files, question: `q-${at}`, feedback: 'asked' };
  const asked = await commit(stage, received.call.actor, received.id, (now) =>
    decideAsked(now, command),
  );
  return told(isRefusal(asked) ? asked : 'waiting');
}

async function move(
  stage: Stage,
  { call, id, read }: ReceivedCall,
  decide: Parameters<typeof commit>[3],
): Promise<Answer> {
  const moved = await commit(stage, call.actor, id, decide, call.found);
  if (isRefusal(moved)) return told(moved);
  const no = await afterMove(stage, call.actor, moved, call.found);
  return no === null ? whereItIs(moved.after, read.arrival, []) : parentWaits(no);
}

function common(stage: Stage, { call, job, read }: ReceivedCall) {
  const [at, by] = [stage.shell.clock(), stage.shell.ownerOf(call.actor)];
  const inUse = inUseOf(stage, job);
  return { at, by, arrival: read.arrival, call: spokenIn(call), inUse, ending: ENDING };
}

/** The session's position, seen from the arrival that a call was bound to. */
function whereItIs(session: Session, arrival: number, stepIds: readonly string[]): Answer {
  const { status, position } = session;
  switch (movementSince(session, arrival, stepIds)) {
    case 'ended':
      return told(status === 'completed' ? 'workflow_complete' : 'aborted');
    case 'stays':
      return told(position.limit === undefined ? 'needs_work' : 'waiting', position.feedback);
    default:
      return told('next_step');
  }
}

function judged({ call, read }: ReceivedCall) {
  if (read.kind !== 'run') return [];
  return read.submitted.map(({ step, outputs: values }) => {
    const outputs: Outputs = Object.fromEntries(values) as Outputs;
    return { step, outputs, ...judge(call, step) };
  });
}

/** The gate's result, in the decider's terms. */
function verdictOf(received: ReceivedCall) {
  const { call, read } = received;
  const members = judged(received);
  const those = (result: string) => members.filter((each) => each.result === result);
  const readMembers: readonly Step[] = read.kind === 'run' ? read.members : [];
  const shared = shownOutputs(readMembers).filter((each) => each.shared);
  return {
    accepted: those('accepted').map(
      ({ step, outputs }): AcceptedMember => ({
        step_id: step.id,
        outputs,
        shared_names: shared.filter((each) => each.step === step).map(({ output }) => output.name),
        files: filesOf(call, outputs),
        ...(call.override !== null && { override_reason: call.override }),
      }),
    ),
    failed: those('failed').map(
      ({ step, stage, outputs }): FailedMember => ({
        step_id: step.id,
        stage,
        feedback: feedbackOn(step.id, stage),
        files: filesOf(call, outputs),
        details: [],
      }),
    ),
    evidence: members
      .filter((each) => each.byReviewer && each.result !== 'voided')
      .map(
        ({ step, result, outputs }): Evidence => ({
          key: `${step.id} ${JSON.stringify(outputs)} ${call.content}`,
          step_id: step.id,
          kind: 'review',
          name: 'step',
          passed: result === 'accepted',
          said: result,
          files: filesOf(call, outputs),
          milliseconds: 1,
        }),
      ),
    voided: those('voided').map(({ step }) => step.id),
    faults: those('voided').map(({ step }) => `the reviewer of ${step.id} broke down`),
  };
}

function filesOf(call: Finish, outputs: Outputs): Record<string, string> {
  const paths = Object.values(outputs).flat();
  return Object.fromEntries(paths.map((path) => [path, `${call.content}`]));
}
