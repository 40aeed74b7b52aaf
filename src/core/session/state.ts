// What is known about one session of work. `events.ts` has the events it is made of.
//
// States
//
//   (none) ──started──▶ active ──judged, last entry complete──▶ completed
//                         │ ▲
//                         │ └── judged · checking · checks_stopped · reviewing · asked ·
//                         │     approved · rejected · loop_answered · run_ended ·
//                         │     gate_weakened · went_back · adopted · nudged · let_go ·
//                         │     stack_changed · informed
//                         └────── aborted ────────────────────▶ aborted
//
// Legal moves while active
//
//   checking    checks begin; nothing moves, but `status` and the page show that they run
//   checks_stopped   they were cut short, with nothing judged
//   reviewing   a review begins; the step is not advanced, an attempt is pending
//   judged      a submission was judged: members accepted, members failed, or both.
//               When every member of the entry is accepted it also moves on to the
//               next entry whose `when` holds, or completes the session
//   asked       a person was asked: at an `approve`, or because a loop is not done
//   approved    a person approved what an `approve` shows, and it moves on
//   rejected    or not: work returns to where the entry says, or stays
//   loop_answered   a person said what becomes of a loop: one pass more, or on as it is
//   run_ended   the session that a `run` started has ended: on if it is complete
//   gate_weakened   the definition or a setting was loosened during the run, and no person
//               has agreed yet; nothing moves
//   went_back   work returns to the current or an earlier entry; progress from there
//               on is cleared, files stay
//   adopted     another owner takes over a session whose process is gone
//   nudged      the agent wanted to stop with this step open and was sent back to it
//   let_go      it was sent back too often; nothing moves until it, or another, goes on
//   stack_changed   a person aborted another run of the stack; this one is on top now
//   informed    the agent was informed of what a person did: its call had no other effect
//   aborted     given up, with a reason
//
// `went_back` and `aborted` can be a person's (`person`): see `steering.ts`.
//
// `completed` and `aborted` are final: no event follows them.
//
// Each arrival at an entry (by start, by moving on, by going back) has a number, and progress
// of its own. A call is bound to the arrival it found; if the session has moved on meanwhile
// the call is late, however alike the steps look.

import type { Context } from '../conditions.ts';
import type { VariableValues } from '../variables.ts';
import type { Gate, Weakening } from './gate.ts';
import type { History } from './history.ts';
import type { Reason } from './reasons.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

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

/** How often the agent of a session was sent back to its open step. */
export interface Nudges {
  /** Since anything was accepted. */
  readonly inRow: number;
  readonly total: number;
  /** The agent was let go with this step open. */
  readonly letGo: boolean;
}

/** One thing that a person did to a run. */
export interface SteeringAct {
  readonly person: string;
  readonly reason: string;
  /** The other run of the stack that was given up; null: this one was sent back. */
  readonly ended: string | null;
  /** Where it was sent back to; null if another run was given up. */
  readonly step: string | null;
}

/** What a person did to a run, until its agent goes on: the last act. */
export interface Steering extends SteeringAct {
  /** Earlier acts that the agent had not been told of when the last one came. */
  readonly before: readonly SteeringAct[];
  /** The event that informed the agent, and the process that wrote it; null: not yet. */
  readonly informed: { readonly seq: number; readonly process: string } | null;
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

/** As every session has one. */
export function isSessionId(id: string): boolean {
  return /^[0-9a-f]{8}$/.test(id);
}

export interface Position {
  /** Index in the workflow's entries (concurrent groups count once). */
  readonly entryIndex: number;
  /** Members that are to be done here, in file order; the first one is the current step. */
  readonly members: readonly string[];
  /** Members of this entry left out because their `when` was false on arrival. */
  readonly skipped: readonly string[];
  readonly arrival: number;
  /** What kind of entry it is; left out at steps. */
  readonly at?: EntryAt;
  /** The passes of the loops around it, outermost first; left out outside loops. */
  readonly loops?: readonly LoopPass[];
}

export type EntryAt =
  /** Its members are `step#1`, `step#2`, …, one for each item, which are fixed on arrival. */
  | { readonly kind: 'for_each'; readonly name: string; readonly items: readonly Json[] }
  /** Its one member has its name. */
  | { readonly kind: 'approve'; readonly name: string }
  /** So has that of a `run`; `session` is started with the arrival, or found missing later. */
  | { readonly kind: 'run'; readonly name: string; readonly session: string };

export interface LoopPass {
  readonly name: string;
  /** From 1; it counts on past the loop's `max`. */
  readonly pass: number;
  /** Why there is one pass more: what `until` said, or a person; left out in the first. */
  readonly said?: string;
}

/** A loop that is not done, and that only a person can go on with. */
export interface LoopLimit {
  readonly loop: string;
  readonly pass: number;
  readonly said: string;
}

/** A question to a person that holds the session where it is. */
export interface AskedPerson {
  /** Its id in the ledger. */
  readonly question: string;
  /** Of an approval: sha256 by path, of what it shows. */
  readonly files: Readonly<Record<string, string>>;
}

/** What people have said at an `approve`, during the whole session. */
export interface Approvals {
  /** Digests of sets of bytes (`digestOf`). */
  readonly approved: readonly string[];
  readonly rejected: readonly { readonly digest: string; readonly words: string | null }[];
  /** How often work was sent back from here since the last approval. */
  readonly back: number;
}

/** One coming to an entry, and what has been done there. */
export interface Arrival extends Position {
  /** Of its members, in their order. */
  readonly progress: readonly Progress[];
  /** What the last submission was told; null when nothing is left to say. */
  readonly feedback: string | null;
  /** What `feedback` asks for, in one word; null when nothing is asked for. */
  readonly reason: Reason | null;
  /** Keys of what passed here and need not run again while they fit. */
  readonly passed: readonly string[];
  /** Everything is accepted here, but a loop needs a person; left out elsewhere. */
  readonly limit?: LoopLimit;
  /** The question that was asked last; left out where none was. */
  readonly asked?: AskedPerson;
  /** Why the session that a `run` started was given up; left out while it was not. */
  readonly runAborted?: string;
}

export interface Progress {
  readonly stepId: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** The number of the event that completed it: what came later wins. */
  readonly completedSeq: number;
  readonly outputs: Outputs;
  /** Names that other steps declare too, shown as `step.name`. */
  readonly sharedNames: readonly string[];
  /** sha256 by path, of the files as they were accepted. */
  readonly files: Readonly<Record<string, string>>;
  readonly notes: string | null;
  /** What was reported with the submission that was accepted. */
  readonly reports: VariableValues;
  /** Reviews that gave a verdict, whichever it was. */
  readonly attempts: number;
  /** A review that began and has not said anything yet; it counts only while it runs. */
  readonly pendingReview: string | null;
  /** What was handed in when a self-review was last asked for; null: none was. */
  readonly selfReview: SelfReview | null;
  /** The files that a self-review last found wanting, as they were; null: none did. */
  readonly failedFiles: Readonly<Record<string, string>> | null;
  /** Of an item of a `for_each`: what was handed in last did not pass. */
  readonly turnedDown?: boolean;
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
  /** The arrival that the accepted call was bound to. */
  readonly arrival: number;
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

export interface Session {
  readonly seq: number;
  readonly id: string;
  /** Where its definition is looked up, by `jobDir` or by `jobName`. */
  readonly source: 'job' | 'guide';
  readonly jobName: string;
  readonly jobDir: string;
  readonly workflowName: string;
  readonly instanceId: string | null;
  readonly goal: string;
  readonly context: Context;
  /** The inputs that it was started with; they are in `context`, too. */
  readonly inputs: VariableValues;
  readonly branchName: string;
  /** The commit where this run made its branch; null if it made none. */
  readonly branchFrom: string | null;
  readonly parentId: string | null;
  /** The `run` of the parent that started it; null: an agent or a person did. */
  readonly runEntry: string | null;
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
  /** What its workflow said when it was completed; null: nothing. */
  readonly afterword: string | null;
  readonly abortReason: string | null;
  /** The person who gave it up; null: its agent did, or it was not given up. */
  readonly abortedBy: string | null;
  /** Content hash of the definition that the last event ran under. */
  readonly definition: string;
  /** How many entries the workflow had then; null: it was not kept. */
  readonly entries: number | null;
  /** What the gate demanded when the last event ran; null: it was not kept. */
  readonly gate: Gate | null;
  /** What was reported as weaker and has not been agreed to. */
  readonly reported: readonly Weakening[];
  /** The arrival at which it stands. */
  readonly position: Arrival;
  /** Those before it, oldest first, with the progress that still counts. */
  readonly earlier: readonly Arrival[];
  readonly lastAccepted: AcceptedCall | null;
  /** Calls that were accepted before the last one, oldest first; only the newest are kept. */
  readonly earlierAccepted: readonly AcceptedCall[];
  readonly lastMove: LastMove | null;
  readonly nudges: Nudges;
  readonly steering: Steering | null;
  /** By the name of the `approve`. */
  readonly approvals: Readonly<Record<string, Approvals>>;
  readonly history: History | null;
}

/** What answers and views call current: the entry by its name, or its first step. */
export function currentStepId({ position }: Session): string {
  return position.at?.name ?? (position.members[0] as string);
}

/** `job/workflow`, as stacks and orphans name a session's work. */
export function workflowLabel(session: Session): string {
  return `${session.jobName}/${session.workflowName}`;
}
