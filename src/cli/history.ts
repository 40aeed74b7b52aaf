// deepwork history: one run as a timeline in words, or what happened recently in all runs. It only
// reads.

import type { ProjectBoard } from '../board/board.ts';
import type { Period, Recent } from '../board/recent.ts';
import type { Run } from '../board/run.ts';
import { type TimelineItem, timelineOf } from '../board/timeline.ts';
import { loadBundle } from '../bundles/load-bundle.ts';
import { toJsonText } from '../core/json-text.ts';
import { firstSignal } from '../environment/process/signals.ts';
import { eventLines, runFooter, runHeader } from './board/history-text.ts';
import { recentText } from './board/recent-text.ts';
import { screenOf } from './board/screen.ts';
import { dayOf } from './board/times.ts';
import { momentOf } from './board/written-times.ts';
import { readCommandLine, UsageError } from './command-line.ts';
import { HISTORY_HELP } from './help.ts';
import type { Io } from './io.ts';
import { projectOptions, requireProject } from './project.ts';

export async function history(argv: readonly string[], io: Io): Promise<number> {
  const line = readCommandLine(io, 'history', argv, HISTORY_HELP);
  if (line === null) return 0;
  const { values, positionals } = line;
  const [wanted, ...more] = positionals;
  if (more.length > 0) {
    throw new UsageError('history takes the id of one run, or none for all. Try: deepwork status');
  }
  const period = periodOf(io, wanted === undefined ? values : {});
  if (wanted !== undefined) refusePeriod(wanted, values);
  const projectRoot = requireProject(io, values.path);
  const board = loadBundle('board').openProjectBoard(projectOptions(io, projectRoot));
  if (wanted === undefined) return showRecent(io, await board.recent(period), values.json);
  if (values.follow) return follow(io, board, wanted, values.json ?? false);
  const { run, events, questions, turns } = await board.run(wanted);
  if (values.json) {
    io.stdout.write(`${toJsonText({ run, events, questions, turns }, 2)}\n`);
    return 0;
  }
  const screen = screenOf(io);
  const now = io.clock();
  const lines = eventLines(timelineOf(events, questions, turns), screen, {
    agent: run.agent,
    day: dayOf(now),
    now,
  });
  io.stdout.write(`${runHeader(run, now, screen)}\n\n${lines}\n${footer(run)}`);
  return 0;
}

interface PeriodOptions {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly follow?: boolean | undefined;
}

const DEFAULT_SINCE = '24h';

/** The period for the history of all runs. */
function periodOf(
  { clock }: Io,
  { since = DEFAULT_SINCE, until, follow: isFollowed }: PeriodOptions,
): Period {
  if (isFollowed) {
    throw new UsageError(
      '--follow needs the id of one run, or last. To keep all runs on the screen: deepwork status --watch',
    );
  }
  const now = new Date(clock());
  const period = {
    since: momentOf('--since', since, now),
    until: until === undefined ? null : momentOf('--until', until, now),
  };
  const at = now.toISOString();
  if (period.since > at) throw new UsageError(`--since ${since} is in the future`);
  if (period.until !== null && period.until <= period.since) {
    throw new UsageError(`--until ${until} is not later than --since ${since}`);
  }
  // An --until in the future means until now.
  return period.until !== null && period.until > at ? { ...period, until: null } : period;
}

/** One run is always shown from its start to its end. */
function refusePeriod(wanted: string, { since, until }: PeriodOptions): void {
  if (wanted === 'today' || wanted === 'yesterday') {
    throw new UsageError(`history takes the id of a run. Try: deepwork history --since ${wanted}`);
  }
  if (since === undefined && until === undefined) return;
  throw new UsageError('--since and --until are for all runs: leave out the id');
}

function showRecent(io: Io, recent: Recent, isJson = false): number {
  io.stdout.write(isJson ? `${toJsonText(recent, 2)}\n` : recentText(recent, screenOf(io)));
  return 0;
}

function footer(run: Run): string {
  const text = runFooter(run);
  return text === null ? '' : `\n${text}\n`;
}

/** Events and turns only: the questions of a run are complete only when it has ended. */
function jsonLines(items: readonly TimelineItem[]): string {
  const shown = items.map(({ event, turn }) => event ?? turn).filter((each) => each !== undefined);
  return shown.map((each) => toJsonText(each)).join('\n');
}

/** Prints each event as it comes, until the run has ended or the person ends it. */
async function follow(
  io: Io,
  board: ProjectBoard,
  wanted: string,
  isJson: boolean,
): Promise<number> {
  const screen = screenOf(io);
  let id = wanted;
  const printed = new Set<string>();
  let day = dayOf(io.clock());
  let run: Run | null = null;
  const print = async (): Promise<boolean> => {
    const found = await board.run(id);
    // Something that is read later may have happened before an event that is already printed.
    const fresh = timelineOf(found.events, found.questions, found.turns).filter(
      ({ key }) => !printed.has(key),
    );
    if (!isJson && run === null) {
      io.stdout.write(`${runHeader(found.run, io.clock(), screen)}\n\n`);
    }
    ({ run } = found);
    id = run.session_id;
    for (const { key } of fresh) printed.add(key);
    const options = { agent: run.agent, day, now: io.clock() };
    const text = isJson ? jsonLines(fresh) : eventLines(fresh, screen, options);
    if (text !== '') io.stdout.write(`${text}\n`);
    day = dayOf(fresh.at(-1)?.at ?? run.last_activity_at);
    if (!isJson) io.stdout.write(footer(run));
    // An unattended run is over only when its runner has stopped.
    return run.status === 'active' || (run.unattended?.stopped === null && run.unattended.turn > 0);
  };

  let wake = () => {};
  let isEnded = false;
  let changed = false;
  const stop = board.watch((stream) => {
    if (run !== null && !stream.endsWith(`/${id}`) && !stream.startsWith('team/')) return;
    changed = true;
    wake();
  });
  const keepAlive = setInterval(() => {}, 1000_000);
  void firstSignal(io.signals, 'SIGINT', 'SIGTERM', 'SIGHUP').then(() => {
    isEnded = true;
    wake();
  });
  try {
    while ((await print()) && !isEnded) {
      if (!changed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      changed = false;
    }
  } finally {
    stop();
    clearInterval(keepAlive);
  }
  if (isJson) io.stdout.write(`${toJsonText({ run })}\n`);
  return 0;
}
