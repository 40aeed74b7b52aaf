// What a run works on, as the runner sees it: a workflow, or a team. Both are read from the
// journal alone, so the runner does not need to know the kinds of entries.

import type { CompleteRefused } from '../core/run/events.ts';
import type { WorkState } from '../core/run/next-move.ts';
import type { RunRecord } from '../core/run/record.ts';
import type { Unsubscribe } from '../journal/journal.ts';
import type { AgentProgram } from './agent.ts';

export interface PlannedTurn {
  readonly agent: AgentProgram;
  /** The name under which the agent makes its calls. */
  readonly identity: string;
  /** Whose stack its work is on; null: that of the agent with its name. */
  readonly stack: string | null;
  /** Null in a team. */
  readonly stepId: string | null;
  /** The step or agent whose turn it is, for people. */
  readonly place: string;
  readonly prompt: string;
}

export interface Work {
  state(record: RunRecord): Promise<WorkState>;
  /** Goes on after a person's decision, or asks for it if that has not been done yet. */
  takeAnswer?(record: RunRecord, signal: AbortSignal): Promise<void>;
  /** Whose turn is next, and with which prompt. */
  plan(record: RunRecord): Promise<PlannedTurn>;
  /** Remembers what is accepted so far, to tell later whether anything was added. */
  mark(): Promise<WorkMark>;
  /** When an agent last did something; what a person does does not count. */
  lastWorkAt(): Promise<string | null>;
  /** Called after each turn. Returns why a team that said so is not complete; null: no objection. */
  afterTurn?(): Promise<Refusal | null>;
  watch(onChange: () => void): Unsubscribe;
}

type Refusal = Omit<CompleteRefused['data'], 'turn'>;

export interface WorkMark {
  hasAdvanced(): Promise<boolean>;
}
