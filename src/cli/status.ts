// deepwork status: what the agents of a project are doing, and what needs a person. It only
// reads, so agents may run it, too.

import type { ProjectBoard } from '../board/board.ts';
import type { Board } from '../board/run.ts';
import { loadBundle } from '../bundles/load-bundle.ts';
import { toJsonText } from '../core/json-text.ts';
import { launchedLog, openRegistry } from '../launch/registry.ts';
import { screenOf } from './board/screen.ts';
import { shortStatus } from './board/status-short.ts';
import { boardCounts, isEmpty, needsPerson, statusText } from './board/status-text.ts';
import { keepOnScreen } from './board/watch-screen.ts';
import { bundled, readOptions } from './command-line.ts';
import { STATUS_HELP } from './help.ts';
import { isProject, noProject, projectAt } from './project.ts';
import { printableLine } from './terminal/printable.ts';

export async function status(argv: readonly string[]): Promise<number> {
  const values = readOptions('status', argv, STATUS_HELP);
  if (values === null) return 0;
  const projectRoot = projectAt(values.path);
  const board = loadBundle('board').openProjectBoard({ projectRoot, ...bundled() });
  const all = values.all ?? false;
  if (!values.json && !isProject(projectRoot)) return printNoProject(projectRoot, values.path);
  if (values.watch) return watch(board, projectRoot, all, values.json ?? false);
  const found = await board.board({ all });
  if (values.json) process.stdout.write(`${toJsonText(found, 2)}\n`);
  else if (isEmpty(found)) process.stdout.write(await withoutRuns(found, projectRoot));
  else process.stdout.write(await withReminder(found, projectRoot, all));
  return 0;
}

/** What needs a person comes first, so on a small screen it has scrolled out of sight. */
async function withReminder(board: Board, projectRoot: string, all: boolean): Promise<string> {
  const text = await inWords(board, projectRoot, all);
  if (!isTallerThanScreen(text) || !needsPerson(board)) return text;
  return `${text}\n${boardCounts(board)}. What needs you is at the top.\n`;
}

function isTallerThanScreen(text: string): boolean {
  const { height } = screenOf(process.stdout);
  return height !== null && text.split('\n').length > height;
}

/** Not an error: there is just nothing to show. */
function printNoProject(projectRoot: string, given: string | undefined): number {
  const { message, refusal } = noProject(projectRoot, given);
  process.stdout.write(`${printableLine(message)}.\nNext: ${refusal.next}\n`);
  return 0;
}

/** For `deepwork` alone: null if there is nothing to show. */
export async function statusHere(): Promise<string | null> {
  const projectRoot = projectAt(undefined);
  if (!isProject(projectRoot)) return null;
  const board = await loadBundle('board')
    .openProjectBoard({ projectRoot, ...bundled() })
    .board();
  if (isEmpty(board) && board.warnings.length === 0)
    return `${await withoutRuns(board, projectRoot)}\n${EVERY_COMMAND}`;
  return `${await inWords(board, projectRoot, false)}\n${nextMoves(board)}`;
}

const EVERY_COMMAND = 'Every command: deepwork --help\n';
const MAX_WORKFLOWS = 5;

/** What can be started in a project that has no run yet. */
async function withoutRuns(board: Board, projectRoot: string): Promise<string> {
  const { jobs } = await loadBundle('board').openDefinitions({ projectRoot }).library.list();
  const [first] = jobs;
  const said =
    first === undefined
      ? "Use deepwork's new_job workflow to write a job for …"
      : `Run the ${first.name} job with deepwork: …`;
  const calls = jobs.flatMap((job) =>
    job.workflows.map(
      ({ name }) =>
        `  deepwork call start_workflow --job_name ${job.name} --workflow_name ${name} --goal "…"`,
    ),
  );
  const lines = [
    `Say to your agent: "${said}"`,
    ...(calls.length === 0 ? [] : ['Or play the agent yourself, to see what it sees:']),
    ...calls.slice(0, MAX_WORKFLOWS),
    ...(calls.length > MAX_WORKFLOWS ? ['More: deepwork call get_workflows'] : []),
  ];
  return `${await inWords(board, projectRoot, false)}${lines.map((line) => `${printableLine(line)}\n`).join('')}`;
}

function nextMoves({ questions, runs }: Board): string {
  const newest = runs[0]?.session_id;
  const moves = [
    ...(questions.length > 0 ? [['deepwork answer', 'answer what agents ask']] : []),
    ...(newest === undefined ? [] : [[`deepwork history ${newest}`, 'what happened in that run']]),
    ['deepwork history', 'what happened in the last 24 hours'],
    ['deepwork status --watch', 'keep this on the screen'],
    ['deepwork --help', 'every command'],
  ];
  return `${moves.map(([command = '', what]) => `  ${command.padEnd(27)}${what}`).join('\n')}\n`;
}

async function inWords(board: Board, projectRoot: string, all: boolean): Promise<string> {
  const archived = isEmpty(board) && (await loadBundle('board').archivesOf(projectRoot)).length > 0;
  return statusText(board, screenOf(process.stdout), all, archived) + logLine(projectRoot);
}

/** Where the server that `deepwork launch` started last has written its log, if it did. */
function logLine(projectRoot: string): string {
  const file = launchedLog(openRegistry(projectRoot));
  return file !== null ? `\nThe log of the launched server: ${file}\n` : '';
}

async function watch(
  board: ProjectBoard,
  projectRoot: string,
  all: boolean,
  isJson: boolean,
): Promise<number> {
  const draw = async () => {
    const found = await board.board({ all });
    if (isJson) return toJsonText(found);
    const text = await inWords(found, projectRoot, all);
    return isTallerThanScreen(text) ? shortStatus(found, screenOf(process.stdout)) : text;
  };
  // A new timestamp alone is not a change.
  const withoutTime = (text: string) => (isJson ? text.replace(/"at":"[^"]*"/, '') : text);
  return keepOnScreen({
    draw,
    isSame: (one, other) => withoutTime(one) === withoutTime(other),
    onChange: (changed) => board.watch(() => changed()),
    isLive: process.stdout.isTTY === true && !isJson,
    command: 'deepwork status',
  });
}
