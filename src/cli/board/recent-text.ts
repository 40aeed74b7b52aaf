// What happened recently, as text: a sentence of counts, then day by day and run by run, newest
// first. It is for someone who was away: what was done, what was turned down and why, who
// intervened, what is still open.

import type { Recent } from '../../board/recent.ts';
import type { RecentEvent, RecentKind } from '../../board/recent-events.ts';
import type { Run, RunState } from '../../board/run.ts';
import { ENDED_WORDS, isStopped, standingOf } from '../../board/run-words.ts';
import { counted } from '../../core/wording.ts';
import { printableLine } from '../terminal/printable.ts';
import { cell, columnWidth, cutAtWord, cutTo, row, wrapWords } from './columns.ts';
import { recentLines } from './recent-lines.ts';
import { type Colour, paint, type Screen } from './screen.ts';
import { MAX_GOAL, needsPerson, placeText, STATE_COLOURS } from './status-text.ts';
import { ago, dayInWords, dayOf, duration, momentInWords, timeOfDay } from './times.ts';
import { warningLines } from './warnings.ts';

const INDENT = 2;
const NEST = 2;
const MAX_DEPTH = 5;
const ID_WIDTH = 8;
const MAX_STANDING = 24;
/** A block is one run on one day; a project with many agents has hundreds. */
const MAX_BLOCKS = 60;
const MAX_UNMOVED = 10;
const MAX_LINES = 3;

export function recentText(recent: Recent, screen: Screen): string {
  const blocks = blocksOf(recent);
  const shown = blocks.slice(0, MAX_BLOCKS);
  const days = [...new Set(shown.map(({ day }) => day))];
  const counts = wrapWords(summary(recent), screen.width);
  const sections = [
    counts,
    warningLines(recent.warnings, screen),
    ...days.map((day) => dayLines(day, shown, recent, screen)),
    unmovedLines(recent, screen),
    otherLines(recent, screen),
    hints(recent, blocks.length - shown.length).flatMap((line) => wrapWords(line, screen.width)),
  ].filter((lines) => lines.length > 0);
  // The counts matter most, and would have scrolled out of sight.
  const isTallerThanScreen =
    screen.height !== null && sections.flat().length + sections.length > screen.height;
  const shownSections = isTallerThanScreen ? [...sections, counts] : sections;
  return `${shownSections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

type Counted = readonly [count: number, words: string];

/** `Since yesterday 09:12: 3 runs completed, 1 aborted, 1 still working, 2 questions open.` */
function summary(recent: Recent): string {
  const { since, until, at, counts, runs, unmoved } = recent;
  const ended: Counted[] = [
    [counts.completed, 'completed'],
    [counts.aborted, 'aborted'],
  ];
  if (until !== null) {
    const open = runs.filter(({ run }) => isOpenAt(run, until)).length;
    const period = `From ${momentInWords(since, at)} until ${momentInWords(until, at)}`;
    return `${period}: ${countsInWords([...ended, [open, 'not ended by then']])}.`;
  }
  const active = [...runs.map(({ run }) => run), ...unmoved].filter(isActive);
  const stopped = active.filter(isStopped);
  const states = STATE_WORDS.map(([state, words]): Counted => {
    const found = active.filter((run) => run.state === state && !isStopped(run));
    return [found.length, words];
  });
  const words = countsInWords([...ended, [stopped.length, 'stopped'], ...states]);
  const questions = counts.questions === 0 ? '' : `, ${counted(counts.questions, 'question')} open`;
  return `Since ${momentInWords(since, at)}: ${words}${questions}.`;
}

const STATE_WORDS: readonly (readonly [RunState, string])[] = [
  ['waiting_for_person', 'waiting for you'],
  ['orphaned', 'whose agent is gone'],
  ['stalled', 'stalled'],
  ['gate_running', 'being checked'],
  ['working', 'still working'],
];

function countsInWords(counts: readonly Counted[]): string {
  const [first, ...others] = counts.filter(([count]) => count > 0);
  if (first === undefined) return 'no run has moved';
  const [count, words] = first;
  return [`${counted(count, 'run')} ${words}`, ...others.map((each) => each.join(' '))].join(', ');
}

function isActive({ status }: Run): boolean {
  return status === 'active';
}

function isOpenAt({ ended_at }: Run, at: string): boolean {
  return ended_at === null || ended_at >= at;
}

/** What happened in one run on one day. */
interface Block {
  readonly day: string;
  readonly run: Run;
  readonly events: readonly RecentEvent[];
  readonly depth: number;
  /** The run was not over at the end of the day or period. */
  readonly continued: boolean;
  /** The newest block of its run, which shows the run's goal. */
  readonly isNewest: boolean;
}

/** Newest first; nested runs below their parents. */
function blocksOf({ runs, until }: Recent): Block[] {
  const flat = runs.flatMap(({ run, events }): Omit<Block, 'depth'>[] => {
    const days = [...new Set(events.map(({ at }) => dayOf(at)))];
    const isOpen = until !== null && isOpenAt(run, until);
    return days.map((day, index) => ({
      day,
      run,
      events: events.filter(({ at }) => dayOf(at) === day),
      continued: index < days.length - 1 || isOpen,
      isNewest: index === days.length - 1,
    }));
  });
  const newest = [...new Set(flat.map(({ day }) => day))].sort().reverse();
  return newest.flatMap((day) => inTrees(flat.filter((block) => block.day === day)));
}

function inTrees(blocks: readonly Omit<Block, 'depth'>[]): Block[] {
  const ids = new Set(blocks.map(({ run }) => run.session_id));
  const placed = new Set<string>();
  const lastOf = ({ events }: Pick<Block, 'events'>) => events.at(-1)?.at ?? '';
  const sorted = [...blocks].sort((a, b) => (lastOf(a) < lastOf(b) ? 1 : -1));
  const below = (block: Omit<Block, 'depth'>, depth: number): Block[] => {
    const { session_id } = block.run;
    if (placed.has(session_id)) return [];
    placed.add(session_id);
    const nested = sorted.filter(({ run }) => run.parent_session_id === session_id);
    return [{ ...block, depth }, ...nested.flatMap((each) => below(each, depth + 1))];
  };
  const isTop = ({ run: { parent_session_id: parent } }: Pick<Block, 'run'>) =>
    parent === null || !ids.has(parent);
  return [...sorted.filter(isTop), ...sorted].flatMap((block) => below(block, 0));
}

function dayLines(day: string, shown: readonly Block[], recent: Recent, screen: Screen): string[] {
  const blocks = shown.filter((block) => block.day === day);
  const width = columnWidth(blocks.map(standingIn), MAX_STANDING);
  return [
    screen.paint('bold', dayInWords(day, recent.at)),
    ...blocks.flatMap((block, index) => [
      ...(index > 0 ? [''] : []),
      ...blockLines(block, width, recent, screen),
    ]),
  ];
}

function blockLines(
  block: Block,
  width: number,
  { at: now, runs }: Recent,
  screen: Screen,
): string[] {
  const { run, depth, events, continued, isNewest } = block;
  const indent = INDENT + Math.min(depth, MAX_DEPTH) * NEST;
  const room = screen.width - indent - ID_WIDTH - 2;
  const line = (lead: string, text: string, colour?: Colour) => {
    const style = colour && { style: paint(screen, colour) };
    const time = { ...cell(lead, ID_WIDTH), style: paint(screen, 'dim') };
    return row([time, { ...cell(text, room), ...style }], indent);
  };
  const where = isActive(run) && !continued ? `, ${placeText(run)}` : '';
  const standing = { ...cell(standingIn(block), width), style: paint(screen, colourOf(block)) };
  return [
    ...row(
      [
        { ...cell(run.session_id, ID_WIDTH), style: paint(screen, 'bold') },
        standing,
        cell(printableLine(`${run.workflow}${where}`), room - width - 2),
      ],
      indent,
    ),
    ...(isNewest && !(depth > 0 && isGoalOfParent(run, runs))
      ? line('', cutTo(printableLine(run.goal.slice(0, MAX_GOAL)), 2 * room))
      : []),
    ...(depth === 0 && run.parent_session_id !== null
      ? line('', `Nested in ${run.parent_session_id}`)
      : []),
    ...recentLines(events, now).flatMap(({ at, kind, text }) => {
      const rest = `(deepwork history ${run.session_id})`;
      const shown = cutAtWord(printableLine(text), MAX_LINES * room - 20, rest);
      return line(timeOfDay(at).slice(0, 5), shown, LINE_COLOURS[kind]);
    }),
  ];
}

/** Highlights what went wrong. */
const LINE_COLOURS: Partial<Readonly<Record<RecentKind, Colour>>> = {
  turned_down: 'yellow',
  reviews_skipped: 'yellow',
  gate_weakened: 'yellow',
  aborted: 'yellow',
  let_go: 'red',
  stopped: 'red',
};

/** Most nested runs have the goal of their parent, which is already shown there. */
function isGoalOfParent({ parent_session_id, goal }: Run, runs: Recent['runs']): boolean {
  return runs.some(({ run }) => run.session_id === parent_session_id && run.goal === goal);
}

function standingIn({ run, continued }: Pick<Block, 'run' | 'continued'>): string {
  if (continued) return 'continued';
  if (run.status === 'active') return standingOf(run);
  const word = ENDED_WORDS[run.status];
  const took = duration(run.started_at, run.ended_at ?? run.started_at);
  if (took.startsWith('less')) return word;
  return run.status === 'completed' ? `${word} in ${took}` : `${word} after ${took}`;
}

function colourOf({ run, continued }: Pick<Block, 'run' | 'continued'>): Colour {
  if (continued) return 'dim';
  if (run.status === 'active')
    return isStopped(run) ? 'red' : STATE_COLOURS[run.state ?? 'working'];
  return run.status === 'completed' ? 'green' : 'yellow';
}

/** Open runs in which nothing happened are easily forgotten. */
function unmovedLines({ unmoved, until, at }: Recent, screen: Screen): string[] {
  if (until !== null || unmoved.length === 0) return [];
  const shown = unmoved.slice(0, MAX_UNMOVED);
  const left = unmoved.length - shown.length;
  const ages = shown.map(({ last_activity_at }) => ago(last_activity_at, at));
  const standings = shown.map((run) => standingIn({ run, continued: false }));
  const widths = [columnWidth(standings, MAX_STANDING), columnWidth(ages, MAX_STANDING)] as const;
  const room = screen.width - INDENT - ID_WIDTH - widths[0] - widths[1] - 6;
  return [
    screen.paint('bold', 'Open, but nothing happened'),
    ...shown.flatMap((run, index) => {
      const block = { run, continued: false };
      return row(
        [
          cell(run.session_id, ID_WIDTH),
          { ...cell(standingIn(block), widths[0]), style: paint(screen, colourOf(block)) },
          cell(ages[index] ?? '', widths[1]),
          cell(printableLine(`${run.workflow}, ${placeText(run)}`), room),
        ],
        INDENT,
      );
    }),
    ...(left > 0 ? [`  And ${left} more: deepwork status`] : []),
  ];
}

/** What belongs to no run: questions, messages between agents, and reports of progress. */
function otherLines({ asked, team, at: now }: Recent, screen: Screen): string[] {
  const room = screen.width - INDENT;
  const lines = [
    ...asked.map(({ at, text }) => `${momentInWords(at, now)}: ${text}`),
    ...(team === null ? [] : teamWords(team, now)),
  ].flatMap((text) => row([cell(cutTo(printableLine(text), MAX_LINES * room), room)], INDENT));
  return lines.length === 0 ? [] : [screen.paint('bold', 'Outside of runs'), ...lines];
}

function teamWords({ messages, reports }: NonNullable<Recent['team']>, now: string): string[] {
  const last = reports.at(-1);
  return [
    ...(messages === 0 ? [] : [`${counted(messages, 'message')} between agents`]),
    ...(last === undefined
      ? []
      : [
          `${counted(reports.length, 'report')} of progress, the last by ${last.agent}, ${momentInWords(last.at, now)}: ${last.text}`,
        ]),
  ];
}

/** Where to look next. */
function hints(recent: Recent, left: number): string[] {
  const { runs, unmoved, before, at, until, counts, questions, damaged } = recent;
  const [newest] = runs;
  const open = runs.map(({ run }) => run);
  const needs = needsPerson({ questions, runs: [...open, ...unmoved] });
  return [
    ...(left > 0 ? [`${left} more are left out: choose a later --since, or use --json.`] : []),
    ...(damaged.length > 0
      ? [`${counted(damaged.length, 'journal')} cannot be read: deepwork status says why.`]
      : []),
    ...(newest === undefined && before !== null
      ? [
          `The last activity was ${momentInWords(before, at)}: deepwork history --since ${dayOf(before)}`,
        ]
      : []),
    ...(questions.length > 0 && until === null ? ['To answer: deepwork answer'] : []),
    ...(until === null && counts.active > 0
      ? [`What ${needs ? 'needs you' : 'runs'} now: deepwork status`]
      : []),
    ...(newest === undefined ? [] : [`One run in full: deepwork history ${newest.run.session_id}`]),
  ];
}
