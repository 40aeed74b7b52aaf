// The events of an unattended run, as they are in its journal (`run/<id>`). A run of a workflow
// has the id of its session; a run of a team has one of its own.

import type { Decision } from '../decision.ts';

/** Who does the work. A command that a person typed is kept; one of the project is looked up. */
export type AgentChoice =
  | { readonly kind: 'preset'; readonly name: string }
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly from: string };

/** Null: no bound. */
export interface Budgets {
  readonly max_minutes: number | null;
  readonly max_turns: number | null;
  readonly max_usd: number | null;
}

export interface Worktree {
  /** Absolute. */
  readonly path: string;
  readonly branch: string;
  /** The commit where it began. */
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

export interface RunStarted {
  readonly type: 'run_started';
  readonly at: string;
  readonly data: {
    readonly run_id: string;
    readonly kind: 'workflow' | 'team';
    /** Under which its agents speak; in a team each has a name of its own. */
    readonly identity: string;
    readonly workflow: string;
    readonly goal: string;
    /** Null: in a team, each agent by its own command. */
    readonly agent: AgentChoice | null;
    readonly budgets: Budgets;
    readonly on_limit: OnLimit;
    /** The conversation goes on from turn to turn, instead of a new one for each. */
    readonly continues: boolean;
    readonly worktree: Worktree | null;
    /** The process that runs it. */
    readonly process: string;
    /** A run that had stopped, or whose process is gone, goes on. */
    readonly resumed?: true;
    /** When the work last moved before that, for a turn that its killed runner left open. */
    readonly left_at?: string;
  };
}

export interface TurnStarted {
  readonly type: 'turn_started';
  readonly at: string;
  readonly data: {
    readonly turn: number;
    /** Null in a team. */
    readonly step_id: string | null;
    readonly agent: string;
  };
}

export interface TurnEnded {
  readonly type: 'turn_ended';
  readonly at: string;
  readonly data: {
    readonly turn: number;
    /** 128 plus the number of the signal, where one ended it. */
    readonly exit: number;
    /** As the client reports it; null: it does not say. */
    readonly cost_usd: number | null;
    /** Until when the client is out of quota; null: it is not. */
    readonly limit_until: string | null;
    /** Whether anything was accepted; in a team, whether anything of its state changed. */
    readonly advanced: boolean;
    /** The client's own name of the conversation, to go on with. */
    readonly conversation?: string;
    /** What the last thing that it handed in was refused with. */
    readonly refused?: string;
    /** What it printed last, if it failed. */
    readonly said?: string;
  };
}

/** A person asks for the end of a run from elsewhere; its process does it. */
interface StopAsked {
  readonly type: 'stop_asked';
  readonly at: string;
  readonly data: { readonly person: string; readonly reason: string };
}

export interface RunStopped {
  readonly type: 'run_stopped';
  readonly at: string;
  readonly data: {
    readonly reason: StopReason;
    /** In words. */
    readonly detail: string;
    /** What a person should look at. */
    readonly warnings?: readonly string[];
    /** The worktree was clean and is gone. */
    readonly worktree_removed?: true;
  };
}

export type RunEvent = RunStarted | TurnStarted | TurnEnded | StopAsked | RunStopped;

export type RunDecision = Decision<RunEvent>;
