// The status of a project as text: first the runs that need a person, then those that are moving,
// then those that have ended. A run and the runs nested in it are listed together, under the most
// urgent of these headings. Text from agents is made printable.

import { agentOfRun } from '../../board/agent-names.ts';
import { cellWidth } from '../../board/drawing/text-width.ts';
import { linesInOne } from '../../board/event-words.ts';
import { depthIn, endedInTrees, MAX_ENDED } from '../../board/order-runs.ts';
import type { Board, OpenQuestion, Run, RunState } from '../../board/run.ts';
import {
  ENDED_WORDS,
  isStopped,
  itemsInWords,
  ONLY_ARCHIVED,
  RUN_STATE_WORDS,
  resumeCommand,
  standingOf,
} from '../../board/run-words.ts';
import { TEAM_WORKFLOW } from '../../core/run/streams.ts';
import { stepIdOf } from '../../core/session/for-each.ts';
import { counted, howOften } from '../../core/wording.ts';
import { answerCommand, shellWord } from '../answer/answer-command.ts';
import { printableLine } from '../terminal/printable.ts';
import { budgetsInWords } from './budget-words.ts';
import { type Cell, cell, columnWidth, cutAtWord, cutTo, row, wrapWords } from './columns.ts';
import { type Colour, paint, type Screen } from './screen.ts';
import { teamLines } from './team-text.ts';
import { ago, clockAt, withLocalTimes } from './times.ts';
import { warningLines } from './warnings.ts';

const INDENT = 2;
const NEST = 2;
const MAX_DEPTH = 5;
const MAX_DAMAGED = 5;
/** How many characters of a goal are processed; agents may write megabytes. */
export const MAX_GOAL = 2000;
const MAX_QUESTION = 1000;

export const STATE_COLOURS: Readonly<Record<RunState, Colour>> = {
  waiting_for_person: 'yellow',
  gate_running: 'cyan',
  orphaned: 'red',
  stalled: 'red',
  working: 'green',
};

const NEEDS_PERSON: readonly (RunState | null)[] = ['waiting_for_person', 'orphaned', 'stalled'];

/** What is wrong, and what the person can do about it; a command has a line of its own. */
function whyOf(run: Run, now: string): string[] {
  const { state, at_terminal, session_id, unattended } = run;
  const stopped = unattended?.stopped ?? null;
  const resume = `To continue: ${resumeCommand(run, stopped)}`;
  const abort = `Or abort it: deepwork abort ${session_id} --reason "…"`;
  if (stopped !== null) {
    const why = withLocalTimes(printableLine(stopped.detail), now);
    return [`The run stopped: ${asSentence(why)}`, resume, abort];
  }
  const until = unattended?.limit_until ?? null;
  if (until !== null) return [`The run continues by itself at ${clockAt(until, now)}.`];
  if (state === 'orphaned' && unattended !== undefined) {
    const agent = unattended.is_running
      ? ' Its agent may still run until the next run ends it.'
      : '';
    return [`Its runner is gone.${agent}`, resume, abort];
  }
  const agent = agentName(run);
  if (state === 'orphaned' && at_terminal) {
    const as = agent === null ? '' : ` --agent ${agent}`;
    return [
      'It is run from a terminal.',
      `To see its open step: deepwork call get_active_workflow${as} --session_id ${session_id}`,
      ...handInLine(run, `deepwork call finished_step${as} --session_id ${session_id}`),
      abort,
    ];
  }
  const who = agent ?? 'the agent';
  if (state === 'orphaned') {
    return [`Its process is gone. Start ${who} again: its next call continues the run.`, abort];
  }
  return state === 'stalled'
    ? [`Nothing has come from ${who} for a while: look at it, or start it again.`, abort]
    : [];
}

/** Nothing for a run that is completed by a nested one. */
function handInLine({ waits_at, hand_in }: Run, command: string): string[] {
  if (waits_at === 'run') return [];
  if (waits_at === 'approve') return [`To wait for the approval: ${command} --outputs '{}'`];
  if (waits_at === 'answered') return [`To go on: ${command} --outputs '{}'`];
  const { outputs, step_id } = hand_in ?? { outputs: ['NAME'] };
  const step = step_id === undefined ? '' : ` --step_id ${shellWord(step_id)}`;
  const files = outputs.map((name) => ` --outputs ${shellWord(`${name}=FILE`)}`).join('');
  return [`To hand it in: ${command}${step}${files || " --outputs '{}'"}`];
}

/** It may end with what an agent said. */
function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The name of the agent that works on it, as people know it; null if there is none. */
export function agentName(run: Run): string | null {
  const agent = agentOfRun(run);
  return agent === null ? null : printableLine(agent);
}

/** True if there is nothing to show but warnings. */
export function isEmpty({ runs, questions, damaged, team }: Board): boolean {
  return runs.length + questions.length + damaged.length === 0 && team === null;
}

/** `all`: whether the board contains every run that has ended; `archived`: whether some were pruned. */
export function statusText(board: Board, screen: Screen, all = false, archived = false): string {
  const { runs } = board;
  const active = runs.filter(({ status }) => status === 'active');
  const [needing, moving] = byNeed(active);
  const ended = runs.filter(({ status }) => status !== 'active');
  const blocks = [
    headline(board, screen, archived),
    warningLines(board.warnings, screen),
    section(
      'Needs you',
      [
        ...board.questions.flatMap((each) => question(each, board, screen)),
        ...needing.flatMap((run) => activeRun(run, active, board, screen)),
      ],
      screen,
    ),
    section(
      'Running',
      moving.flatMap((run) => activeRun(run, active, board, screen)),
      screen,
    ),
    section('Ended', [...endedRuns(ended, board, screen), ...(all ? [] : older(ended))], screen),
    section('Damaged', damagedRuns(board, screen), screen),
    section('Team', board.team === null ? [] : teamLines(board.team, screen), screen),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** Splits active runs, keeping their order: trees in which a run needs a person, and the rest. */
export function byNeed(active: readonly Run[]): [Run[], Run[]] {
  const trees: Run[][] = [];
  for (const run of active) {
    const tree = depthIn(active, run) === 0 ? undefined : trees.at(-1);
    if (tree === undefined) trees.push([run]);
    else tree.push(run);
  }
  const needs = (tree: readonly Run[]) => tree.some(({ state }) => isNeeding(state));
  return [trees.filter(needs).flat(), trees.filter((tree) => !needs(tree)).flat()];
}

export function needsPerson({ questions, runs }: Pick<Board, 'questions' | 'runs'>): boolean {
  return questions.length > 0 || runs.some(({ state }) => isNeeding(state));
}

function isNeeding(state: RunState | null): boolean {
  return NEEDS_PERSON.includes(state);
}

/** `3 active runs, 1 stopped, 1 question`. */
export function boardCounts({ runs, questions, damaged }: Board): string {
  const open = runs.filter(({ status }) => status === 'active');
  const stopped = open.filter(isStopped).length;
  const active = open.length - stopped;
  return [
    active === 0 ? 'no active runs' : counted(active, 'active run'),
    ...(stopped > 0 ? [`${stopped} stopped`] : []),
    ...(questions.length > 0 ? [counted(questions.length, 'question')] : []),
    ...(damaged.length > 0 ? [`${damaged.length} damaged`] : []),
  ].join(', ');
}

function headline(board: Board, screen: Screen, archived: boolean): string[] {
  const path = wrapWords(printableLine(board.workspace), screen.width);
  if (isEmpty(board)) {
    return [
      ...path,
      archived ? `${ONLY_ARCHIVED}.` : 'This project is set up. There is no run yet.',
    ];
  }
  return [...path.map((line) => screen.paint('bold', line)), boardCounts(board)];
}

function section(title: string, lines: readonly string[], screen: Screen): string[] {
  return lines.length === 0 ? [] : [screen.paint('bold', title), ...lines];
}

function question(each: OpenQuestion, { at, runs }: Board, screen: Screen): string[] {
  const { id, asked_by: by, asked_at, session_id, text, choices } = each;
  const run = runs.find((one) => one.session_id === session_id);
  const where = run === undefined ? '' : ` in ${run.workflow} (${run.session_id})`;
  const who = `${printableLine(by ?? 'The agent')} asked ${ago(asked_at, at)}${printableLine(where)}`;
  const room = screen.width - INDENT - id.length - 2;
  const body = (line: string): Cell[] => [cell('', id.length), cell(line, room)];
  return [
    ...row([{ ...cell(id, id.length), style: paint(screen, 'yellow') }, cell(who, room)], INDENT),
    ...linesOf(cutAfterWord(text)).flatMap((line) => row(body(line), INDENT)),
    ...row(body(`Answer it: deepwork answer ${id}, or at once:`), INDENT),
    ...[...new Set(choices)].flatMap((choice) => row(body(answerCommand(id, choice)), INDENT)),
  ];
}

function cutAfterWord(text: string): string {
  if (text.length <= MAX_QUESTION) return text;
  return `${text.slice(0, MAX_QUESTION).replace(/\s+\S*$/, '')} …`;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(printableLine);
}

function indentIn(runs: readonly Run[], run: Run): number {
  return INDENT + Math.min(depthIn(runs, run), MAX_DEPTH) * NEST;
}

function activeRun(run: Run, all: readonly Run[], { at }: Board, screen: Screen): string[] {
  const indent = indentIn(all, run);
  const state = run.state ?? 'working';
  const labels = Object.values(RUN_STATE_WORDS);
  const [idWidth, stateWidth] = [run.session_id.length, columnWidth(labels, 15)];
  const room = screen.width - indent - idWidth - stateWidth - 4;
  const what = printableLine(`${run.workflow}, ${placeText(run)}`);
  const first = row(
    [
      { ...cell(run.session_id, idWidth), style: paint(screen, 'bold') },
      { ...cell(standingOf(run), stateWidth), style: paint(screen, STATE_COLOURS[state]) },
      cell(what, room),
    ],
    indent,
  );
  const below = (text: string) =>
    row([cell('', idWidth), cell(text, screen.width - indent - idWidth - 2)], indent);
  // A nested run has the same problem as its parent, which shows it.
  const why = indent === INDENT ? whyOf(run, at) : [];
  const feedback = feedbackOf(run);
  return [
    ...first,
    ...(isGoalOfParent(run, all)
      ? []
      : below(cutTo(printableLine(run.goal.slice(0, MAX_GOAL)), 3 * screen.width))),
    ...below(activityOf(run, at)),
    ...why.flatMap(below),
    ...(feedback === null ? [] : below(`Last feedback: ${feedbackLine(feedback, run, screen)}`)),
  ];
}

/** Most nested runs have the goal of their parent, which is already shown there. */
function isGoalOfParent({ parent_session_id, goal }: Run, all: readonly Run[]): boolean {
  return all.some((run) => run.session_id === parent_session_id && run.goal === goal);
}

/** Feedback about an open question is left out, because the question itself is shown. */
function feedbackOf({ last_feedback: feedback, questions }: Run): string | null {
  return feedback === null || questions.some((id) => feedback.includes(`(${id})`))
    ? null
    : feedback;
}

/** Where it is: at a step, or for a team, in whose turn. */
export function placeText({ workflow, unattended, step: id, position, pass, item }: Run): string {
  if (unattended !== undefined && workflow === TEAM_WORKFLOW) {
    return `turn ${unattended.turn} of ${id}`;
  }
  const step = item === undefined ? id : stepIdOf(id);
  const inside = [
    ...(pass === undefined ? [] : [`pass ${pass}`]),
    ...(item === undefined ? [] : [itemsInWords(item)]),
  ];
  return `step ${step} (${[`${position.index} of ${position.of}`, ...inside].join(', ')})`;
}

function activityOf(run: Run, now: string): string {
  const agent = agentName(run);
  const parts = [
    ...(agent === null ? [] : [agent]),
    ...(run.at_terminal ? ['from a terminal'] : []),
    `started ${ago(run.started_at, now)}`,
    run.agent_seen_at === undefined
      ? `last active ${ago(run.last_activity_at, now)}`
      : `agent last seen ${ago(run.agent_seen_at, now)}`,
    ...(run.questions.length === 0 ? [] : [`waits for ${run.questions.join(', ')}`]),
    ...(run.attempts > 0 ? [counted(run.attempts, 'review')] : []),
    ...(run.refusals > 0 ? [`turned down ${howOften(run.refusals)}`] : []),
    ...(run.overrides > 0 ? [counted(run.overrides, 'override')] : []),
    ...(run.nudges > 0 ? [counted(run.nudges, 'reminder')] : []),
    ...unattendedParts(run),
  ];
  return parts.join(', ');
}

/** What an unattended run has spent, and where it works. */
function unattendedParts({ unattended, budgets, worktree }: Run): string[] {
  if (unattended === undefined || budgets === undefined) return [];
  return [
    `unattended: ${budgetsInWords(budgets)}`,
    ...(worktree == null ? [] : [`worktree ${printableLine(worktree.path)}`]),
  ];
}

/** What failed and why, on about two lines. */
function feedbackLine(feedback: string, { session_id }: Run, { width }: Screen): string {
  const text = printableLine(linesInOne(feedback).replace(/\s+/g, ' '));
  return cutAtWord(text, 2 * width - 40, `(deepwork history ${session_id})`);
}

/** Below this width a goal has a line of its own: in a column it would be cut after a few words. */
const MIN_TABLE_WIDTH = 110;
const MAX_END_WIDTH = 22;

function endedRuns(runs: readonly Run[], { at }: Board, screen: Screen): string[] {
  const ended = endedInTrees(runs);
  const isTable = screen.width >= MIN_TABLE_WIDTH;
  const idWidth = columnWidth(
    ended.map(({ session_id }) => session_id),
    8,
  );
  const ends = ended.map((run) => endText(run, at));
  const endWidth = columnWidth(ends, MAX_END_WIDTH);
  const names = ended.map((run) => printableLine(run.workflow));
  return ended.flatMap((run, index) => {
    const colour = run.status === 'completed' ? 'green' : 'yellow';
    const indent = indentIn(ended, run);
    const room = screen.width - indent - idWidth - 2;
    const rest = room - endWidth - 2;
    const nameWidth = columnWidth(names, Math.floor(rest / 2));
    const id = cell(run.session_id, idWidth);
    const end = { ...cell(ends[index] ?? '', endWidth), style: paint(screen, colour) };
    const name = names[index] ?? '';
    const below = (text: string) => row([cell('', idWidth), cell(text, room)], indent);
    const goalWidth = isTable ? rest - nameWidth - 2 : room;
    const goal = cutTo(printableLine(endedGoal(run)), 2 * goalWidth);
    if (isTable) return row([id, end, cell(name, nameWidth), cell(goal, goalWidth)], indent);
    return rest < cellWidth(name)
      ? [...row([id, { ...end, width: room }], indent), ...below(name), ...below(goal)]
      : [...row([id, end, cell(name, rest)], indent), ...below(goal)];
  });
}

/** The goal, with why the run was aborted and where its work is. */
function endedGoal({ goal, status, last_feedback, worktree, unattended }: Run): string {
  const why = status === 'aborted' && last_feedback ? ` (${last_feedback})` : '';
  const branch = unattended?.stopped?.branch;
  const on = branch === undefined ? '' : ` (branch ${branch})`;
  const where = worktree == null ? on : ` (worktree ${worktree.path})`;
  return `${goal}${why}${where}`.slice(0, MAX_GOAL);
}

/** Shown if there may be more. */
function older(ended: readonly Run[]): string[] {
  if (ended.length < MAX_ENDED) return [];
  return [`  The last ${MAX_ENDED}. All of them: deepwork status --all`];
}

export function endText({ status, ended_at }: Run, now: string): string {
  const word = status === 'active' ? '' : ENDED_WORDS[status];
  return `${word} ${ago(ended_at ?? now, now)}`;
}

function damagedRuns({ damaged }: Board, screen: Screen): string[] {
  if (damaged.length === 0) return [];
  const lines = damaged.slice(0, MAX_DAMAGED).flatMap(({ session_id, why }) => {
    const room = screen.width - INDENT - session_id.length - 2;
    const id = { ...cell(session_id, session_id.length), style: paint(screen, 'red') };
    return row([id, cell(printableLine(why), room)], INDENT);
  });
  const more = damaged.length - MAX_DAMAGED;
  const left = more > 0 ? [`And ${more} more.`] : [];
  const next = damaged.some(({ set_aside }) => set_aside === null)
    ? ['To set them aside: deepwork repair']
    : [];
  const foreign = damaged.some(({ set_aside }) => set_aside === 'foreign')
    ? ['To take over what is yours: deepwork repair --journal']
    : [];
  const end = [...left, ...next, ...foreign].join(' ');
  return end === '' ? lines : [...lines, ...row([cell(end, screen.width - INDENT)], INDENT)];
}
