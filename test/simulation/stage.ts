// What every call finds when it is played: the shell, the current definitions on disk, and the way
// to answer.

import type { Refusal } from '../../src/core/refusal.ts';
import type { WorkflowInUse } from '../../src/core/session/decide.ts';
import type { SessionDecision } from '../../src/core/session/events.ts';
import { jobStepGone, noSuchSession } from '../../src/core/session/refusals.ts';
import type { Session } from '../../src/core/session/state.ts';
import { stackItems } from '../../src/sessions/stack-items.ts';
import { type Answer, NOTHING_SAID, type Status } from './answers.ts';
import type { Actor } from './calls.ts';
import { type PlainJob, toWorkflow } from './definitions.ts';
import { factsOfSession } from './facts.ts';
import type { Shell } from './shell.ts';

export interface Stage {
  readonly shell: Shell;
  /** The current definitions on disk. */
  readonly jobs: Map<string, PlainJob>;
  /** Whether calls that overlap are settled at the same time, or in the order given. */
  readonly atOnce: boolean;
}

export function openStage(jobs: readonly PlainJob[], shell: Shell, atOnce: boolean): Stage {
  return { shell, jobs: new Map(jobs.map((job) => [job.name, job])), atOnce };
}

/** The answer of an operation if a session's workflow is no longer in its file. */
export const WORKFLOW_GONE: Refusal = {
  code: 'workflow_not_found',
  message: 'the workflow is not in the file',
  next: null,
};

/** The answer to a caller, with the state of the session and of the stack by then. */
export async function answer(
  { shell }: Stage,
  actor: Actor,
  outcome: Status | Refusal,
  id: string | null,
): Promise<Answer> {
  const session = id === null ? null : await shell.load(id);
  const stack = await shell.stack(actor.owner);
  const told = {
    ...NOTHING_SAID,
    session: session === null ? null : factsOfSession(shell, session),
    stack: stackItems(stack),
  };
  if (typeof outcome === 'string') return { ...told, status: outcome };
  return { ...told, status: 'refused', code: String(outcome.code), message: outcome.message };
}

/** A decider for sessions that exist, for a store that may find none. */
export function existing(id: string, decide: (session: Session) => SessionDecision) {
  return (now: Session | null): SessionDecision =>
    now === null ? { kind: 'refused', refusal: noSuchSession(id) } : decide(now);
}

export function definitionInUse(job: PlainJob): WorkflowInUse {
  return { workflow: toWorkflow(job), hash: job.inUse, stepGone: jobStepGone };
}

export function jobOf({ jobs }: Stage, name: string): PlainJob {
  const job = jobs.get(name);
  if (job === undefined) throw new Error(`the history has no job '${name}'`);
  return job;
}
