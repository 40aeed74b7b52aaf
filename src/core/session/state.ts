// What is known about one session of work, and the events it is made of.
//
// States
//
//   (none) ──started──▶ active ──settled, last entry complete──▶ completed
//                         │ ▲
//                         │ └── settled · reviewing · gate_weakened · went_back · adopted
//                         └────── aborted ─────────────────────▶ aborted
//
// Legal moves while active
//
//   reviewing   a review begins; the step is not advanced, an attempt is pending
//   settled     a submission was judged: members accepted, members failed, or both.
//               When every member of the entry is accepted it also moves on to the
//               next entry whose `when` holds, or completes the session
//   gate_weakened   the definition or a setting was loosened during the run, and no person
//               has agreed yet; nothing moves
//   went_back   work returns to the current or an earlier entry; progress from there
//               on is cleared, files stay
//   adopted     another owner takes over a session whose process is gone
//   aborted     given up, with a reason
//
// `completed` and `aborted` are final: no event follows them.
//
// A `visit` numbers each arrival at an entry (by start, by moving on, by going back).
// A call is bound to the visit it found; if the session has moved on meanwhile the
// call is late, however alike the steps look.

import type { Decision } from '../decision.ts';
import type { Gate, Grant, Weakening } from './gate.ts';
import type { History } from './history.ts';
import type { Reason } from './reason.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Context = Readonly<Record<string, unknown>>;

/** Path or paths by output name, relative to the project root. */
export type Outputs = Readonly<Record<string, string | readonly string[]>>;

export interface Owner {
  /** Whose stack the session is on: an agent, a client's own session, or a process. */
  readonly identity: string;
  /** The agent's name, with its model if it gave one; left out for clients without a name. */
  readonly agent?: string;
  /** The process that last acted for the owner; when it is gone the session is an orphan. */
  readonly process: string;
}

/** One session of a stack that is taken over, and how often it had been before. */
export interface Taken {
  readonly id: string;
  readonly takeovers: number;
}

/** What a session's end left: times cannot say what came after what, so it is on record. */
export interface Ending {
  /** Its place among the sessions of its owner that have ended. */
  readonly nth: number;
  /** What was on top of the owner's stack then. */
  readonly resumes: string | null;
}

export interface Position {
  /** Index in the workflow's entries (concurrent groups count once). */
  readonly entryIndex: number;
  /** Members that are to be done here, in file order; the first one is the current step. */
  readonly members: readonly string[];
  /** Members of this entry left out because their `when` was false on arrival. */
  readonly skipped: readonly string[];
  readonly visit: number;
}

export interface Progress {
  readonly stepId: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** The number of the event that completed it: what came later wins. */
  readonly completedSeq: number;
  readonly outputs: Outputs;
  /** Names that other members of the entry declare too, shown as `step.name`. */
  readonly sharedNames: readonly string[];
  /** sha256 by path, of the files as they were accepted. */
  readonly files: Readonly<Record<string, string>>;
  readonly notes: string | null;
  /** Reviews that gave a verdict, whichever it was. */
  readonly attempts: number;
  /** A review that began and has not said anything yet; it counts only while it runs. */
  readonly pendingReview: string | null;
  /** What was handed in when a self-review was last asked for; null: none was. */
  readonly selfReview: SelfReview | null;
}

export interface SelfReview {
  readonly notes: string | null;
  readonly files: Readonly<Record<string, string>>;
  /** Of exactly the review that was asked for; left out where no code is. */
  readonly code?: string;
}

/** A `finished_step` call that was accepted. */
export interface AcceptedCall {
  readonly stepIds: readonly string[];
  /** The visit that the accepted call was bound to. */
  readonly visit: number;
  /** What the caller sent, to know the same call when it comes again. */
  readonly outputs: Json;
  readonly notes: string | null;
  /** What the caller was warned of with the answer. */
  readonly warnings: readonly string[];
  /** The event that says so, and the process that wrote it. */
  readonly seq: number;
  readonly process: string;
}

/** What was done last to a session that no submission has touched since. */
interface LastMove {
  readonly kind: 'started' | 'went_back';
  readonly seq: number;
  readonly process: string;
  /** Of `went_back`: what it was asked for, and what it cleared. */
  readonly to: string | null;
  readonly invalidated: readonly string[];
}

export interface HistoryItem {
  readonly at: string;
  readonly step_id: string | null;
  readonly event: string;
  readonly [detail: string]: unknown;
}

export interface Session {
  readonly seq: number;
  readonly id: string;
  readonly kind: 'job' | 'guide';
  readonly jobName: string;
  readonly jobDir: string;
  readonly workflowName: string;
  readonly instanceId: string | null;
  readonly goal: string;
  readonly context: Context;
  readonly branchName: string;
  /** The commit where this run made its branch; null if it made none. */
  readonly branchFrom: string | null;
  readonly parentId: string | null;
  readonly owner: Owner;
  /** Its place on its owner's stack: above everything with a lower level. */
  readonly level: number;
  /** How often it was taken over. */
  readonly takeovers: number;
  /** The stack that it was taken over with, itself included; empty if it never was, or alone. */
  readonly takenWith: readonly Taken[];
  readonly startedAt: string;
  readonly lastActivityAt: string;
  readonly endedAt: string | null;
  readonly ending: Ending | null;
  readonly status: 'active' | 'completed' | 'aborted';
  readonly abortReason: string | null;
  /** Content hash of the definition that the last event ran under. */
  readonly definition: string;
  /** What the gate demanded when the last event ran; null: it was not kept. */
  readonly gate: Gate | null;
  /** What was reported as weaker and has not been agreed to. */
  readonly reported: readonly Weakening[];
  readonly position: Position;
  readonly progress: Readonly<Record<string, Progress>>;
  readonly lastAccepted: AcceptedCall | null;
  /** Calls that were accepted before the last one, oldest first; only the newest are kept. */
  readonly earlierAccepted: readonly AcceptedCall[];
  readonly lastMove: LastMove | null;
  readonly lastFeedback: string | null;
  /** What `lastFeedback` asks for, in one word; null when nothing is asked for. */
  readonly lastReason: Reason | null;
  /** Keys of what passed during this visit and need not run again while they fit. */
  readonly passed: readonly string[];
  readonly history: History | null;
}

export interface Started {
  readonly type: 'started';
  readonly at: string;
  readonly data: {
    readonly session_id: string;
    /** `guide`: `job_name` is the id of a JSON workflow. */
    readonly kind: 'job' | 'guide';
    readonly job_name: string;
    readonly job_dir: string;
    readonly workflow_name: string;
    readonly instance_id: string | null;
    readonly goal: string;
    readonly context: Context;
    readonly branch_name: string;
    /** Left out when the branch was there before, or none is made. */
    readonly branch_from?: string;
    readonly parent_session_id: string | null;
    readonly level: number;
    readonly owner: Owner;
    readonly definition: string;
    readonly gate?: Gate;
    readonly position: Position;
    readonly skipped: readonly string[];
  };
}

// What is empty or as before is left out of an event: it would be written, hashed and read
// back each time. So `by` is there only when somebody else acts than the one before.

interface Reviewing {
  readonly type: 'reviewing';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly visit: number;
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

export interface Settled {
  readonly type: 'settled';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly visit: number;
    /** Left out when it is the one that the event before ran under. */
    readonly definition?: string;
    /** Left out when it demands what it did before. */
    readonly gate?: GateChange;
    readonly accepted: readonly AcceptedMember[];
    readonly failed?: readonly FailedMember[];
    /** What ran for this call; what an earlier call proved is not repeated here. */
    readonly evidence?: readonly Evidence[];
    /** Members whose review began and came to no verdict: the attempt is void. */
    readonly voided?: readonly string[];
    readonly sent: { readonly outputs: Json; readonly notes: string | null };
    readonly warnings?: readonly string[];
    readonly context?: Context;
    readonly feedback?: string;
    /** Where the session goes now; null when it stays. */
    readonly position: Position | null;
    readonly skipped?: readonly string[];
    readonly completed?: true;
    readonly ending?: Ending;
  };
}

export interface GateChange {
  readonly now: Gate;
  readonly weakened?: readonly Weakening[];
  /** Who agreed to that, where a person has to. */
  readonly granted?: Grant;
}

interface GateWeakened {
  readonly type: 'gate_weakened';
  readonly at: string;
  readonly data: { readonly by?: Owner; readonly weakened: readonly Weakening[] };
}

interface WentBack {
  readonly type: 'went_back';
  readonly at: string;
  readonly data: {
    readonly by?: Owner;
    readonly definition: string;
    readonly from: string;
    readonly to: string;
    readonly position: Position;
    readonly invalidated: readonly string[];
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

interface Aborted {
  readonly type: 'aborted';
  readonly at: string;
  readonly data: { readonly by?: Owner; readonly explanation: string; readonly ending: Ending };
}

export type SessionEvent =
  | Started
  | Reviewing
  | Settled
  | GateWeakened
  | WentBack
  | Adopted
  | Aborted;

export type SessionDecision = Decision<SessionEvent>;

/** The step that answers and views call current: the first member of the entry. */
export function currentStepId(session: Session): string {
  return session.position.members[0] as string;
}

/** What is to be done next: the first member of the entry that is not complete. */
export function openStepId(session: Session): string {
  const { members } = session.position;
  return members.find((id) => !isCompleted(session, id)) ?? currentStepId(session);
}

/** `job/workflow`, as stacks and orphans name a session's work. */
export function workflowLabel(session: Session): string {
  return `${session.jobName}/${session.workflowName}`;
}

/** Own entries only: a step may be called `constructor`. */
export function progressOf(progress: Session['progress'], stepId: string): Progress | undefined {
  return Object.hasOwn(progress, stepId) ? progress[stepId] : undefined;
}

export function isCompleted(session: Session, stepId: string): boolean {
  return (progressOf(session.progress, stepId)?.completedAt ?? null) !== null;
}
