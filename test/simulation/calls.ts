// The language of histories. A call is plain data that contains every random choice, so that a
// history can be printed, shortened and replayed against the decider, the journal or the reference
// model, and means the same to each.

import type { PlainJob, PlainStep } from './definitions.ts';

export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };
export type Facts = Readonly<Record<string, Value>>;

/** Who calls. Several processes may act for one owner, one after the other. */
export interface Actor {
  readonly owner: string;
  readonly process: string;
}

/** Whether an owner is a named agent, whose work waits for it. */
export function isNamed(owner: string): boolean {
  return owner.startsWith('named-');
}

/**
 * The gate's result for a member: `reviewed` and `review` come from a reviewer that passed or
 * failed it, `fault` from one that gave no verdict. Default: `pass`.
 */
export type Outcome = 'pass' | 'rules' | 'self_review' | 'reviewed' | 'review' | 'fault';

export interface Start {
  readonly kind: 'start';
  readonly actor: Actor;
  readonly id: string;
  readonly job: string;
  readonly context: Facts;
}

export interface Finish {
  readonly kind: 'finish';
  readonly actor: Actor;
  readonly session: string | null;
  readonly outputs: Value;
  readonly notes: string | null;
  readonly stepId: string | null;
  readonly context: Facts;
  readonly outcomes: Readonly<Record<string, Outcome>>;
  readonly override: string | null;
  /** Content of the files: another number is other content under the same path. */
  readonly content: number;
}

export interface Abort {
  readonly kind: 'abort';
  readonly actor: Actor;
  readonly session: string | null;
  readonly explanation: string;
}

export interface GoTo {
  readonly kind: 'go_to';
  readonly actor: Actor;
  readonly session: string | null;
  readonly stepId: string;
}

/** A person gives a run up, or sends it back; its agent learns of it with its next call. */
export interface Steer {
  readonly kind: 'steer';
  readonly session: string;
  /** Null: it is given up. */
  readonly stepId: string | null;
  readonly person: string;
  readonly reason: string;
}

/** The job's file is replaced. */
interface Edit {
  readonly kind: 'edit';
  readonly job: PlainJob;
}

interface Die {
  readonly kind: 'die';
  readonly process: string;
}

/** Everything in memory is dropped and rebuilt from the events. */
interface Rebuild {
  readonly kind: 'rebuild';
}

export type Simple = Start | Finish | Abort | GoTo | Steer | Edit | Die | Rebuild;

/**
 * Calls that overlap: all are heard on one state, other things happen, and each is
 * settled in its turn. A call that `order` leaves out belongs to a process that died
 * over it.
 */
export interface Overlap {
  readonly kind: 'overlap';
  readonly received: readonly Finish[];
  readonly between: readonly Simple[];
  /** Whether `between` comes before the reviews of the calls begin, or while they run. */
  readonly early: boolean;
  readonly order: readonly number[];
}

export type Call = Simple | Overlap;

export interface History {
  readonly seed: number;
  readonly jobs: readonly PlainJob[];
  readonly calls: readonly Call[];
}

export interface Judgement {
  readonly result: 'accepted' | 'failed' | 'voided';
  readonly stage: 'rules' | 'review' | 'self_review';
  /** A reviewer ran: the attempt is recorded before its verdict. */
  readonly byReviewer: boolean;
}

/** The gate is not simulated, so its result comes with the call. */
export function judge(call: Finish, step: Pick<PlainStep, 'id' | 'reviewed'>): Judgement {
  const outcome = Object.hasOwn(call.outcomes, step.id) ? call.outcomes[step.id] : 'pass';
  if (outcome === 'rules') return { result: 'failed', stage: 'rules', byReviewer: false };
  if (!step.reviewed || call.override !== null || outcome === 'pass') {
    return { result: 'accepted', stage: 'review', byReviewer: false };
  }
  if (outcome === 'self_review') {
    return { result: 'failed', stage: 'self_review', byReviewer: false };
  }
  const result = outcome === 'fault' ? 'voided' : outcome === 'review' ? 'failed' : 'accepted';
  return { result, stage: 'review', byReviewer: true };
}

/** How many reviews may fail before failure is an error. */
export const MAX_ATTEMPTS = 3;

/** The gate's feedback on a failed member. */
export function feedbackOn(stepId: string, stage: Judgement['stage']): string {
  return `${stepId} did not pass ${stage}`;
}
