// What an active run is doing, in one word: the first that applies.

import { MINUTE_MS } from '../core/run/quota.ts';
import type { Liveness } from '../core/session/ownership.ts';
import type { Session } from '../core/session/state.ts';
import type { AgentNames } from './agent-names.ts';
import type { FoldedRun } from './fold-run.ts';
import type { RunQuestion, RunState } from './run.ts';

/** What the events of a run do not say. */
export interface RunContext {
  /** The time, as in events. */
  readonly now: string;
  readonly names: AgentNames;
  readonly livenessOf: (process: string) => Liveness;
  /** When its agent last asked a question in it; null if it asked none. */
  readonly askedAt: string | null;
  /** When something last happened in it, or in a run that is nested in it. */
  readonly movedAt: string;
  /** Whether all processes that act for its owner are gone. */
  readonly isOrphaned: boolean;
  /** Ids of the open questions that hold it up. */
  readonly questions: readonly string[];
  /** The question that it waited for, if a person has closed it. */
  readonly closed: RunQuestion | null;
  readonly stalledAfterMinutes: number;
}

/** `stack` is its owner's. A run whose nested runs are active is not silent: it waits for them. */
export function movedAt(
  session: Session,
  stack: readonly Session[],
  askedIn: ReadonlyMap<string, string>,
): string {
  const above = stack.filter(({ level }) => level > session.level);
  return [session, ...above]
    .map(({ id, lastActivityAt }) => later(lastActivityAt, askedIn.get(id)))
    .reduce(later, '');
}

export function later(a: string, b: string | null | undefined): string {
  return b != null && b > a ? b : a;
}

/** Null once it has ended. */
export function runStateOf(run: FoldedRun, context: RunContext): RunState | null {
  const { session } = run;
  if (session.status !== 'active') return null;
  if (context.questions.length > 0) return 'waiting_for_person';
  if (session.gates.some(({ process }) => context.livenessOf(process) === 'alive'))
    return 'gate_running';
  if (context.isOrphaned) return 'orphaned';
  if (session.nudges.letGo || isSilent(context)) return 'stalled';
  return 'working';
}

function isSilent({ now, movedAt, stalledAfterMinutes }: RunContext): boolean {
  return Date.parse(now) - Date.parse(movedAt) >= stalledAfterMinutes * MINUTE_MS;
}
