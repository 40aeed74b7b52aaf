// What people see of a session, in the terminal, on the page and as data. It is folded from
// the journal and decides nothing; agents' tools do not depend on it.

/** An input of a workflow, as listed before a run is started. */
export type { ListedVariable } from '../core/variables.ts';

/** The states of an active run; the first that applies, in this order. */
export const RUN_STATES = [
  'waiting_for_person',
  'gate_running',
  'orphaned',
  'stalled',
  'working',
] as const;
export type RunState = (typeof RUN_STATES)[number];

export interface Run {
  readonly session_id: string;
  /** `job/workflow`, or the id of a guide. */
  readonly workflow: string;
  readonly goal: string;
  /** Null: it is the only agent, or runs from a terminal, so it needs no name. */
  readonly agent: string | null;
  readonly parent_session_id: string | null;
  readonly status: 'active' | 'completed' | 'aborted';
  /** Null once the run has ended. */
  readonly state: RunState | null;
  /** The current step, or the last one of a run that has ended. */
  readonly step: string;
  readonly position: { readonly index: number; readonly of: number };
  /** Of the innermost loop; left out outside of loops. */
  readonly pass?: number;
  /** The first open item of a `for_each`, and how many of all are accepted; left out elsewhere. */
  readonly item?: { readonly index: number; readonly of: number; readonly accepted: number };
  readonly started_at: string;
  readonly last_activity_at: string;
  /** When its agent last did something, if a person did something since; otherwise left out. */
  readonly agent_seen_at?: string;
  /** It is run by `deepwork call` in a terminal; otherwise left out. */
  readonly at_terminal?: true;
  /**
   * It waits at an `approve` (`answered`: whose answer its next call takes) or for a nested run, so
   * nothing can be handed in; otherwise left out.
   */
  readonly waits_at?: 'approve' | 'answered' | 'run';
  /** What its open step has to be handed in with, if it is run from a terminal; otherwise left out. */
  readonly hand_in?: {
    /** Names of the required outputs. */
    readonly outputs: readonly string[];
    /** Only if the step has to be named. */
    readonly step_id?: string;
  };
  readonly ended_at: string | null;
  /** Reviews of the current step. */
  readonly attempts: number;
  /** Submissions turned down by rules, checks or reviews. */
  readonly refusals: number;
  readonly overrides: number;
  readonly nudges: number;
  readonly last_feedback: string | null;
  /** Ids of the open questions that hold it up. */
  readonly questions: readonly string[];
  /** Only for a run of `deepwork run`. */
  readonly budgets?: {
    readonly turns: Budget;
    readonly minutes: Budget;
    readonly usd: Budget;
  };
  /** Null: in the main checkout. */
  readonly worktree?: { readonly path: string; readonly branch: string } | null;
  readonly unattended?: Unattended;
}

/** Null: no limit, or not known. */
export interface Budget {
  readonly max: number | null;
  readonly spent: number | null;
  readonly left: number | null;
}

export interface Unattended {
  /** Of its last turn. */
  readonly agent: string | null;
  /** How many turns there were. */
  readonly turn: number;
  /** A turn is under way. */
  readonly is_running: boolean;
  /** Until when the run waits, because its agent is out of quota. */
  readonly limit_until: string | null;
  /** How it stopped; null while it goes on. */
  readonly stopped: {
    readonly at: string;
    readonly reason: string;
    readonly detail: string;
    readonly warnings: readonly string[];
    /** Why its worktree was kept, although it is over. */
    readonly kept?: string;
    /** Where its work is committed, if its worktree was removed. */
    readonly branch?: string;
    /** Until when its agent was out of quota, if it stopped because of that. */
    readonly limit_until?: string;
  } | null;
}

/** One event in words. */
export interface ShownEvent {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly step_id: string | null;
  readonly by: string | null;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A workflow as the page and the drawings need it. */
export interface RunWorkflow {
  readonly entries: readonly ShownEntry[];
  readonly steps: readonly RunStep[];
}

/** Names refer to `steps`, which also contains approvals and nested runs. */
export type ShownEntry =
  | { readonly kind: 'steps'; readonly steps: readonly string[] }
  | {
      readonly kind: 'loop';
      readonly name: string;
      readonly entries: readonly ShownEntry[];
      /** What ends it, in words. */
      readonly until: string;
      readonly max: number;
    }
  /** `items`: the output that lists them. */
  | {
      readonly kind: 'for_each';
      readonly name: string;
      readonly step: string;
      readonly items: string;
    }
  | { readonly kind: 'approve'; readonly name: string; readonly show: readonly string[] }
  | { readonly kind: 'run'; readonly name: string; readonly workflow: string };

export interface RunStep {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The text that the agent gets; null if it cannot be read now. */
  readonly instructions: string | null;
  readonly outputs: readonly {
    readonly name: string;
    readonly type: 'file' | 'files';
    readonly required: boolean;
    readonly description: string;
  }[];
  readonly rules: readonly string[];
  readonly checks: readonly { readonly name: string; readonly run: string }[];
  readonly reviews: readonly {
    readonly run_each: string;
    readonly criteria: readonly string[];
  }[];
  /** The condition in words; null means always. */
  readonly when: string | null;
  readonly progress: StepProgress;
}

export interface StepProgress {
  readonly state: 'to_do' | 'current' | 'accepted' | 'failed' | 'skipped';
  readonly attempts: number;
  /** Every submission of it, oldest first. */
  readonly submissions: readonly StepSubmission[];
}

export interface StepSubmission {
  readonly seq: number;
  readonly at: string;
  readonly accepted: boolean;
  /** Handed in, but a review or a person has yet to judge it. */
  readonly waits?: boolean;
  /** Paths by output, and the content hash of each path as submitted. */
  readonly outputs: Readonly<Record<string, readonly string[]>>;
  readonly files: Readonly<Record<string, string>>;
  readonly said: readonly {
    readonly kind: 'rules' | 'check' | 'review' | 'override';
    readonly name: string;
    readonly passed: boolean;
    /** It asks for a judgement and is none. */
    readonly waits?: boolean;
    readonly text: string;
  }[];
}

/** `GET /api/runs/<id>`; `history --json` is a part of it. */
export interface RunDetail {
  readonly run: Run;
  readonly workflow: RunWorkflow;
  readonly events: readonly ShownEvent[];
  readonly questions: readonly RunQuestion[];
  /** Events of `deepwork run`, with numbers of their own; left out if it was not run unattended. */
  readonly turns?: readonly ShownEvent[];
}

/** A question that was asked in the course of a run; without an outcome while it is open. */
export interface RunQuestion {
  readonly id: string;
  readonly text: string;
  /** An agent, or `The workflow`; null: the only agent here. */
  readonly asked_by: string | null;
  readonly asked_at: string;
  readonly outcome: {
    readonly kind: 'answered' | 'dismissed';
    /** Choices and words; null if it was dismissed. */
    readonly answer: string | null;
    readonly by: string;
    readonly route: string;
    readonly at: string;
  } | null;
}

export interface OpenQuestion {
  readonly id: string;
  readonly kind: 'question' | 'override' | 'approval' | 'other';
  /** An agent, or `The workflow`; null: the only agent here. */
  readonly asked_by: string | null;
  readonly asked_at: string;
  readonly session_id: string | null;
  readonly text: string;
  readonly choices: readonly string[];
}

/** A session whose journal cannot be trusted. Reading only shows it. */
export interface DamagedRun {
  readonly session_id: string;
  readonly why: string;
  /** Why it was set aside; null: it still is where it was. */
  readonly set_aside: 'damaged' | 'foreign' | null;
}

export interface TeamOverview {
  readonly agents: readonly { readonly name: string; readonly does: string | null }[];
  readonly status: string;
  readonly task: string;
  readonly messages: {
    readonly total: number;
    readonly unread: number;
  };
  readonly todos: readonly { readonly text: string; readonly status: string }[];
  readonly progress: readonly {
    readonly at: string;
    readonly agent: string;
    readonly text: string;
  }[];
}

/** `status --json` and `GET /api/board`. */
export interface Board {
  readonly workspace: string;
  readonly at: string;
  readonly runs: readonly Run[];
  readonly questions: readonly OpenQuestion[];
  readonly damaged: readonly DamagedRun[];
  /** Null: no team here. */
  readonly team: TeamOverview | null;
  /** What people should know about the project as a whole; a command is on a line of its own. */
  readonly warnings: readonly string[];
}
