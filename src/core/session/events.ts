// The events of a session, as recorded in its journal. Fields that are empty or unchanged are
// omitted, because each one is written, hashed and read back. So `by` is present only if the actor
// differs from that of the event before.

import type { Context } from '../conditions.ts';
import type { Decision } from '../decision.ts';
import type { EventsOf } from '../event.ts';
import type { VariableValues } from '../variables.ts';
import type { Gate, Grant, Weakening } from './gate.ts';
import type { Ending, Json, LoopLimit, Outputs, Owner, Position, Session, Taken } from './state.ts';

/** The data of each event. */
interface SessionEventData {
  readonly started: {
    readonly session_id: string;
    /** `guide`: `job_name` is the id of a JSON workflow. */
    readonly source: Session['source'];
    readonly job_name: string;
    readonly job_dir: string;
    readonly workflow_name: string;
    readonly instance_id: string | null;
    readonly goal: string;
    readonly context: Context;
    /** The values of the workflow's inputs, defaults included; absent if it has none. */
    readonly inputs?: VariableValues;
    readonly branch_name: string;
    /** Absent if the branch existed before, or none is made. */
    readonly branch_from?: string;
    readonly parent_session_id: string | null;
    /** The `run` of the parent that started it; absent if an agent did. */
    readonly run_entry?: string;
    readonly level: number;
    readonly owner: Owner;
    readonly definition: string;
    readonly gate?: Gate;
    readonly position: Position;
    readonly skipped: readonly string[];
    /** How many entries the workflow has, for views of its progress. */
    readonly entries?: number;
  };
  /** Recorded only if a check has to run: one that has passed for the same files does not. */
  readonly checking: AtArrival & { readonly step_ids: readonly string[] };
  /** The checks were stopped before they ended, so nothing is judged. */
  readonly checks_stopped: AtArrival & { readonly step_ids: readonly string[] };
  readonly reviewing: AtArrival & {
    readonly review: string;
    readonly step_ids: readonly string[];
  };
  readonly judged: AtArrival &
    MoveFields & {
      readonly accepted: readonly AcceptedMember[];
      readonly failed?: readonly FailedMember[];
      /** What ran for this call; evidence of earlier calls is not repeated. */
      readonly evidence?: readonly Evidence[];
      /** Members whose review ended without a verdict: the attempt does not count. */
      readonly voided?: readonly string[];
      readonly sent: SentCall;
      readonly context?: Context;
    };
  /**
   * The question is already in the ledger. If a crash prevents this event, the next call finds the
   * question there and records it.
   */
  readonly asked: AtArrival & {
    /** The `approve`, or the loop. */
    readonly name: string;
    readonly question: string;
    /** For an approval: sha256 by path, of the files shown. */
    readonly files?: Readonly<Record<string, string>>;
    readonly feedback: string;
  };
  readonly approved: AtArrival &
    MoveFields & {
      readonly name: string;
      readonly files: Readonly<Record<string, string>>;
      /** Absent if these bytes had been approved before. */
      readonly answer?: Answered;
      readonly sent: SentCall;
    };
  /** Without a position the session stays: there is no way back, or it was used too often. */
  readonly rejected: AtArrival &
    DefinitionChange & {
      readonly name: string;
      readonly files: Readonly<Record<string, string>>;
      readonly words: string | null;
      /** Absent if these bytes had been rejected before. */
      readonly answer?: Answered;
      readonly sent: SentCall;
      /** Where work was sent back to, and what that cleared. */
      readonly to?: string;
      readonly invalidated?: readonly string[];
      readonly position: Position | null;
      readonly warnings?: readonly string[];
    };
  /** The answer `Abort` is recorded as the event `aborted`, with the person's name. */
  readonly loop_answered: AtArrival &
    MoveFields & {
      readonly loop: string;
      readonly pass: number;
      readonly choice: 'one_more' | 'go_on';
      readonly words: string | null;
      readonly answer: Answered;
      readonly sent: SentCall;
    };
  readonly run_ended: AtArrival &
    MoveFields & {
      readonly name: string;
      readonly session: string;
      /** Its `all_outputs`; absent if it was aborted. */
      readonly outputs?: Outputs;
      /** Names of outputs that also count as the entry's own; absent if there are none. */
      readonly own?: readonly string[];
      /** Reports that also count as the entry's own; absent if there are none. */
      readonly reports?: VariableValues;
      /** Why it was aborted; the session then stays at the entry. */
      readonly aborted?: string;
    };
  readonly gate_weakened: { readonly by?: Owner; readonly weakened: readonly Weakening[] };
  readonly went_back: DefinitionChange & {
    readonly by?: Owner;
    /** A person sent the run back, for this reason. */
    readonly person?: string;
    readonly reason?: string;
    readonly definition: string;
    readonly from: string;
    readonly to: string;
    readonly position: Position;
    readonly invalidated: readonly string[];
  };
  readonly adopted: {
    readonly owner: Owner;
    readonly level: number;
    /** The stack that is being taken over, bottom first; absent if this is the only session. */
    readonly stack?: readonly Taken[];
  };
  // The next two are recorded by a client's hook. They have no actor: the owner does not change.
  readonly nudged: { readonly nth: number };
  readonly let_go: { readonly nudges: number };
  readonly aborted: {
    readonly by?: Owner;
    /** Present if a person aborted it. */
    readonly person?: string;
    readonly explanation: string;
    readonly ending: Ending;
  };
  // The acts of a person do not change the owner either.
  readonly stack_changed: {
    /** The session that was aborted. */
    readonly ended: string;
    readonly person: string;
    readonly reason: string;
  };
  readonly informed: { readonly by?: Owner };
}

export type SessionEvent = EventsOf<SessionEventData>;

export type Started = Extract<SessionEvent, { type: 'started' }>;
export type Judged = Extract<SessionEvent, { type: 'judged' }>;
export type Approved = Extract<SessionEvent, { type: 'approved' }>;
export type Rejected = Extract<SessionEvent, { type: 'rejected' }>;
export type LoopAnswered = Extract<SessionEvent, { type: 'loop_answered' }>;
export type RunEnded = Extract<SessionEvent, { type: 'run_ended' }>;
export type WentBack = Extract<SessionEvent, { type: 'went_back' }>;

export type SessionDecision = Decision<SessionEvent>;

/** The actor, and the arrival that an event belongs to. */
interface AtArrival {
  readonly by?: Owner;
  readonly arrival: number;
}

/** The result of a check or review, bound to the files that it saw. */
export interface Evidence {
  /** Hash of what was judged, by what and against what. Equal keys mean the same work. */
  readonly key: string;
  readonly step_id: string;
  readonly kind: 'check' | 'review';
  /** The check's name, or the review's scope with the file it looked at. */
  readonly name: string;
  readonly passed: boolean;
  readonly said: string;
  readonly files: Readonly<Record<string, string>>;
  readonly milliseconds: number;
}

/** A member that passed the gate. */
export interface AcceptedMember {
  readonly step_id: string;
  readonly outputs: Outputs;
  readonly shared_names?: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** The values of the reports that the step declares; absent if it declares none. */
  readonly reports?: VariableValues;
  /** The verdict of a self-review, as the agent handed it in. */
  readonly self_review?: string;
  /** Why reviews were skipped; absent if none were. */
  readonly override_reason?: string;
  /** The person who allowed reviews to be skipped, if only a person may. */
  readonly override_grant?: Grant;
}

/** A member that did not pass, and why. Only a reviewer's verdict uses up an attempt. */
export interface FailedMember {
  readonly step_id: string;
  readonly stage:
    | 'rules'
    | 'checks'
    | 'review'
    | 'self_review'
    | 'self_review_failed'
    | 'override_pending'
    | 'override_refused';
  readonly feedback: string;
  readonly files: Readonly<Record<string, string>>;
  readonly details: readonly Json[];
  /** For `self_review`: the code that the verdict has to begin with. */
  readonly code?: string;
}

/** Where a session goes with an event, and what was determined on the way. */
export interface MoveFields extends DefinitionChange {
  /** Null if it stays, or is complete. */
  readonly position: Position | null;
  readonly warnings?: readonly string[];
  readonly feedback?: string;
  readonly skipped?: readonly string[];
  readonly completed?: true;
  /** The text that the agent reads when the workflow is complete; absent if there is none. */
  readonly afterword?: string;
  readonly ending?: Ending;
  /** Loops whose pass ended, inner ones first, with the outcome of `until`. */
  readonly untils?: readonly UntilRecord[];
  /** The loop that keeps the session here until a person decides how it continues. */
  readonly limit?: LoopLimit;
}

/** The definition, as far as it differs from that of the event before. */
export interface DefinitionChange {
  readonly definition?: string;
  /** How many entries it has. */
  readonly entries?: number;
  readonly gate?: GateChange;
}

export interface UntilRecord {
  readonly loop: string;
  readonly pass: number;
  readonly done: boolean;
  /** Absent if it is done. */
  readonly said?: string;
}

/** A `finished_step` call, to recognize it if it is repeated. */
export interface SentCall {
  readonly outputs: Json;
  readonly notes: string | null;
  /** As the call gave it; absent if it gave none. */
  readonly context?: Context;
}

/** A person's answer to a question, and where it came from. */
export type Answered = Grant;

export interface GateChange {
  readonly now: Gate;
  readonly weakened?: readonly Weakening[];
  /** Who agreed to the weakening, if a person has to. */
  readonly granted?: Grant;
}
