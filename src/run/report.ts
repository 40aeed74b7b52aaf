// Shows the progress of a run: a line for each event on the terminal, or the same as JSON lines.

import type { StopReason } from '../core/run/events.ts';
import { dollars } from '../core/run/next-move.ts';
import type { RunRecord } from '../core/run/record.ts';
import { shownUpTo } from '../core/wording.ts';
import type { PlannedTurn } from './work.ts';

export interface RunReport {
  started(record: RunRecord, lines: readonly string[]): void;
  turnStarted(turn: number, planned: PlannedTurn): void;
  turnEnded(record: RunRecord): void;
  waiting(questions: readonly string[]): void;
  outOfQuota(until: string): void;
  stopped(record: RunRecord, next: string | null): void;
}

export interface ReportOptions {
  readonly isJson: boolean;
  /** One line, without a newline. */
  print(line: string): void;
}

export function openReport({ isJson, print }: ReportOptions): RunReport {
  const say = (event: string, data: Readonly<Record<string, unknown>>, text: string) => {
    if (isJson) print(JSON.stringify({ event, ...data }));
    else if (text !== '') print(text);
  };
  let place = '';
  return {
    started(record, lines) {
      const { id, workflow, goal, budgets, worktree } = record;
      const data = { id, workflow, goal, budgets, worktree, warnings: lines };
      const resumed = record.turns.length > 0 ? `Resumed after ${count(record)}` : 'Started';
      const where = worktree === null ? '' : ` in ${worktree.path} on ${worktree.branch}`;
      const first = `${resumed}: ${workflow}${where} (run ${id})`;
      say('run_started', data, [first, ...lines.map((line) => `  ${line}`)].join('\n'));
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
      const why = end.refused ?? (end.advanced ? undefined : end.said);
      const said = why === undefined ? '' : `\n    ${shownUpTo(oneLine(why), MAX_WHY)}`;
      say('turn_ended', data, `  ${place}: ${what} (${seconds} s${cost}${exit})${said}`);
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
      const { reason, detail, warnings } = stop;
      const spent = `${count(record)}${record.spentUsd > 0 ? `, ${dollars(record.spentUsd)}` : ''}`;
      const data = {
        ...{ id: record.id, reason, detail, warnings },
        ...{ turns: record.turns.length, cost_usd: record.spentUsd, worktree: record.worktree },
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

const MAX_WHY = 400;

function count({ turns }: RunRecord): string {
  return `${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
