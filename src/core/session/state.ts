// The state of one session. `events.ts` has its events.
//
// States
//
//   (none) ──started──▶ active ──last entry complete (judged · approved · loop_answered ·
//                         │ ▲      run_ended)──────────────────▶ completed
//                         │ │
//                         │ └── judged · checking · checks_stopped · reviewing · asked ·
//                         │     approved · rejected · loop_answered · run_ended ·
//                         │     gate_weakened · went_back · adopted · nudged · let_go ·
//                         │     stack_changed · informed
//                         ├────── aborted ────────────────────▶ aborted
//                         ◀────── went_back, by a person ─────── completed
//
// Legal moves while active
//
//   checking        checks begin; the position stays, but `status` and the page show them
//   checks_stopped  the checks were stopped, and nothing was judged
//   reviewing       a review begins; the position stays, an attempt is pending
//   judged          a submission was judged: members accepted, members failed, or both.
//                   If every member of the entry is accepted, the session also moves to the
//                   next entry whose `when` holds, or is completed
//   asked           a person was asked: at an `approve`, or because a loop is not done
//   approved        a person approved what an `approve` shows; the session moves on
//   rejected        a person rejected it; the session goes back as the entry says, or stays
//   loop_answered   a person decided how a loop continues: one more pass, or on to the next
//                   entry
//   run_ended       a nested session has ended; if it is complete, the session moves on
//   gate_weakened   the definition or a setting was loosened during the run, and no person
//                   has agreed yet; the position stays
//   went_back       the session returns to the current or an earlier entry; progress from
//                   there on is cleared, files stay
//   adopted         another owner takes over a session whose process is gone
//   nudged          the agent wanted to stop with this step open and was sent back to it
//   let_go          it was sent back too often and may stop; the position stays
//   stack_changed   a person aborted another run of the stack; this one is now on top
//   informed        the agent was informed of a person's act; its call had no other effect
//   aborted         ended early, with a reason
//
// `went_back` and `aborted` can be a person's (`person`): see `steering.ts`.
//
// `completed` and `aborted` are final: no event follows them.
//
// Each arrival at an entry (by start, by moving on, by going back) has a number and its own
// progress. A call is bound to the arrival it found; if the session has moved on since, the call
// is late, even if the step is the same.

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
  /** The agent's name, with its model if it gave one; absent for clients without a name. */
  readonly agent?: string;
  /** The process that last acted for the owner; if it is gone, the session is an orphan. */
  readonly process: string;
}

/** How often the agent of a session was sent back to its open step. */
export interface Nudges {
  /** Since the count was last reset. */
  readonly inRow: number;
  readonly total: number;
  /** The agent was allowed to stop with this step open. */
  readonly letGo: boolean;
}

/** One act of a person on a run. */
export interface SteeringAct {
  readonly person: string;
  readonly reason: string;
  /** The other run of the stack that was aborted; null: this one was sent back. */
  readonly ended: string | null;
  /** Where it was sent back to; null if another run was aborted. */
  readonly step: string | null;
}

/** The last act of a person on a run, until its agent acts on it. */
export interface Steering extends SteeringAct {
  /** Earlier acts of which the agent had not been informed when the last one came. */
  readonly before: readonly SteeringAct[];
  /** The event that informed the agent, and the process that wrote it; null: not yet. */
  readonly informed: { readonly seq: number; readonly process: string } | null;
}

/** One session of a stack that is taken over, and how often it had been before. */
export interface Taken {
  readonly id: string;
  readonly takeovers: number;
}

/** The end of a session. Recorded, because times do not tell the order of events. */
export interface Ending {
  /** Its number among the ended sessions of its owner. */
  readonly nth: number;
  /** The session then on top of the owner's stack. */
  readonly resumes: string | null;
}

export function isSessionId(id: string): boolean {
  return /^[0-9a-f]{8}$/.test(id);
}

export interface Position {
  /** Index in the workflow's entries (concurrent groups count once). */
  readonly entryIndex: number;
  /** Members to be done here, in file order; the first one is the current step. */
  readonly members: readonly string[];
  /** Members of this entry that were skipped because their `when` was false on arrival. */
  readonly skipped: readonly string[];
  readonly arrival: number;
  /** Which kind of entry it is; absent for steps. */
  readonly at?: EntryAt;
  /** The passes of the loops around it, outermost first; absent outside loops. */
  readonly loops?: readonly LoopPass[];
}

export type EntryAt =
  /** Its members are `step#1`, `step#2`, …, one for each item, which are fixed on arrival. */
  | { readonly kind: 'for_each'; readonly name: string; readonly items: readonly Json[] }
  /** Its only member has its name. */
  | { readonly kind: 'approve'; readonly name: string }
  /** Likewise. `session` is started after the arrival is recorded; a later call does it if needed. */
  | { readonly kind: 'run'; readonly name: string; readonly session: string };

export interface LoopPass {
  readonly name: string;
  /** From 1; may exceed the loop's `max`. */
  readonly pass: number;
  /** Why there is another pass, from `until` or a person; absent in the first. */
  readonly said?: string;
}

/** A loop that is not done after its last pass: a person has to decide. */
export interface LoopLimit {
  readonly loop: string;
  readonly pass: number;
  readonly said: string;
}

/** The question to a person that the session waits for. */
export interface AskedPerson {
  /** Its id in the ledger. */
  readonly question: string;
  /** For an approval: sha256 by path, of the files shown. */
  readonly files: Readonly<Record<string, string>>;
}

/** The answers of people at an `approve`, during the whole session. */
export interface Approvals {
  /** Digests of the files shown (`digestOf`). */
  readonly approved: readonly string[];
  readonly rejected: readonly { readonly digest: string; readonly words: string | null }[];
  /** How often work was sent back from here since the last approval. */
  readonly back: number;
}

/** One arrival at an entry, and what has been done there. */
export interface Arrival extends Position {
  /** Of its members, in their order. */
  readonly progress: readonly Progress[];
  /** The answer to the last submission; null if there is none. */
  readonly feedback: string | null;
  /** The reason for `feedback`, in one word; null if there is none. */
  readonly reason: Reason | null;
  /** Keys of passed checks and reviews, which do not run again for the same files. */
  readonly passed: readonly string[];
  /** Set if everything is accepted here, but a loop waits for a person. */
  readonly limit?: LoopLimit;
  /** The last question that was asked here. */
  readonly asked?: AskedPerson;
  /** Why the session that a `run` started was aborted; absent otherwise. */
  readonly runAborted?: string;
}

export interface Progress {
  readonly stepId: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** The number of the event that completed it; of equal outputs, the latest wins. */
  readonly completedSeq: number;
  readonly outputs: Outputs;
  /** Names that other steps declare too, shown as `step.name`. */
  readonly sharedNames: readonly string[];
  /** sha256 by path, of the files as they were accepted. */
  readonly files: Readonly<Record<string, string>>;
  readonly notes: string | null;
  /** The reports of the accepted submission. */
  readonly reports: VariableValues;
  /** Reviews that gave a verdict, of either kind. */
  readonly attempts: number;
  /** A review without a verdict yet; it counts only while it runs. */
  readonly pendingReview: string | null;
  /** What was submitted when a self-review was last requested; null if none was. */
  readonly selfReview: SelfReview | null;
  /** The files that the last self-review rejected, as they were; null if none did. */
  readonly failedFiles: Readonly<Record<string, string>> | null;
  /** For an item of a `for_each`: the last submission did not pass. */
  readonly turnedDown?: boolean;
}

export interface SelfReview {
  readonly notes: string | null;
  readonly files: Readonly<Record<string, string>>;
  /** The code that the verdict has to begin with. */
  readonly code?: string;
}

/** Checks or reviews that have begun and have no verdict yet. */
export interface RunningGate {
  readonly kind: 'checks' | 'reviews';
  readonly stepIds: readonly string[];
  /** The process that runs them. They end with it, which no event tells. */
  readonly process: string;
}

/** A `finished_step` call that was accepted. */
export interface AcceptedCall {
  readonly stepIds: readonly string[];
  /** The arrival that the accepted call was bound to. */
  readonly arrival: number;
  /** What the caller sent, to recognize the call if it is repeated. */
  readonly outputs: Json;
  readonly notes: string | null;
  readonly context: Context;
  /** The warnings in its answer. */
  readonly warnings: readonly string[];
  /** The event that recorded it, and the process that wrote the event. */
  readonly seq: number;
  readonly process: string;
}

/** The last move of a session that has had no submission since. */
interface LastMove {
  readonly kind: 'started' | 'went_back';
  readonly seq: number;
  readonly process: string;
  /** For `went_back`: the requested step, and the steps that it cleared. */
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
  /** The inputs that it was started with; also in `context`. */
  readonly inputs: VariableValues;
  readonly branchName: string;
  /** The commit from which this run created its branch; null if it created none. */
  readonly branchFrom: string | null;
  readonly parentId: string | null;
  /** The `run` of the parent that started it; null if an agent or a person did. */
  readonly runEntry: string | null;
  readonly owner: Owner;
  /** Its place on its owner's stack: above everything with a lower level. */
  readonly level: number;
  /** How often it was taken over. */
  readonly takeovers: number;
  /** The stack it was taken over with, including itself; empty if it never was, or alone. */
  readonly takenWith: readonly Taken[];
  readonly startedAt: string;
  readonly lastActivityAt: string;
  readonly endedAt: string | null;
  readonly ending: Ending | null;
  readonly status: 'active' | 'completed' | 'aborted';
  /** The workflow's text for its completion, if any. */
  readonly afterword: string | null;
  readonly abortReason: string | null;
  /** The person who aborted it; null if its agent did, or it was not aborted. */
  readonly abortedBy: string | null;
  /** Content hash of the definition at the last event. */
  readonly definition: string;
  /** How many entries the workflow had then; null if not recorded. */
  readonly entries: number | null;
  /** What the gate demanded then; null if not recorded. */
  readonly gate: Gate | null;
  /** Weakenings that were reported and not agreed to. */
  readonly reported: readonly Weakening[];
  /** The current arrival. */
  readonly position: Arrival;
  /** The arrivals before it, oldest first, with the progress that still counts. */
  readonly earlier: readonly Arrival[];
  readonly lastAccepted: AcceptedCall | null;
  /** Some of the calls accepted before the last one, oldest first. */
  readonly earlierAccepted: readonly AcceptedCall[];
  readonly lastMove: LastMove | null;
  readonly gates: readonly RunningGate[];
  readonly nudges: Nudges;
  readonly steering: Steering | null;
  /** By the name of the `approve`. */
  readonly approvals: Readonly<Record<string, Approvals>>;
  readonly history: History | null;
}

/** The current step in answers and views: the entry's name, or its first step. */
export function currentStepId({ position }: Session): string {
  return position.at?.name ?? (position.members[0] as string);
}

type NamedWork = Pick<Session, 'source' | 'jobName' | 'workflowName'>;

/** `job/workflow`, as stacks and orphans name a session's work. */
export function workflowLabel({ jobName, workflowName }: Omit<NamedWork, 'source'>): string {
  return `${jobName}/${workflowName}`;
}

/** The same for people, who know a guide by its id alone. */
export function nameForPeople(work: NamedWork): string {
  return work.source === 'guide' ? work.jobName : workflowLabel(work);
}
