// The events that a session is made of, as they are in its journal. What is empty or as
// before is left out: it would be written, hashed and read back each time. So `by` is there
// only when the actor is not the same as before.

import type { Context } from '../conditions.ts';
import type { Decision } from '../decision.ts';
import type { VariableValues } from '../variables.ts';
import type { Gate, Grant, OlderGate, Weakening } from './gate.ts';
import type { Ending, Json, LoopLimit, Outputs, Owner, Position, Session, Taken } from './state.ts';

export interface Started {
  readonly type: 'started';
  readonly at: string;
  readonly data: {
    readonly session_id: string;
    /** `guide`: `job_name` is the id of a JSON workflow. */
    readonly source: Session['source'];
    readonly job_name: string;
    readonly job_dir: string;
    readonly workflow_name: string;
    readonly instance_id: string | null;
    readonly goal: string;
    readonly context: Context;
    /** The values of the workflow's inputs, defaults included; left out when it has none. */
    readonly inputs?: VariableValues;
    readonly branch_name: string;
    /** Left out when the branch was there before, or none is made. */
    readonly branch_from?: string;
    readonly parent_session_id: string | null;
    /** The `run` of the parent that started it; left out when an agent did. */
    readonly run_entry?: string;
    readonly level: number;
    readonly owner: Owner;
    readonly definition: string;
    readonly gate?: Gate | OlderGate;
    readonly position: Position;
    readonly skipped: readonly string[];
    /** How many entries the workflow has, for those who look on. */
    readonly entries?: number;
  };
}

/** Only where something has to run: what passed before for the same files does not. */
interface Checking {
  readonly type: 'checking';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly arrival: number;
    readonly step_ids: readonly string[];
  };
}

/** The checks that began were cut short, and nothing is to be judged. */
interface ChecksStopped {
  readonly type: 'checks_stopped';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly arrival: number;
    readonly step_ids: readonly string[];
  };
}

interface Reviewing {
  readonly type: 'reviewing';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly arrival: number;
    readonly review: string;
    readonly step_ids: readonly string[];
  };
}

/** Something that ran and what it said, bound to the files that it saw. */
export interface Evidence {
  /** Hash of what was judged, by what and against what: equal keys, equal question. */
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

/** A member that got through the gate. */
export interface AcceptedMember {
  readonly step_id: string;
  readonly outputs: Outputs;
  readonly shared_names?: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** What the step declares to be reported; left out when it declares nothing. */
  readonly reports?: VariableValues;
  readonly override_reason?: string;
  /** The person who let reviews be skipped, where only a person may. */
  readonly override_grant?: Grant;
}

/** A member that did not, and why. Only a reviewer's verdict uses up an attempt. */
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
  /** Of `self_review`: the code that the verdict has to begin with, if any. */
  readonly code?: string;
}

export interface Judged {
  readonly type: 'judged';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly arrival: number;
    /** Left out when it is the one that the event before ran under. */
    readonly definition?: string;
    readonly accepted: readonly AcceptedMember[];
    readonly failed?: readonly FailedMember[];
    /** What ran for this call; what an earlier call proved is not repeated here. */
    readonly evidence?: readonly Evidence[];
    /** Members whose review began and came to no verdict: the attempt is void. */
    readonly voided?: readonly string[];
    readonly sent: Sent;
    readonly context?: Context;
  } & Onwards;
}

/** Where a session goes with an event, and what was found out on the way. */
export interface Onwards {
  /** Null when it stays, or is complete. */
  readonly position: Position | null;
  readonly warnings?: readonly string[];
  readonly feedback?: string;
  readonly skipped?: readonly string[];
  readonly completed?: true;
  /** What the workflow says when it is complete; left out where it says nothing. */
  readonly afterword?: string;
  readonly ending?: Ending;
  /** Left out when the workflow has as many as before. */
  readonly entries?: number;
  /** Left out when the gate demands what it did before. */
  readonly gate?: GateChange;
  /** Loops whose pass ended, inner ones first, and what `until` came to. */
  readonly untils?: readonly UntilRecord[];
  /** The loop that keeps it here until a person has said how to go on. */
  readonly limit?: LoopLimit;
}

export interface UntilRecord {
  readonly loop: string;
  readonly pass: number;
  readonly done: boolean;
  /** Left out when it is done. */
  readonly said?: string;
}

/** A `finished_step` call, to know it when it comes again. */
interface Sent {
  readonly outputs: Json;
  readonly notes: string | null;
}

/** A person's answer to a question, and where it came from. */
export interface Answered {
  readonly question: string;
  readonly by: string;
  readonly route: string;
}

/**
 * The question is in the ledger already: an event that a crash prevented is made up for by the
 * next call, which finds the question there.
 */
interface Asked {
  readonly type: 'asked';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly arrival: number;
    /** The `approve`, or the loop. */
    readonly name: string;
    readonly question: string;
    /** Of an approval: sha256 by path, of what is shown. */
    readonly files?: Readonly<Record<string, string>>;
    readonly feedback: string;
  };
}

export interface Approved {
  readonly type: 'approved';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly arrival: number;
    readonly definition?: string;
    readonly name: string;
    readonly files: Readonly<Record<string, string>>;
    /** Left out when these bytes had been approved before. */
    readonly answer?: Answered;
    readonly sent: Sent;
  } & Onwards;
}

/** Without a position it stays at the gate: there is no way back, or no more. */
export interface Rejected {
  readonly type: 'rejected';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly arrival: number;
    readonly definition?: string;
    readonly name: string;
    readonly files: Readonly<Record<string, string>>;
    readonly words: string | null;
    /** Left out when these bytes had been rejected before. */
    readonly answer?: Answered;
    readonly sent: Sent;
    /** Where work was sent back to, and what that cleared. */
    readonly to?: string;
    readonly invalidated?: readonly string[];
    readonly position: Position | null;
    readonly warnings?: readonly string[];
    readonly entries?: number;
    readonly gate?: GateChange;
  };
}

/** `Abort` is no such answer: that is the event `aborted`, with the person's name. */
export interface LoopAnswered {
  readonly type: 'loop_answered';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly arrival: number;
    readonly definition?: string;
    readonly loop: string;
    readonly pass: number;
    readonly choice: 'one_more' | 'go_on';
    readonly words: string | null;
    readonly answer: Answered;
    readonly sent: Sent;
  } & Onwards;
}

export interface RunEnded {
  readonly type: 'run_ended';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly arrival: number;
    readonly definition?: string;
    readonly name: string;
    readonly session: string;
    /** Its `all_outputs`; left out when it was given up. */
    readonly outputs?: Outputs;
    /** Those of them that are the entry's own, under their names; left out where none is. */
    readonly own?: readonly string[];
    /** What counts as reported at the entry; left out where nothing does. */
    readonly reports?: VariableValues;
    /** Why it was given up; it stays at the entry then. */
    readonly aborted?: string;
  } & Onwards;
}

export interface GateChange {
  readonly now: Gate | OlderGate;
  readonly weakened?: readonly Weakening[];
  /** Who agreed to that, where a person has to. */
  readonly granted?: Grant;
}

interface GateWeakened {
  readonly type: 'gate_weakened';
  readonly at: string;
  readonly data: { readonly by?: Owner; readonly weakened: readonly Weakening[] };
}

export interface WentBack {
  readonly type: 'went_back';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    /** A person sent the run back, for this reason. */
    readonly person?: string;
    readonly reason?: string;
    readonly definition: string;
    readonly from: string;
    readonly to: string;
    readonly position: Position;
    readonly invalidated: readonly string[];
    readonly entries?: number;
    readonly gate?: GateChange;
  };
}

interface Adopted {
  readonly type: 'adopted';
  readonly at: string;
  readonly data: {
    readonly owner: Owner;
    readonly level: number;
    /** The stack that is being taken over, bottom first; left out when it is alone. */
    readonly stack?: readonly Taken[];
  };
}

// The two that a client's hook writes name no one: the session's owner stays who it is.

interface Nudged {
  readonly type: 'nudged';
  readonly at: string;
  readonly data: { readonly nth: number };
}

interface LetGo {
  readonly type: 'let_go';
  readonly at: string;
  readonly data: { readonly nudges: number };
}

interface Aborted {
  readonly type: 'aborted';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    /** A person gave it up. */
    readonly person?: string;
    readonly explanation: string;
    readonly ending: Ending;
  };
}

// What a person does changes no owner either.

interface StackChanged {
  readonly type: 'stack_changed';
  readonly at: string;
  readonly data: {
    /** The session that was given up. */
    readonly ended: string;
    readonly person: string;
    readonly reason: string;
  };
}

interface Informed {
  readonly type: 'informed';
  readonly at: string;
  readonly data: { readonly by?: Owner };
}

export type SessionEvent =
  | Started
  | Checking
  | ChecksStopped
  | Reviewing
  | Judged
  | Asked
  | Approved
  | Rejected
  | LoopAnswered
  | RunEnded
  | GateWeakened
  | WentBack
  | Adopted
  | Nudged
  | LetGo
  | StackChanged
  | Informed
  | Aborted;

export type SessionDecision = Decision<SessionEvent>;
