// Shows the progress of a run: a line for each event on the terminal, or the same as JSON lines.

import { completeRefusedWords } from '../board/run-words.ts';
import { toJsonText } from '../core/json-text.ts';
import { dollars } from '../core/run/budgets.ts';
import type { StopReason } from '../core/run/events.ts';
import { hasUnknownCost, type RunRecord } from '../core/run/record.ts';
import { shownUpTo, singleSpaced } from '../core/wording.ts';
import type { PlannedTurn } from './work.ts';

export interface RunReport {
  /** No run was named, and `newest`, which is newer than the one that is resumed, has ended. */
  resuming(record: RunRecord, newest: RunRecord): void;
  started(record: RunRecord, warnings: readonly string[], notes: readonly string[]): void;
  turnStarted(turn: number, planned: PlannedTurn): void;
  turnEnded(record: RunRecord): void;
  completeRefused(record: RunRecord): void;
  waiting(questions: readonly string[]): void;
  outOfQuota(until: string): void;
  stopped(record: RunRecord, next: string | null): void;
  /** A sentence with its times as people read them. */
  forPeople(sentence: string): string;
}

export interface ReportOptions {
  readonly isJson: boolean;
  /** A text with its times as people read them. */
  forPeople(text: string): string;
  /** One line, without a newline. */
  print(line: string): void;
}

export function openReport({ isJson, print, forPeople }: ReportOptions): RunReport {
  const say = (event: string, data: Readonly<Record<string, unknown>>, text: string) => {
    if (isJson) print(toJsonText({ event, ...data }));
    else if (text !== '') print(forPeople(text));
  };
  let place = '';
  return {
    forPeople,
    resuming({ id, stop }, newest) {
      const ended = newest.stop?.reason === 'complete' ? 'is complete' : 'has ended';
      const why = stop === null ? 'whose runner is gone' : `stopped ${stop.at}: ${stop.detail}`;
      const text = `The newest run, ${newest.id}, ${ended}. Resuming the newest unfinished one, ${id}, ${why}`;
      say('resuming', { id, newest: newest.id }, text);
    },
    started(record, warnings, notes) {
      const { id, workflow, goal, budgets, worktree } = record;
      const data = { id, workflow, goal, budgets, worktree, warnings, notes };
      const resumed = record.turns.length > 0 ? `Resumed after ${count(record)}` : 'Started';
      const where = worktree === null ? '' : ` in ${worktree.path} on ${worktree.branch}`;
      const first = `${resumed}: ${workflow}${where} (run ${id})`;
      const lines = [...warnings, ...notes].map((line) => `  ${line}`);
      say('run_started', data, [first, ...lines].join('\n'));
    },
    turnStarted(turn, planned) {
      ({ place } = planned);
      const { stepId, agent } = planned;
      const data = { turn, step_id: stepId, agent: agent.name };
      const who = place === agent.name ? place : `${place}, ${agent.name}`;
      say('turn_started', data, `Turn ${turn}: ${who}`);
    },
    turnEnded(record) {
      const turn = record.turns.at(-1);
      if (turn?.end == null) return;
      const { number, stepId, agent, startedAt, end } = turn;
      const { at: _at, charged: _charged, ...shown } = end;
      const data = { turn: number, step_id: stepId, agent, ...shown };
      const seconds = Math.round((Date.parse(end.at) - Date.parse(startedAt)) / 1000);
      const cost = end.cost_usd === null ? '' : `, ${dollars(end.cost_usd)}`;
      const exit = end.exit === 0 ? '' : `, exit code ${end.exit}`;
      const what = OUTCOMES[record.kind][end.advanced ? 'advanced' : 'idle'];
      const why = [
        ...(end.refused === undefined ? [] : [singleSpaced(end.refused)]),
        ...(end.advanced || end.said === undefined ? [] : [`It said: ${singleSpaced(end.said)}`]),
      ].map((line) => `    ${shownUpTo(line, MAX_WHY)}`);
      const first = `  ${place}: ${what} (${seconds} s${cost}${exit})`;
      say('turn_ended', data, [first, ...why].join('\n'));
    },
    completeRefused(record) {
      const turn = record.turns.at(-1);
      const refused = turn?.end?.completeRefused;
      if (turn === undefined || refused === undefined) return;
      const said = refused.said.split('\n').slice(-MAX_SAID_LINES);
      const lines = [
        `  ${completeRefusedWords(refused.why)}`,
        ...said.map((line) => `    ${line}`),
      ];
      const text = lines.filter((line) => line.trim() !== '').join('\n');
      say('complete_refused', { turn: turn.number, ...refused }, text);
    },
    waiting(questions) {
      const ids = questions.join(', ');
      say('waiting_for_person', { questions }, `Waiting for a person: ${ids} (deepwork answer)`);
    },
    outOfQuota(until) {
      say('waiting_for_quota', { until }, `The agent is out of quota. Waiting until ${until}`);
    },
    stopped(record, next) {
      const { stop } = record;
      if (stop === null) return;
      const { reason, detail, warnings, kept, branch } = stop;
      const cost = hasUnknownCost(record) ? null : record.spentUsd;
      const spent = `${count(record)}${priceOf(record, cost)}`;
      const data = {
        id: record.id,
        reason,
        detail,
        warnings,
        turns: record.turns.length,
        cost_usd: cost,
        worktree: record.worktree,
        ...(kept !== undefined && { worktree_kept: kept }),
        ...(branch !== undefined && { branch }),
      };
      const lines = [
        `${WORDS[reason]} after ${spent}: ${detail}`,
        ...warnings.map((warning) => `  warning: ${warning}`),
        ...(next === null ? [] : [`  ${next}`]),
      ];
      say('run_stopped', data, lines.join('\n'));
    },
  };
}

/** In a team nothing is accepted: what counts is a change of its state or mail. */
const OUTCOMES = {
  workflow: { advanced: 'accepted', idle: 'nothing accepted' },
  team: { advanced: 'done', idle: 'nothing changed' },
} as const;

const WORDS: Readonly<Record<StopReason, string>> = {
  complete: 'Complete',
  aborted: 'Aborted',
  failed: 'Failed',
  budget: 'Stopped by its budget',
  limit: 'Stopped by the limit of the agent',
  stalled: 'Stalled',
  stopped: 'Stopped',
};

const MAX_WHY = 420;
const MAX_SAID_LINES = 5;

/** Agents that never report a cost need not be reminded of it, unless there is a budget of money. */
function priceOf({ turns, budgets }: RunRecord, cost: number | null): string {
  if (cost !== null) return cost > 0 ? `, ${dollars(cost)}` : '';
  const isPriced = budgets.max_usd !== null || turns.some(({ end }) => end?.cost_usd != null);
  return isPriced ? ', cost unknown' : '';
}

function count({ turns }: RunRecord): string {
  return `${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}`;
}
