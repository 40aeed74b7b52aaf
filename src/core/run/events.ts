// The events of an unattended run, as recorded in its stream (`run/<id>`, or `team_run/<id>` for
// a team). A run of a workflow has the id of its session; a run of a team has its own id.

import type { Decision } from '../decision.ts';
import type { EventsOf } from '../event.ts';

/** The agent that does the work. A command typed by a person is recorded in full, others by name. */
export type AgentChoice =
  | { readonly kind: 'preset'; readonly name: string }
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly from: string };

/** Null: unlimited. */
export interface Budgets {
  readonly max_minutes: number | null;
  readonly max_turns: number | null;
  readonly max_usd: number | null;
}

export interface Worktree {
  /** Absolute. */
  readonly path: string;
  readonly branch: string;
  /** The commit that its branch started from. */
  readonly from: string;
}

export type OnLimit = 'wait' | 'stop';

/** `stopped`: by a person. */
export const STOP_REASONS = [
  'complete',
  'aborted',
  'failed',
  'budget',
  'limit',
  'stalled',
  'stopped',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** The data of each event. */
interface RunEventData {
  readonly run_started: {
    readonly run_id: string;
    readonly kind: 'workflow' | 'team';
    /** The identity of its agents; in a team, each agent has its own name. */
    readonly identity: string;
    readonly workflow: string;
    readonly goal: string;
    /** Null in a team in which each agent has its own command. */
    readonly agent: AgentChoice | null;
    readonly budgets: Budgets;
    readonly on_limit: OnLimit;
    /** The agent's conversation is resumed at each turn, instead of starting a new one. */
    readonly continues: boolean;
    readonly worktree: Worktree | null;
    /** The process that runs it. */
    readonly process: string;
    /** The run had stopped, or its process was gone. */
    readonly resumed?: true;
    /** When the work last advanced before that: the end of a turn left open by a killed process. */
    readonly left_at?: string;
  };
  readonly turn_started: {
    readonly turn: number;
    /** Null in a team. */
    readonly step_id: string | null;
    readonly agent: string;
  };
  readonly turn_ended: {
    readonly turn: number;
    /** 128 plus the number of the signal, if one ended it. */
    readonly exit: number;
    /** As reported by the client; null if it reports none. */
    readonly cost_usd: number | null;
    /** Until when the client is out of quota; null if it is not. */
    readonly limit_until: string | null;
    /** Whether anything was accepted; in a team, whether its state changed. */
    readonly advanced: boolean;
    /** The client's id of the conversation, to resume it. */
    readonly conversation?: string;
    /** The refusal of its last submission. */
    readonly refused?: string;
    /** The end of what it said, if it failed or nothing was accepted. */
    readonly said?: string;
  };
  /** A team said that it is complete, and the script that decides about that did not agree. */
  readonly complete_refused: {
    readonly turn: number;
    /** What refused it, and how: `completionGateScript: exit code 1`. */
    readonly why: string;
    /** The end of the script's output. */
    readonly said: string;
    /** Whether anything but the team's words about itself (status, task, notes) changed in the turn. */
    readonly advanced: boolean;
  };
  /** A person has asked for the run to stop; the process that runs it will do so. */
  readonly stop_asked: {
    readonly person: string;
    readonly reason: string;
    /** For good: a team has no session that could be aborted. */
    readonly abort?: true;
  };
  readonly run_stopped: {
    readonly reason: StopReason;
    /** A sentence for people. */
    readonly detail: string;
    /** For people. */
    readonly warnings?: readonly string[];
    /** Nothing in the worktree would be lost, and it has been removed. */
    readonly worktree_removed?: true;
    /** Its branch, if that has commits of the run. */
    readonly branch?: string;
    /** A person ended the run of a process that was gone. */
    readonly process_gone?: true;
    /** Why the worktree of a run that is over was not removed. For people. */
    readonly worktree_kept?: string;
  };
}

export type RunEvent = EventsOf<RunEventData>;

export type RunStarted = Extract<RunEvent, { type: 'run_started' }>;
export type TurnStarted = Extract<RunEvent, { type: 'turn_started' }>;
export type TurnEnded = Extract<RunEvent, { type: 'turn_ended' }>;
export type CompleteRefused = Extract<RunEvent, { type: 'complete_refused' }>;
export type RunStopped = Extract<RunEvent, { type: 'run_stopped' }>;

export type RunDecision = Decision<RunEvent>;
