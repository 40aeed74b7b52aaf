// `finished_step` on a shell, in three moments: heard, reviewed, settled. Between them
// other calls may come in, as they do while a reviewer takes minutes.

import type { Refusal } from '../../src/core/refusal.ts';
import {
  decideReview,
  decideSettle,
  type Edition,
  hear,
  nothingSubmitted,
} from '../../src/core/session/decide.ts';
import type {
  AcceptedMember,
  Evidence,
  FailedMember,
  Outputs,
  Session,
} from '../../src/core/session/state.ts';
import { type Submitted, shownOutputs } from '../../src/core/session/submission.ts';
import type { Step } from '../../src/core/workflow.ts';
import type { Answer } from './answers.ts';
import { type Finish, feedbackOn, type Judgement, judge, MAX_ATTEMPTS } from './calls.ts';
import { isRefusal } from './shell.ts';
import { answer, editionOf, existing, jobOf, type Stage, WORKFLOW_GONE } from './stage.ts';

export interface HeardCall {
  readonly call: Finish;
  readonly id: string;
  readonly visit: number;
  readonly edition: Edition;
  readonly members: readonly Step[];
  readonly submitted: readonly Submitted[];
}

export function isTicket(heard: HeardCall | Answer): heard is HeardCall {
  return 'submitted' in heard;
}

export async function hearCall(stage: Stage, call: Finish): Promise<HeardCall | Answer> {
  const { shell } = stage;
  const { actor } = call;
  const ended = call.session === null ? null : await shell.load(call.session);
  if (ended !== null && ended.status !== 'active' && ended.owner.identity === actor.owner) {
    const { workflow } = editionOf(jobOf(stage, ended.jobName));
    const heard = hear(ended, workflow, call);
    if (heard.kind === 'repeat') return answerFrom(stage, call, ended, null);
  }
  const session = await shell.claim(actor, call.session);
  if (isRefusal(session)) return answer(stage, actor, session, null);
  const { id } = session;
  const job = jobOf(stage, session.jobName);
  if (job.workflow !== session.workflowName) return answer(stage, actor, WORKFLOW_GONE, id);
  const edition = editionOf(job);
  const heard = hear(session, edition.workflow, call);
  if (heard.kind === 'refused') return answer(stage, actor, heard.refusal, id);
  if (heard.kind === 'repeat') return answerFrom(stage, call, session, null);
  const open = nothingSubmitted(session, heard);
  if (open !== null) {
    return { ...(await answer(stage, actor, 'needs_work', id)), feedback: [open] };
  }
  if (!heard.submitted.every(isWellFormed)) return answer(stage, actor, ILL_FORMED, id);
  return { call, id, edition, ...heard };
}

/** Stands in for the gate's look at files, which all exist here. */
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

export async function reviewCall(stage: Stage, ticket: HeardCall): Promise<HeardCall | Answer> {
  const { shell } = stage;
  const { call, id, visit, edition } = ticket;
  const stepIds = judged(ticket)
    .filter((each) => each.byReviewer)
    .map(({ step }) => step.id);
  if (stepIds.length === 0) return ticket;
  const decide = existing(id, (now) => {
    const at = shell.clock();
    const by = shell.ownerOf(call.actor);
    return decideReview(now, { at, by, visit, review: `review at ${at}`, stepIds });
  });
  const session = await shell.commit(call.actor, id, decide, edition);
  return isRefusal(session) ? answer(stage, call.actor, session, id) : ticket;
}

export async function settleCall(stage: Stage, ticket: HeardCall): Promise<Answer> {
  const { shell } = stage;
  const { call, id, visit, edition } = ticket;
  const verdict = verdictOf(ticket);
  const decide = existing(id, (now) =>
    decideSettle(now, {
      at: shell.clock(),
      by: shell.ownerOf(call.actor),
      visit,
      call,
      context: call.context,
      edition,
      warnings: [],
      ...verdict,
    }),
  );
  const session = await shell.commit(call.actor, id, decide, edition);
  if (isRefusal(session)) return answer(stage, call.actor, session, id);
  const { accepted, failed, voided } = verdict;
  const settled = await answerFrom(stage, call, session, visit);
  if (settled.status !== 'needs_work') return settled;
  if (voided.length > 0 && accepted.length === 0 && failed.length === 0) {
    return { ...settled, status: 'fault', feedback: [] };
  }
  const over = failed.filter(
    ({ stage: at, step_id }) =>
      at === 'review' && (session.progress[step_id]?.attempts ?? 0) >= MAX_ATTEMPTS,
  );
  if (over.length === 0) return settled;
  const feedback = over.map((member) => member.feedback).join('; ');
  const message = `Quality gate failed after ${MAX_ATTEMPTS} attempts. Feedback: ${feedback}`;
  return { ...settled, status: 'refused', code: 'quality_gate_failed', message, feedback: [] };
}

/** What the gate found, in the words of the decider. */
function verdictOf(ticket: HeardCall) {
  const { call } = ticket;
  const members = judged(ticket);
  const those = (result: Judgement['result']) => members.filter((each) => each.result === result);
  return {
    accepted: those('accepted').map((each) => accepted(ticket, each)),
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

/** Tells where the session is, seen from the visit that the call was bound to. */
async function answerFrom(
  stage: Stage,
  call: Finish,
  session: Session,
  visit: number | null,
): Promise<Answer> {
  const from = visit ?? session.lastAccepted?.visit;
  if (session.status !== 'active')
    return answer(stage, call.actor, 'workflow_complete', session.id);
  const moved = session.position.visit !== from;
  const told = await answer(stage, call.actor, moved ? 'next_step' : 'needs_work', session.id);
  return moved ? told : { ...told, feedback: [session.lastFeedback ?? ''] };
}

function judged({ call, submitted }: HeardCall) {
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
  ticket: HeardCall,
  { step, outputs }: { step: Step; outputs: Outputs },
): AcceptedMember {
  const shared = shownOutputs(ticket.members).filter((each) => each.shared && each.step === step);
  return {
    step_id: step.id,
    outputs,
    shared_names: shared.map(({ output }) => output.name),
    files: filesOf(ticket.call, outputs),
    ...(ticket.call.override !== null && { override_reason: ticket.call.override }),
  };
}

function filesOf(call: Finish, outputs: Outputs): Record<string, string> {
  const paths = Object.values(outputs).flat();
  return Object.fromEntries(paths.map((path) => [path, `content ${call.content}`]));
}
