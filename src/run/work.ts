// What a run works on, as the runner sees it: a workflow, or a team. Both are read from the
// journal alone, so the runner does not need to know what kinds of steps there are.

import type { WorkState } from '../core/run/next-move.ts';
import type { RunRecord } from '../core/run/record.ts';
import type { Unsubscribe } from '../journal/journal.ts';
import type { Agent } from './agent.ts';

export interface PlannedTurn {
  readonly agent: Agent;
  /** Under which the agent speaks. */
  readonly identity: string;
  /** Null in a team. */
  readonly stepId: string | null;
  /** Where the work stands, for people. */
  readonly place: string;
  readonly prompt: string;
}

export interface Work {
  state(record: RunRecord): Promise<WorkState>;
  /**
   * Goes on where a person has decided, or asks the person if that is still to be done. Given up
   * when the signal is aborted.
   */
  takeAnswer?(record: RunRecord, signal: AbortSignal): Promise<void>;
  /** Who is next, and what they are told. */
  plan(record: RunRecord): Promise<PlannedTurn>;
  /** What was accepted so far; a later one says whether anything was added. */
  mark(): Promise<WorkMark>;
  /** When something last happened. */
  lastActivityAt(): Promise<string | null>;
  /** After a turn: what a person has to know of it, in words. */
  afterTurn?(record: RunRecord): Promise<void>;
  watch(onChange: () => void): Unsubscribe;
}

export interface WorkMark {
  hasAdvanced(): Promise<boolean>;
}
