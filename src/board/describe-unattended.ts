// An unattended run as people see it: its budgets, what its agent is doing, how it stopped, and its
// events in words.

import { existsSync } from 'node:fs';
import { dollars, overBudget } from '../core/run/budgets.ts';
import type { RunEvent as UnattendedEvent } from '../core/run/events.ts';
import { MINUTE_MS } from '../core/run/quota.ts';
import {
  hasUnknownCost,
  isOver,
  quotaUntil,
  type RunRecord,
  spentMsAt,
} from '../core/run/record.ts';
import type { Liveness } from '../core/session/ownership.ts';
import type { Session } from '../core/session/state.ts';
import { actsOf } from '../core/session/steering.ts';
import { counted } from '../core/wording.ts';
import { agentLabel } from './agent-names.ts';
import { historyText } from './event-words.ts';
import type { Budget, Run, ShownEvent, Unattended } from './run.ts';
import { completeRefusedWords, workOnBranch } from './run-words.ts';

interface Present {
  readonly now: string;
  readonly livenessOf: (process: string) => Liveness;
}

/** The fields that only an unattended run has. */
export function unattendedFacts(
  record: RunRecord,
  { now, livenessOf }: Present,
): Required<Pick<Run, 'budgets' | 'worktree' | 'unattended'>> {
  const isGone = livenessOf(record.process) === 'gone';
  const worktree = keptWorktree(record);
  return {
    budgets: budgetsAt(record, isGone ? record.lastAt : now),
    worktree: worktree === null ? null : { path: worktree.path, branch: worktree.branch },
    unattended: describe(record, now, isGone),
  };
}

export function budgetsAt(record: RunRecord, now: string): NonNullable<Run['budgets']> {
  const { budgets, turns } = record;
  const minutes = Math.round((spentMsAt(record, now) / MINUTE_MS) * 100) / 100;
  const usd = Math.round(record.spentUsd * 1e6) / 1e6;
  return {
    turns: budgetOf(budgets.max_turns, turns.length),
    minutes: budgetOf(budgets.max_minutes, minutes),
    usd: !isCostKnown(record)
      ? { max: budgets.max_usd, spent: null, left: null }
      : budgetOf(budgets.max_usd, usd),
  };
}

/** Of the first turn nothing is known before it has ended. */
function isCostKnown(record: RunRecord): boolean {
  const isFirst = record.turns.length === 1 && record.turns[0]?.end === null;
  return !isFirst && !hasUnknownCost(record);
}

/**
 * The end of a run that was complete no longer holds once a person has opened its session again:
 * what holds it up is a used-up budget, or only that no one has resumed it.
 */
export function withSession(record: RunRecord, session: Session): RunRecord {
  const { stop } = record;
  if (stop?.reason !== 'complete' || session.status !== 'active') return record;
  const act = actsOf(session.steering).findLast(({ ended }) => ended === null);
  const who =
    act === undefined
      ? 'a person opened it again'
      : `${act.person} sent it back to '${act.step}': ${act.reason}`;
  const reason = overBudget(record, record.lastAt) === null ? 'stopped' : 'budget';
  return { ...record, stop: { ...stop, reason, detail: `Everything was done, then ${who}` } };
}

/** A person may have removed it after the run ended. */
function keptWorktree({ worktree, stop }: RunRecord): RunRecord['worktree'] {
  return worktree === null || stop === null || existsSync(worktree.path) ? worktree : null;
}

function budgetOf(max: number | null, spent: number): Budget {
  const left = max === null ? null : Math.max(0, Math.round((max - spent) * 1e6) / 1e6);
  return { max, spent, left };
}

/** A process that is gone waits for no quota. */
function describe(record: RunRecord, now: string, isGone: boolean): Unattended {
  const last = record.turns.at(-1) ?? null;
  const until = quotaUntil(record);
  const isOut = record.stop === null && !isGone && until !== null && until > now;
  return {
    agent: last?.agent ?? null,
    turn: record.turns.length,
    is_running: record.stop === null && last !== null && last.end === null,
    limit_until: isOut ? until : null,
    stopped: record.stop,
  };
}

/** A run of a team, which has no session. */
export function describeTeamRun(
  record: RunRecord,
  context: Present & { readonly questions: readonly string[] },
): Run {
  const { id, workflow, goal, turns, stop, startedAt, lastAt } = record;
  const count = Math.max(1, turns.length);
  return {
    session_id: id,
    workflow,
    goal,
    agent: turns.at(-1)?.agent ?? null,
    parent_session_id: null,
    status: !isOver(stop) ? 'active' : stop.reason === 'complete' ? 'completed' : 'aborted',
    state: isOver(stop) ? null : stateOf(record, context),
    step: turns.at(-1)?.agent ?? 'coordinator',
    position: { index: count, of: count },
    started_at: startedAt,
    last_activity_at: lastAt,
    ended_at: isOver(stop) ? stop.at : null,
    attempts: 0,
    refusals: turns.filter(({ end }) => end?.completeRefused !== undefined).length,
    overrides: 0,
    nudges: 0,
    last_feedback: feedbackOf(record),
    questions: stop !== null ? [] : context.questions,
    ...unattendedFacts(record, context),
  };
}

/** Why it was given up, or what its coordinator was told last. */
function feedbackOf({ stop, turns }: RunRecord): string | null {
  if (stop?.reason === 'complete') return null;
  if (stop?.reason === 'aborted') return stop.detail;
  const refused = turns.at(-1)?.end?.completeRefused;
  return refused === undefined
    ? null
    : [completeRefusedWords(refused.why), refused.said].join('\n');
}

function stateOf(
  { stop, process }: RunRecord,
  { livenessOf, questions }: Parameters<typeof describeTeamRun>[1],
): Run['state'] {
  if (stop !== null) return 'stalled';
  if (questions.length > 0) return 'waiting_for_person';
  return livenessOf(process) === 'gone' ? 'orphaned' : 'working';
}

function stopWords({ person, reason, abort }: NonNullable<RunRecord['stopAsked']>): string {
  return `${historyText(person)} ${abort === true ? 'aborted' : 'stopped'} it: ${historyText(reason)}`;
}

/** How the line begins that says so. */
export const REFUSED_IN_TURN = 'What it handed in last was refused';

export function unattendedInWords(event: UnattendedEvent, seq: number): ShownEvent {
  return {
    seq,
    at: event.at,
    type: event.type,
    step_id: event.type === 'turn_started' ? event.data.step_id : null,
    by: event.type === 'stop_asked' ? event.data.person : null,
    text: wordsFor(event).join('\n'),
    data: event.data as unknown as ShownEvent['data'],
  };
}

function wordsFor(event: UnattendedEvent): string[] {
  switch (event.type) {
    case 'run_started': {
      const { budgets, worktree, resumed } = event.data;
      const bounds = [
        ...(budgets.max_turns === null ? [] : [counted(budgets.max_turns, 'turn')]),
        ...(budgets.max_minutes === null ? [] : [counted(budgets.max_minutes, 'minute')]),
        ...(budgets.max_usd === null ? [] : [dollars(budgets.max_usd)]),
      ];
      const within = bounds.length === 0 ? 'without a budget' : `within ${bounds.join(', ')}`;
      return [
        `${resumed === true ? 'Resumed' : 'Run'} unattended, ${within}`,
        ...(worktree === null ? [] : [`In ${worktree.path}, on branch ${worktree.branch}`]),
      ];
    }
    case 'turn_started': {
      const { turn, agent, step_id } = event.data;
      const where = step_id === null ? '' : ` at '${step_id}'`;
      return [`Turn ${turn} of ${historyText(agentLabel(agent))} began${where}`];
    }
    case 'turn_ended': {
      const { turn, exit, cost_usd, limit_until, advanced, refused, said } = event.data;
      const cost = cost_usd === null ? '' : `, ${dollars(cost_usd)}`;
      const first = `Turn ${turn} ended (exit code ${exit}${cost}); ${advanced ? 'the work advanced' : 'nothing was accepted'}`;
      return [
        first,
        ...(limit_until === null ? [] : [`The agent is out of quota until ${limit_until}`]),
        ...(refused === undefined ? [] : [`${REFUSED_IN_TURN}: ${historyText(refused)}`]),
        ...(said === undefined ? [] : [`It said: ${historyText(said)}`]),
      ];
    }
    case 'complete_refused': {
      const { why, said } = event.data;
      return [completeRefusedWords(historyText(why)), ...(said === '' ? [] : [historyText(said)])];
    }
    case 'stop_asked':
      return [stopWords(event.data)];
    case 'run_stopped': {
      const { reason, detail, warnings = [], worktree_kept: kept, branch } = event.data;
      return [
        `The run stopped (${reason}): ${historyText(detail)}`,
        ...(kept === undefined ? [] : [`The worktree is kept: ${historyText(kept)}`]),
        ...(branch === undefined ? [] : [workOnBranch(branch)]),
        ...warnings.map(historyText),
      ];
    }
  }
}
