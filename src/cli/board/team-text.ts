// The team in the status of a project, as text: what it is doing, who does what, what is open.

import type { TeamOverview } from '../../board/run.ts';
import { teamStatusInWords } from '../../board/run-words.ts';
import { counted } from '../../core/wording.ts';
import { printableLine } from '../terminal/printable.ts';
import { cell, row } from './columns.ts';
import type { Screen } from './screen.ts';

const INDENT = 2;
const MAX_TODOS = 5;
/** The number of an item at the end of a step's id. */
const ITEM = /#\d+$/;

export function teamLines(team: TeamOverview, screen: Screen): string[] {
  const line = (text: string) => row([cell(text, screen.width - INDENT)], INDENT);
  const task = team.task === '' ? '' : `: ${printableLine(team.task)}`;
  const open = team.todos.filter(({ status }) => status !== 'completed' && status !== 'cancelled');
  const last = team.progress.at(-1);
  const { total, unread } = team.messages;
  return [
    ...line(`${printableLine(teamStatusInWords(team.status))}${task}`),
    ...team.agents.flatMap(({ name, does }) =>
      line(
        `${printableLine(name)}: ${does === null ? 'nothing under way' : printableLine(does.replace(ITEM, ''))}`,
      ),
    ),
    ...(total === 0 ? [] : line(`${counted(total, 'message')}, ${unread} unread`)),
    ...(team.todos.length === 0
      ? []
      : line(`${counted(team.todos.length, 'todo')}, ${open.length} open`)),
    ...open
      .slice(0, MAX_TODOS)
      .flatMap(({ text, status }) =>
        line(`- ${printableLine(text)} (${printableLine(status.replaceAll('_', ' '))})`),
      ),
    ...(last === undefined
      ? []
      : line(`Last report, ${printableLine(last.agent)}: ${printableLine(last.text)}`)),
  ];
}
