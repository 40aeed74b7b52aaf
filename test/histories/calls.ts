// The language of histories. A call is plain data that contains every random choice, so that a
// history can be printed, shortened and replayed against the deciders, the journal or the reference
// model, and means the same to each.

import type { Step, Workflow } from '../../src/core/workflow.ts';

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

/** What is found out during a call, by the name of the entry; where nothing is said, the first. */
export interface Found {
  readonly untils: Readonly<Record<string, 'done' | 'not_yet' | 'cannot_tell'>>;
  /** How many items a list has. */
  readonly items: Readonly<Record<string, number>>;
}

/** What a check says that does not end a loop. */
export const STILL_RED = 'still red';

/**
 * The gate's result for a member: `reviewed` and `review` come from a reviewer that passed or
 * failed it, `fault` from one that gave no verdict. Default: `pass`.
 */
export type Outcome = 'pass' | 'rules' | 'checks' | 'self_review' | 'reviewed' | 'review' | 'fault';

export interface Start {
  readonly kind: 'start';
  readonly actor: Actor;
  readonly id: string;
  readonly job: string;
  readonly context: Facts;
  readonly found: Found;
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
  readonly found: Found;
  /** What a person has said by then, if the call comes to wait for one. */
  readonly person: Said;
}

export interface Said {
  readonly approves: boolean | null;
  readonly loop: 'one_more' | 'go_on' | 'abort' | null;
  readonly words: string | null;
  /** Another content of what is shown than the one that was handed in. */
  readonly edited: number;
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
  readonly found: Found;
}

/** A person gives a run up, or sends it back; its agent learns of it with its next call. */
export interface Steer {
  readonly kind: 'steer';
  readonly session: string;
  /** Null: it is given up. */
  readonly stepId: string | null;
  readonly person: string;
  readonly reason: string;
  readonly found: Found;
}

interface Die {
  readonly kind: 'die';
  readonly process: string;
}

/** Everything in memory is dropped and rebuilt from the events. */
interface Rebuild {
  readonly kind: 'rebuild';
}

export type Simple = Start | Finish | Abort | GoTo | Steer | Die | Rebuild;

/**
 * Calls that overlap: all are heard on one state, other things happen, and each is settled in its
 * turn. A call that `order` leaves out belongs to a process that died over it.
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

export function alone(call: Finish): Overlap {
  return { kind: 'overlap', received: [call], between: [], early: false, order: [0] };
}

/** Workflows by the name of their job. */
export type Jobs = ReadonlyMap<string, Workflow>;

export interface History {
  readonly seed: number;
  readonly jobs: Jobs;
  readonly calls: readonly Call[];
}

export interface Judgement {
  readonly result: 'accepted' | 'failed' | 'voided';
  readonly stage: 'rules' | 'checks' | 'review' | 'self_review';
  /** A reviewer ran: the attempt is recorded before its verdict. */
  readonly byReviewer: boolean;
}

/** The gate is not played, so its result comes with the call. */
export function judge(call: Finish, { id, reviews }: Pick<Step, 'id' | 'reviews'>): Judgement {
  const outcome = Object.hasOwn(call.outcomes, id) ? call.outcomes[id] : 'pass';
  if (outcome === 'rules' || outcome === 'checks') {
    return { result: 'failed', stage: outcome, byReviewer: false };
  }
  if (reviews.length === 0 || call.override !== null || outcome === 'pass') {
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

/** The id of the session that a `run` starts, two levels deep at most. */
export function nestedId(parent: string, arrival: number): string {
  const number = arrival.toString(16).padStart(3, '0');
  return parent.endsWith('000000')
    ? `${parent.slice(0, 2)}${number}000`
    : parent.slice(0, 5) + number;
}

/** Why a session is aborted that nothing waits for any more. */
export const NOT_NEEDED = 'nothing waits for it any more';
