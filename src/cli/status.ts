// deepwork status: what the agents of a project are doing, and what needs a person. It only
// reads, so agents may run it, too.

import type { ProjectBoard } from '../board/board.ts';
import type { Board } from '../board/run.ts';
import { loadBundle } from '../bundles/load-bundle.ts';
import { toJsonText } from '../core/json-text.ts';
import { homeOf } from '../environment/home.ts';
import { launchedLog, openRegistry } from '../launch/registry.ts';
import { screenOf } from './board/screen.ts';
import { shortStatus } from './board/status-short.ts';
import { boardCounts, isEmpty, needsPerson, statusText } from './board/status-text.ts';
import { keepOnScreen } from './board/watch-screen.ts';
import { readOptions } from './command-line.ts';
import { STATUS_HELP } from './help.ts';
import type { Io } from './io.ts';
import { isProject, noProject, projectAt, projectOptions } from './project.ts';
import { printableLine } from './terminal/printable.ts';

export async function status(argv: readonly string[], io: Io): Promise<number> {
  const values = readOptions(io, 'status', argv, STATUS_HELP);
  if (values === null) return 0;
  const projectRoot = projectAt(io, values.path);
  const board = loadBundle('board').openProjectBoard(projectOptions(io, projectRoot));
  const all = values.all ?? false;
  if (!values.json && !isProject(io, projectRoot)) {
    return printNoProject(io, projectRoot, values.path);
  }
  if (values.watch) return watch(io, board, projectRoot, all, values.json ?? false);
  const found = await board.board({ all });
  if (values.json) io.stdout.write(`${toJsonText(found, 2)}\n`);
  else if (isEmpty(found)) io.stdout.write(await withoutRuns(io, found, projectRoot));
  else io.stdout.write(await withReminder(io, found, projectRoot, all));
  return 0;
}

/** What needs a person comes first, so on a small screen it has scrolled out of sight. */
async function withReminder(
  io: Io,
  board: Board,
  projectRoot: string,
  all: boolean,
): Promise<string> {
  const text = await inWords(io, board, projectRoot, all);
  if (!isTallerThanScreen(io, text) || !needsPerson(board)) return text;
  return `${text}\n${boardCounts(board)}. What needs you is at the top.\n`;
}

function isTallerThanScreen(io: Io, text: string): boolean {
  const { height } = screenOf(io);
  return height !== null && text.split('\n').length > height;
}

/** Not an error: there is just nothing to show. */
function printNoProject(io: Io, projectRoot: string, given: string | undefined): number {
  const { message, refusal } = noProject(projectRoot, given);
  io.stdout.write(`${printableLine(message)}.\nNext: ${refusal.next}\n`);
  return 0;
}

/** For `deepwork` alone: null if there is nothing to show. */
export async function statusHere(io: Io): Promise<string | null> {
  const projectRoot = projectAt(io, undefined);
  if (!isProject(io, projectRoot)) return null;
  const board = await loadBundle('board').openProjectBoard(projectOptions(io, projectRoot)).board();
  if (isEmpty(board) && board.warnings.length === 0)
    return `${await withoutRuns(io, board, projectRoot)}\n${EVERY_COMMAND}`;
  return `${await inWords(io, board, projectRoot, false)}\n${nextMoves(board)}`;
}

const EVERY_COMMAND = 'Every command: deepwork --help\n';
const MAX_WORKFLOWS = 5;

/** What can be started in a project that has no run yet. */
async function withoutRuns(io: Io, board: Board, projectRoot: string): Promise<string> {
  const { jobs } = await loadBundle('board')
    .openDefinitions({ projectRoot, env: io.env })
    .library.list();
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
  return `${await inWords(io, board, projectRoot, false)}${lines.map((line) => `${printableLine(line)}\n`).join('')}`;
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

async function inWords(io: Io, board: Board, projectRoot: string, all: boolean): Promise<string> {
  const archived = isEmpty(board) && (await loadBundle('board').archivesOf(projectRoot)).length > 0;
  return statusText(board, screenOf(io), all, archived) + logLine(io, projectRoot);
}

/** Where the server that `deepwork launch` started last has written its log, if it did. */
function logLine(io: Io, projectRoot: string): string {
  const file = launchedLog(openRegistry(projectRoot, homeOf(io.env)));
  return file !== null ? `\nThe log of the launched server: ${file}\n` : '';
}

async function watch(
  io: Io,
  board: ProjectBoard,
  projectRoot: string,
  all: boolean,
  isJson: boolean,
): Promise<number> {
  const draw = async () => {
    const found = await board.board({ all });
    if (isJson) return toJsonText(found);
    const text = await inWords(io, found, projectRoot, all);
    return isTallerThanScreen(io, text) ? shortStatus(found, screenOf(io)) : text;
  };
  // A new timestamp alone is not a change.
  const withoutTime = (text: string) => (isJson ? text.replace(/"at":"[^"]*"/, '') : text);
  return keepOnScreen({
    draw,
    isSame: (one, other) => withoutTime(one) === withoutTime(other),
    onChange: (changed) => board.watch(() => changed()),
    io,
    isLive: io.stdout.isTTY === true && !isJson,
    command: 'deepwork status',
  });
}
