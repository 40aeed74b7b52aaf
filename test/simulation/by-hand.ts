// Sessions brought to a certain point by hand, for tests of single rules: each helper does what the
// operations do if nothing goes wrong.

import type { Context } from '../../src/core/conditions.ts';
import {
  decideAbort,
  decideGoBack,
  decideStart,
  type WorkflowInUse,
} from '../../src/core/session/decide.ts';
import type { FailedMember, SessionDecision } from '../../src/core/session/events.ts';
import { evolve } from '../../src/core/session/evolve.ts';
import type { SubmissionReading } from '../../src/core/session/read-submission.ts';
import { jobStepGone } from '../../src/core/session/refusals.ts';
import type { Call } from '../../src/core/session/repeats.ts';
import type { Json, Outputs, Session } from '../../src/core/session/state.ts';
import { shownOutputs } from '../../src/core/session/submission.ts';
import { decideVerdict, type VerdictCommand } from '../../src/core/session/verdict.ts';
import { openViewTexts } from '../../src/sessions/view-text.ts';
import { readAtOnce } from '../support/read-at-once.ts';
import { type PlainJob, toWorkflow } from './definitions.ts';

export const OWNER = { identity: 'agent-1', process: 'agent-1#1' };
export const NOON = '2025-01-01T12:00:00.000Z';
export const ABORT = {
  at: NOON,
  by: OWNER,
  explanation: 'no use',
  ending: { nth: 1, resumes: null },
};

function definitionInUse(job: PlainJob): WorkflowInUse {
  return { workflow: toWorkflow(job), hash: job.inUse, stepGone: jobStepGone };
}

export function startDecision(job: PlainJob, context: Context = {}): SessionDecision {
  return decideStart({
    at: NOON,
    id: '0000abcd',
    source: 'job',
    owner: OWNER,
    parentId: null,
    level: 1,
    jobName: job.name,
    jobDir: `/jobs/${job.name}`,
    goal: 'the goal',
    instanceId: null,
    context,
    branch: { branch_name: 'deepwork/job-flow-20250101' },
    inUse: definitionInUse(job),
  });
}

export function started(job: PlainJob, context: Context = {}): Session {
  return stateAfter(null, startDecision(job, context));
}

/** The state that a decision leads to; a refusal is a mistake of the test. */
export function stateAfter(session: Session | null, decision: SessionDecision): Session {
  if (decision.kind === 'commit') return evolve(session, decision.event);
  throw new Error(`expected an event, got ${JSON.stringify(decision)}`);
}

/** The text of its readable view. */
export function viewText(session: Session): string {
  return Buffer.concat(openViewTexts()(session).map((piece) => Buffer.from(piece))).toString();
}

/** What that view shows. */
export function viewOf(session: Session) {
  return JSON.parse(viewText(session));
}

export function said(outputs: Json, more: Partial<Call> = {}): Call {
  return { outputs, notes: null, stepId: null, ...more };
}

/**
 * A call as it was heard on `session`, for which every submitted member passes unless
 * `more` says otherwise. It may be judged on another state, as calls that overlap are.
 */
export function heardOn(
  session: Session,
  job: PlainJob,
  call: Call,
  more: Partial<VerdictCommand> = {},
): VerdictCommand {
  const inUse = definitionInUse(job);
  const received = readAtOnce(session, inUse, call);
  if (received.kind !== 'run')
    throw new Error(`expected a hearing, got ${JSON.stringify(received)}`);
  const shared = shownOutputs(received.members).filter((each) => each.shared);
  return {
    at: NOON,
    by: OWNER,
    arrival: received.arrival,
    call,
    context: {},
    accepted: received.submitted.map(({ step, outputs }) => ({
      step_id: step.id,
      outputs: Object.fromEntries(outputs) as Outputs,
      shared_names: shared.filter((each) => each.step === step).map(({ output }) => output.name),
      files: {},
    })),
    failed: [],
    evidence: [],
    voided: [],
    faults: [],
    warnings: [],
    inUse,
    ...more,
  };
}

export function judged(
  session: Session,
  job: PlainJob,
  call: Call,
  more: Partial<VerdictCommand> = {},
): Session {
  return stateAfter(session, decideVerdict(session, heardOn(session, job, call, more)));
}

export function finished(
  session: Session,
  job: PlainJob,
  outputs: Json,
  more: Partial<Call> = {},
): Session {
  return judged(session, job, said(outputs, more));
}

export function hearIn(session: Session, job: PlainJob, call: Call): SubmissionReading {
  return readAtOnce(session, definitionInUse(job), call);
}

export function goTo(session: Session, job: PlainJob, stepId: string): SessionDecision {
  return decideGoBack(session, { at: NOON, by: OWNER, stepId, inUse: definitionInUse(job) });
}

export function aborted(session: Session): Session {
  return stateAfter(session, decideAbort(session, ABORT));
}

export function failure(step_id: string, stage: FailedMember['stage'] = 'review'): FailedMember {
  return { step_id, stage, feedback: `${step_id} is bad`, files: {}, details: [] };
}

/** The code of a refusal; or, in brackets, what it is instead. */
export function codeOf(result: SessionDecision | SubmissionReading): string {
  return result.kind === 'refused' ? String(result.refusal.code) : `(${result.kind})`;
}
