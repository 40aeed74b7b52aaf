// The status with one line for each question and run, for a small screen: everything in brief is
// better than half of it in full.

import { depthIn, endedInTrees } from '../../board/order-runs.ts';
import type { Board, Run } from '../../board/run.ts';
import { standingOf } from '../../board/run-words.ts';
import { printableLine } from '../terminal/printable.ts';
import { columnWidth, cutTo } from './columns.ts';
import type { Colour, Screen } from './screen.ts';
import { boardCounts, byNeed, endText, MAX_GOAL, placeText, STATE_COLOURS } from './status-text.ts';
import { ago } from './times.ts';
import { warningLines } from './warnings.ts';

const ID_WIDTH = 8;
const MAX_STANDING = 22;

export function shortStatus(board: Board, screen: Screen): string {
  const { runs, questions, at, damaged } = board;
  const active = runs.filter(({ status }) => status === 'active');
  const ended = endedInTrees(runs.filter(({ status }) => status !== 'active'));
  const standings = [...active.map(standingOf), ...ended.map((run) => endText(run, at))];
  const width = columnWidth(standings, MAX_STANDING);
  const line = (id: string, standing: string, colour: Colour, text: string, indent = 0) => {
    const lead = `${'  '.repeat(indent)}${id}`.padEnd(ID_WIDTH);
    const room = Math.max(1, screen.width - lead.length - width - 4);
    const shown = cutTo(standing, width).padEnd(width);
    return `${lead}  ${screen.paint(colour, shown)}  ${cutTo(printableLine(text), room)}`;
  };
  const activeLine = (run: Run) =>
    line(
      run.session_id,
      standingOf(run),
      STATE_COLOURS[run.state ?? 'working'],
      `${run.workflow}, ${placeText(run)}: ${run.goal.slice(0, MAX_GOAL)}`,
      Math.min(depthIn(active, run), 3),
    );
  const [needing, moving] = byNeed(active);
  const title = cutTo(`${printableLine(board.workspace)}: ${boardCounts(board)}`, screen.width);
  return `${[
    screen.paint('bold', title),
    ...warningLines(board.warnings, screen),
    ...questions.map(({ id, asked_at, text }) => {
      const [first = ''] = text.trim().split('\n');
      return line(id, `asked ${ago(asked_at, at)}`, 'yellow', first);
    }),
    ...[...needing, ...moving].map(activeLine),
    ...damaged.map(({ session_id, why }) => line(session_id, 'damaged', 'red', why)),
    ...ended.map((run) => {
      const colour = run.status === 'completed' ? 'green' : 'yellow';
      return line(
        run.session_id,
        endText(run, at),
        colour,
        `${run.workflow}: ${run.goal.slice(0, MAX_GOAL)}`,
        Math.min(depthIn(ended, run), 3),
      );
    }),
  ].join('\n')}\n`;
}
