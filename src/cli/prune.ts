// deepwork prune: moves runs that ended long ago into an archive. Agents are refused: an agent
// must not remove the record of its own work.

import { ENDED_WORDS } from '../board/run-words.ts';
import { loadBundle } from '../bundles/load-bundle.ts';
import { toJsonText } from '../core/json-text.ts';
import { TEAM_WORKFLOW } from '../core/run/streams.ts';
import { counted } from '../core/wording.ts';
import type { Pruned } from '../sessions/prune.ts';
import { columnWidth } from './board/columns.ts';
import { dayOf } from './board/times.ts';
import { millisecondsIn } from './board/written-times.ts';
import { readOptions, UsageError } from './command-line.ts';
import { PRUNE_HELP } from './help.ts';
import type { Io } from './io.ts';
import { requireProject } from './project.ts';
import { AGENTS_CANNOT, refusesAgent } from './terminal/only-people.ts';
import { printableLine } from './terminal/printable.ts';

export async function prune(argv: readonly string[], io: Io): Promise<number> {
  const values = readOptions(io, 'prune', argv, PRUNE_HELP);
  if (values === null) return 0;
  const dryRun = values['dry-run'];
  if (!dryRun && refusesAgent(io, 'prune sessions')) return AGENTS_CANNOT;
  const now = Date.parse(io.clock());
  const age = millisecondsIn(values['older-than']);
  if (age === null) {
    throw new UsageError(
      `--older-than ${values['older-than']}: use a number and m, h, d or w, such as 30d`,
    );
  }
  const before = new Date(now - age).toISOString();
  const projectRoot = requireProject(io, values.path);
  const board = loadBundle('board');
  const database = await board.openDatabaseOfProject(projectRoot, io.env, dryRun);
  const request = { projectRoot, database, before, now: new Date(now).toISOString(), dryRun };
  const key = board.knownJournalKey(board.keyFile(io.env));
  // Without a key no file here was written by this user.
  const done =
    key === null && database === null
      ? nothingPruned(dryRun)
      : await board
          .pruneSessions({ ...request, key: key ?? Buffer.alloc(0) })
          .finally(() => database?.close());
  io.stdout.write(values.json ? `${toJsonText(done, 2)}\n` : inWords(done));
  return 0;
}

function nothingPruned(dry_run: boolean): Pruned {
  const nothing = { archives: [], sessions: [], team_runs: [], kept: [], unreadable: [] };
  return { dry_run, ...nothing, untouched: 0 };
}

const MAX_WORKFLOW = 40;

function inWords({ dry_run, archives, kept, untouched, unreadable, ...pruned }: Pruned): string {
  const { sessions, team_runs } = pruned;
  const going = [
    ...sessions,
    ...team_runs.map((run) => ({ ...run, session_id: run.run_id, workflow: TEAM_WORKFLOW })),
  ];
  const branches = new Set(sessions.flatMap(({ branch_removed }) => branch_removed ?? []));
  const width = columnWidth(
    [...going, ...kept].map(({ workflow }) => printableLine(workflow)),
    MAX_WORKFLOW,
  );
  const line = (id: string, workflow: string, rest: string) =>
    `${id}  ${printableLine(workflow).padEnd(width)}  ${rest}`;
  const lines = [
    ...going.map(({ session_id, workflow, status, ended_at }) => {
      const end = status === 'active' ? status : ENDED_WORDS[status];
      return line(session_id, workflow, `${end} ${ended_at === null ? '' : dayOf(ended_at)}`);
    }),
    ...kept.map(({ session_id, workflow, reason }) =>
      line(session_id, workflow, `kept: ${reason}`),
    ),
    ...unreadable.map((stream) => `${stream}  cannot be read, and is kept: see deepwork verify`),
  ];
  const moved = counted(going.length, 'run');
  const removed =
    branches.size === 0
      ? ''
      : `, ${counted(branches.size, 'empty branch', 'empty branches')} removed`;
  const to = archives.length === 0 ? '' : ` to ${archives.join(', ')}`;
  const rest = `${counted(untouched, 'run')} active or ended too recently`;
  const total = dry_run
    ? `Would move ${moved}${removed.replace('removed', 'would be removed')}; ${rest}.`
    : going.length === 0
      ? `Nothing to prune; ${rest}.`
      : `Moved ${moved}${to}${removed}; ${rest}.`;
  return `${[...lines.map(printableLine), ...(lines.length > 0 ? [''] : []), total].join('\n')}\n`;
}
