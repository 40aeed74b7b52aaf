// The history of a run as text: who did what when, oldest first. Times are local; the day has a
// line of its own, unless everything happened today.

import type { Run, ShownEvent } from '../../board/run.ts';
import { standingOf } from '../../board/run-words.ts';
import type { TimelineItem } from '../../board/timeline.ts';
import { printableLine } from '../terminal/printable.ts';
import { type Cell, columnWidth, cutTo, row, wrapWords } from './columns.ts';
import type { Screen } from './screen.ts';
import { agentName, MAX_GOAL, placeText } from './status-text.ts';
import { ago, dayOf, duration, timeOfDay, withLocalTimes } from './times.ts';

const MAX_BY = 16;
const MAX_SEQ = 6;
const TIME_WIDTH = 8;

export function runHeader(run: Run, now: string, screen: Screen): string {
  const agent = agentName(run);
  const title = printableLine(
    `${run.session_id}  ${run.workflow}, ${placeText(run)}: ${standingOf(run)}`,
  );
  const counts = [
    `started ${ago(run.started_at, now)}`,
    ...(agent === null ? [] : [`by ${agent}`]),
    ...(run.at_terminal ? ['from a terminal'] : []),
    ...(run.parent_session_id === null ? [] : [`nested in ${run.parent_session_id}`]),
    ...(run.questions.length === 0 ? [] : [waitingFor(run.questions)]),
  ].join(', ');
  return [
    ...wrapWords(title, screen.width).map((line) => screen.paint('bold', line)),
    ...wrapWords(
      cutTo(printableLine(run.goal.slice(0, MAX_GOAL)), 10 * screen.width),
      screen.width,
    ),
    ...wrapWords(counts, screen.width),
  ].join('\n');
}

function waitingFor(questions: readonly string[]): string {
  const one = questions.length === 1 ? ` ${questions[0]}` : '';
  return `waits for ${questions.join(', ')}: deepwork answer${one}`;
}

/** How long it took, or null while it is active. */
export function runFooter(run: Run): string | null {
  if (run.ended_at === null) return null;
  const took = duration(run.started_at, run.ended_at);
  return run.status === 'completed' ? `Done in ${took}.` : `Aborted after ${took}.`;
}

interface EventLinesOptions {
  /** Of the run. */
  readonly agent: string | null;
  /** The one that was printed last, or today. */
  readonly day: string;
  readonly now: string;
}

export function eventLines(
  items: readonly TimelineItem[],
  screen: Screen,
  { agent, day, now }: EventLinesOptions,
): string {
  const bys = items.map(({ event }) =>
    cutTo(printableLine(event === null ? '' : actorToName(event, agent)), MAX_BY),
  );
  const byWidth = columnWidth(bys, MAX_BY);
  const seqWidth = columnWidth(
    items.map(({ event }) => String(event?.seq ?? '')),
    MAX_SEQ,
  );
  const room = screen.width - seqWidth - TIME_WIDTH - byWidth - (byWidth === 0 ? 4 : 6);
  const dim = (text: string) => screen.paint('dim', text);
  const lead = (seq: string, when: string, by: string): Cell[] => [
    { text: seq, width: seqWidth, style: dim },
    { text: when, width: TIME_WIDTH, style: dim },
    ...(byWidth === 0 ? [] : [{ text: by, width: byWidth }]),
  ];
  let printedDay = day;
  return items
    .flatMap(({ event, turn, at, text }, index) => {
      // What is recorded of a turn may say until when its agent is out of quota.
      const words = turn === undefined ? text : withLocalTimes(text, now);
      const [first = '', ...rest] = words.split('\n').map(printableLine);
      // The header has the goal.
      const details = rest.filter(
        (line) => event?.type !== 'started' || !line.startsWith('Goal: '),
      );
      const head = lead(String(event?.seq ?? ''), timeOfDay(at), bys[index] ?? '');
      const isNewDay = dayOf(at) !== printedDay;
      printedDay = dayOf(at);
      return [
        ...(isNewDay ? [dim(printedDay)] : []),
        ...row([...head, { text: first, width: room }]),
        // An empty cell indents the details by the gap between two cells.
        ...details.flatMap((line) =>
          row([...lead('', '', ''), { text: '', width: 0 }, { text: line, width: room - 2 }]),
        ),
      ];
    })
    .join('\n');
}

/** Empty for the run's own agent, whom the header names, and for a person whom the text names. */
function actorToName({ by, data }: ShownEvent, agent: string | null): string {
  return by === null || by === agent || by === data.person ? '' : by;
}
