// `finished_step` on a shell, in three moments: read, reviewed, settled. Other calls may come in
// between, as they do while a reviewer takes minutes.

import type { Refusal } from '../../src/core/refusal.ts';
import { decideReview, type WorkflowInUse } from '../../src/core/session/decide.ts';
import type { AcceptedMember, Evidence, FailedMember } from '../../src/core/session/events.ts';
import { currentEntry } from '../../src/core/session/positions.ts';
import { progressOf } from '../../src/core/session/progress.ts';
import { nothingSubmitted } from '../../src/core/session/read-submission.ts';
import type { Outputs, Session } from '../../src/core/session/state.ts';
import { type Submitted, shownOutputs } from '../../src/core/session/submission.ts';
import { decideVerdict } from '../../src/core/session/verdict.ts';
import type { Step } from '../../src/core/workflow.ts';
import { readAtOnce } from '../support/read-at-once.ts';
import type { Answer } from './answers.ts';
import { type Finish, feedbackOn, type Judgement, judge, MAX_ATTEMPTS } from './calls.ts';
import { informed } from './play-steering.ts';
import { isRefusal } from './shell.ts';
import { answer, definitionInUse, existing, jobOf, type Stage, WORKFLOW_GONE } from './stage.ts';

export interface ReceivedCall {
  readonly call: Finish;
  readonly id: string;
  readonly arrival: number;
  readonly inUse: WorkflowInUse;
  readonly members: readonly Step[];
  readonly submitted: readonly Submitted[];
}

export function isReceived(received: ReceivedCall | Answer): received is ReceivedCall {
  return 'submitted' in received;
}

export async function receiveCall(stage: Stage, call: Finish): Promise<ReceivedCall | Answer> {
  const { shell } = stage;
  const { actor } = call;
  const ended = call.session === null ? null : await shell.load(call.session);
  if (ended !== null && ended.status !== 'active' && ended.owner.identity === actor.owner) {
    const received = readAtOnce(ended, definitionInUse(jobOf(stage, ended.jobName)), call);
    if (received.kind === 'repeat') return answerFrom(stage, call, ended, null);
  }
  const session = await shell.claim(actor, call.session);
  if (isRefusal(session)) return answer(stage, actor, session, null);
  const { id } = session;
  const job = jobOf(stage, session.jobName);
  if (job.workflow !== session.workflowName) return answer(stage, actor, WORKFLOW_GONE, id);
  const inUse = definitionInUse(job);
  const wasSentBack = session.steering?.ended === null;
  const isGone = currentEntry(session, inUse.workflow) === null;
  const news = wasSentBack && isGone ? null : await informed(stage, actor, session);
  if (news !== null && !wasSentBack) return answer(stage, actor, news, id);
  if (news !== null) {
    return { ...(await answer(stage, actor, 'next_step', id)), feedback: [news.message] };
  }
  const received = readAtOnce(session, inUse, call);
  if (received.kind === 'refused') return answer(stage, actor, received.refusal, id);
  if (received.kind === 'repeat') return answerFrom(stage, call, session, null);
  if (received.kind === 'waits') throw new Error('no entry of the simulation waits yet');
  const open = nothingSubmitted(session, received);
  if (open !== null) {
    return { ...(await answer(stage, actor, 'needs_work', id)), feedback: [open] };
  }
  if (!received.submitted.every(isWellFormed)) return answer(stage, actor, ILL_FORMED, id);
  return { call, id, inUse, ...received };
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

const ILL_FORMED: Refusal = {
  code: 'outputs_invalid',
  message: 'an output does not have the declared shape',
  next: null,
};

export async function reviewCall(
  stage: Stage,
  received: ReceivedCall,
): Promise<ReceivedCall | Answer> {
  const { shell } = stage;
  const { call, id, arrival, inUse } = received;
  const stepIds = judged(received)
    .filter((each) => each.byReviewer)
    .map(({ step }) => step.id);
  if (stepIds.length === 0) return received;
  const decide = existing(id, (now) => {
    const at = shell.clock();
    const by = shell.ownerOf(call.actor);
    return decideReview(now, { at, by, arrival, review: `review at ${at}`, stepIds });
  });
  const session = await shell.commit(call.actor, id, decide, inUse);
  return isRefusal(session) ? answer(stage, call.actor, session, id) : received;
}

export async function settleCall(stage: Stage, received: ReceivedCall): Promise<Answer> {
  const { shell } = stage;
  const { call, id, arrival, inUse } = received;
  const verdict = verdictOf(received);
  const decide = existing(id, (now) =>
    decideVerdict(now, {
      at: shell.clock(),
      by: shell.ownerOf(call.actor),
      arrival,
      call,
      context: call.context,
      inUse,
      warnings: [],
      ...verdict,
    }),
  );
  const session = await shell.commit(call.actor, id, decide, inUse);
  if (isRefusal(session)) return answer(stage, call.actor, session, id);
  const { accepted, failed, voided } = verdict;
  const settled = await answerFrom(stage, call, session, arrival);
  if (settled.status !== 'needs_work') return settled;
  if (voided.length > 0 && accepted.length === 0 && failed.length === 0) {
    return { ...settled, status: 'fault', feedback: [] };
  }
  const over = failed.filter(
    ({ stage: at, step_id }) =>
      at === 'review' && (progressOf(session, step_id)?.attempts ?? 0) >= MAX_ATTEMPTS,
  );
  if (over.length === 0) return settled;
  const feedback = over.map((member) => member.feedback).join('; ');
  const message = `Quality gate failed after ${MAX_ATTEMPTS} attempts. Feedback: ${feedback}`;
  return { ...settled, status: 'refused', code: 'quality_gate_failed', message, feedback: [] };
}

/** The gate's result, in the decider's terms. */
function verdictOf(received: ReceivedCall) {
  const { call } = received;
  const members = judged(received);
  const those = (result: Judgement['result']) => members.filter((each) => each.result === result);
  return {
    accepted: those('accepted').map((each) => accepted(received, each)),
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

/** Reports the session's position, seen from the arrival that the call was bound to. */
async function answerFrom(
  stage: Stage,
  call: Finish,
  session: Session,
  arrival: number | null,
): Promise<Answer> {
  const from = arrival ?? session.lastAccepted?.arrival;
  if (session.status !== 'active')
    return answer(stage, call.actor, 'workflow_complete', session.id);
  const moved = session.position.arrival !== from;
  const told = await answer(stage, call.actor, moved ? 'next_step' : 'needs_work', session.id);
  return moved ? told : { ...told, feedback: [session.position.feedback ?? ''] };
}

function judged({ call, submitted }: ReceivedCall) {
  return submitted.map(({ step, outputs: values }) => {
    const outputs: Outputs = Object.fromEntries(
      step.outputs
        .filter(({ name }) => values.has(name))
        .map(({ name }) => [name, values.get(name) as string | string[]]),
    );
    const reviewed = step.reviews.length > 0;
    return { step, outputs, ...judge(call, { id: step.id, reviewed }) };
  });
}

function accepted(
  received: ReceivedCall,
  { step, outputs }: { step: Step; outputs: Outputs },
): AcceptedMember {
  const shared = shownOutputs(received.members).filter((each) => each.shared && each.step === step);
  return {
    step_id: step.id,
    outputs,
    shared_names: shared.map(({ output }) => output.name),
    files: filesOf(received.call, outputs),
    ...(received.call.override !== null && { override_reason: received.call.override }),
  };
}

function filesOf(call: Finish, outputs: Outputs): Record<string, string> {
  const paths = Object.values(outputs).flat();
  return Object.fromEntries(paths.map((path) => [path, `content ${call.content}`]));
}
