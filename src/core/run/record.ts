// The state of an unattended run, folded from its events: what it may spend, what it has spent,
// and how its last turn ended. Turns and waiting for quota take time from the budget; waiting for
// a person does not.

import { sameJson } from '../same-json.ts';
import type {
  AgentChoice,
  Budgets,
  CompleteRefused,
  OnLimit,
  RunEvent,
  RunStarted,
  RunStopped,
  StopReason,
  TurnEnded,
  TurnStarted,
  Worktree,
} from './events.ts';
import { quotaTime } from './quota.ts';

export interface Turn {
  readonly number: number;
  readonly stepId: string | null;
  readonly agent: string;
  readonly startedAt: string;
  /** Null: it is running, or the process that ran it was killed. */
  readonly end: TurnEnd | null;
}

export interface TurnEnd extends Omit<TurnEnded['data'], 'turn'> {
  readonly at: string;
  /** Why the team was not complete after it, although it said so. */
  readonly completeRefused?: Pick<CompleteRefused['data'], 'why' | 'said'>;
  /** The cost that counts; an unknown one is assumed to be that of the most expensive recent turn. */
  readonly charged: number | null;
}

export interface RunRecord {
  readonly seq: number;
  readonly id: string;
  readonly kind: RunStarted['data']['kind'];
  readonly identity: string;
  readonly workflow: string;
  readonly goal: string;
  readonly agent: AgentChoice | null;
  readonly budgets: Budgets;
  readonly onLimit: OnLimit;
  readonly continues: boolean;
  readonly worktree: Worktree | null;
  readonly process: string;
  readonly startedAt: string;
  readonly lastAt: string;
  readonly turns: readonly Turn[];
  /** How many of them there were when it was started or resumed. */
  readonly earlierTurns: number;
  /** How many of them were taken by an agent that was replaced since: its quota says nothing now. */
  readonly turnsOfOthers: number;
  /** Milliseconds taken by ended turns and waits for quota. */
  readonly spentMs: number;
  /** Since when this run has been waiting for quota, if it is. */
  readonly waitingSince: string | null;
  readonly spentUsd: number;
  /** Turns in a row without progress, since it was started or resumed. */
  readonly idle: number;
  readonly stopAsked: {
    readonly person: string;
    readonly reason: string;
    readonly abort?: true;
  } | null;
  /** Null while it is running. */
  readonly stop: RunStop | null;
}

export interface RunStop {
  readonly at: string;
  readonly reason: StopReason;
  readonly detail: string;
  readonly warnings: readonly string[];
  /** Why its worktree was not removed, although it is over. */
  readonly kept?: string;
  /** Where its work is committed, if its worktree was removed. */
  readonly branch?: string;
  /** Until when its agent was out of quota, if it stopped because of that. */
  readonly limit_until?: string;
}

/**
 * Whether a run of a team can no longer be resumed, whatever a person changes. A run of a workflow
 * ends with its session instead.
 */
export function isOver(
  stop: RunStop | null,
): stop is RunStop & { readonly reason: 'complete' | 'aborted' } {
  return stop !== null && (stop.reason === 'complete' || stop.reason === 'aborted');
}

/** How many turns the expected cost is taken from. */
const RECENT_TURNS = 3;

export function evolveRun(record: RunRecord | null, event: RunEvent): RunRecord {
  if (record === null) {
    if (event.type !== 'run_started') throw new Error(`A run cannot begin with '${event.type}'`);
    return begin(event);
  }
  const next = { ...record, seq: record.seq + 1, lastAt: event.at };
  switch (event.type) {
    case 'run_started':
      // How long a killed process waited is not known.
      return resume(closeLeftTurn(next, event.data.left_at ?? record.lastAt), event);
    case 'turn_started':
      return startTurn(next, event);
    case 'turn_ended':
      return endTurn(next, event);
    case 'complete_refused':
      return refuseComplete(next, event);
    case 'stop_asked':
      return { ...next, stopAsked: event.data };
    case 'run_stopped': {
      const worktree = event.data.worktree_removed === true ? null : record.worktree;
      // How long a killed process waited is not known.
      const ended =
        event.data.process_gone === true
          ? { ...next, waitingSince: null }
          : endWait(next, event.at);
      return { ...ended, worktree, stop: stopOf(event, quotaUntil(record)) };
    }
  }
}

function stopOf({ at, data }: RunStopped, until: string | null): RunStop {
  const { reason, detail, warnings = [], worktree_kept: kept, branch } = data;
  return {
    at,
    reason,
    detail,
    warnings,
    ...(kept !== undefined && { kept }),
    ...(branch !== undefined && { branch }),
    ...(reason === 'limit' && until !== null && { limit_until: until }),
  };
}

function begin({ at, data }: RunStarted): RunRecord {
  return {
    ...settingsOf(data),
    seq: 1,
    id: data.run_id,
    kind: data.kind,
    identity: data.identity,
    workflow: data.workflow,
    goal: data.goal,
    startedAt: at,
    lastAt: at,
    turns: [],
    earlierTurns: 0,
    turnsOfOthers: 0,
    spentMs: 0,
    waitingSince: null,
    spentUsd: 0,
    idle: 0,
    stopAsked: null,
    stop: null,
  };
}

function resume(record: RunRecord, { at, data }: RunStarted): RunRecord {
  const isSame = sameJson(data.agent, record.agent);
  const turnsOfOthers = isSame ? record.turnsOfOthers : record.turns.length;
  return {
    ...record,
    ...settingsOf(data),
    earlierTurns: record.turns.length,
    turnsOfOthers,
    waitingSince: quotaUntil({ ...record, turnsOfOthers }) === null ? null : at,
    idle: 0,
    stopAsked: null,
    stop: null,
  };
}

function settingsOf(data: RunStarted['data']) {
  const { agent, budgets, on_limit: onLimit, continues, worktree, process } = data;
  return { agent, budgets, onLimit, continues, worktree, process };
}

function startTurn(record: RunRecord, { at, data }: TurnStarted): RunRecord {
  const { turn: number, step_id: stepId, agent } = data;
  const turn: Turn = { number, stepId, agent, startedAt: at, end: null };
  return { ...endWait(record, at), turns: [...record.turns, turn] };
}

function endTurn(record: RunRecord, { at, data }: TurnEnded): RunRecord {
  const turn = record.turns.at(-1);
  if (turn === undefined || turn.end !== null) return record;
  const { turn: _number, ...end } = data;
  const next = closed(record, turn, { ...end, at, charged: chargeFor(record, data) });
  return withIdle({ ...next, waitingSince: end.limit_until === null ? null : at });
}

/** The turn counts as idle if it changed only what the team says about itself. */
function refuseComplete(record: RunRecord, { data }: CompleteRefused): RunRecord {
  const turn = record.turns.at(-1);
  if (turn?.end == null) return record;
  const { why, said, advanced } = data;
  const end = { ...turn.end, advanced, completeRefused: { why, said } };
  return withIdle({ ...record, turns: [...record.turns.slice(0, -1), { ...turn, end }] });
}

function withIdle(record: RunRecord): RunRecord {
  const turns = record.turns.slice(record.earlierTurns);
  const since = turns.slice(turns.findLastIndex(({ end }) => end?.advanced === true) + 1);
  // A turn that ran out of quota does not count.
  return { ...record, idle: since.filter(({ end }) => end?.limit_until === null).length };
}

/** A cost that was not reported is assumed to be the expected one. */
function chargeFor(record: RunRecord, data: TurnEnded['data']): number | null {
  return data.cost_usd ?? (wasOutOfQuota(data) ? 0 : expectedCost(record));
}

/** The client was out of quota before it could do anything that costs. */
function wasOutOfQuota(end: Pick<TurnEnd, 'cost_usd' | 'limit_until' | 'advanced'>): boolean {
  return end.limit_until !== null && !end.advanced && !end.cost_usd;
}

/** Ends a turn that was left open by a killed process: it counts, and its cost is unknown. */
function closeLeftTurn(record: RunRecord, at: string): RunRecord {
  const turn = record.turns.at(-1);
  if (turn === undefined || turn.end !== null) return record;
  return closed(record, turn, {
    at,
    exit: KILLED,
    cost_usd: null,
    limit_until: null,
    advanced: false,
    charged: expectedCost(record),
  });
}

/** The exit code of a process ended by SIGKILL. */
const KILLED = 137;

function closed(record: RunRecord, turn: Turn, end: TurnEnd): RunRecord {
  return {
    ...record,
    turns: [...record.turns.slice(0, -1), { ...turn, end }],
    spentMs: record.spentMs + between(turn.startedAt, end.at),
    spentUsd: record.spentUsd + (end.charged ?? 0),
  };
}

/**
 * The expected cost of the next turn: that of the most expensive recent one that was not refused for
 * quota. Null if unknown.
 */
export function expectedCost({ turns }: RunRecord): number | null {
  const known = turns
    .filter(({ end }) => end !== null && !wasOutOfQuota(end))
    .slice(-RECENT_TURNS)
    .flatMap(({ end }) => end?.charged ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

/** Whether any turn had a cost that can be neither read nor estimated. */
export function hasUnknownCost({ turns }: RunRecord): boolean {
  return turns.some(({ end }) => end !== null && end.charged === null);
}

/** When its agent is worth trying again; null if it was not out of quota. */
export function quotaUntil({ turns, turnsOfOthers }: RunRecord): string | null {
  return quotaTime(turns.slice(turnsOfOthers));
}

/** The time it has waited for quota is spent. */
function endWait(record: RunRecord, at: string): RunRecord {
  return { ...record, spentMs: record.spentMs + waitedMs(record, at), waitingSince: null };
}

/** Once there is quota again, it waits for something else: for a person. */
function waitedMs(record: RunRecord, now: string): number {
  const { waitingSince } = record;
  const until = quotaUntil(record);
  if (waitingSince === null || until === null) return 0;
  return between(waitingSince, Date.parse(until) < Date.parse(now) ? until : now);
}

/** Including the current turn or wait. */
export function spentMsAt(record: RunRecord, now: string): number {
  const last = record.turns.at(-1);
  const isInTurn = record.stop === null && last?.end === null;
  const current = isInTurn ? between(last.startedAt, now) : waitedMs(record, now);
  return record.spentMs + current;
}

function between(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}
