// What happened lately over all runs: for a person who was away. Only what was open or ended in the
// chosen time is read, and of that only what matters is kept.

import { nextSlice, sliceIsOver } from '../async/slices.ts';
import { compareTexts } from '../core/compare-texts.ts';
import type { SessionEvent } from '../core/session/events.ts';
import type { Note, Team } from '../core/team/state.ts';
import type { Clock } from '../environment/clock.ts';
import type { Paths } from '../environment/paths.ts';
import { TEAM_STREAM } from '../team/store.ts';
import type { AgentNames } from './agent-names.ts';
import { type FoldedRun, foldRun } from './fold-run.ts';
import type { RunsSince } from './list-runs.ts';
import { orderRuns } from './order-runs.ts';
import type { RunReader } from './read-runs.ts';
import type { UnattendedReader } from './read-unattended.ts';
import { type RecentEvent, recentEventsOf, recentOfQuestion } from './recent-events.ts';
import { recentOfUnattended } from './recent-unattended.ts';
import type { DamagedRun, OpenQuestion, Run } from './run.ts';
import { questionsOf } from './run-questions.ts';

/** From `since` on, and before `until`; null: until now. */
export interface Period {
  readonly since: string;
  readonly until: string | null;
}

export interface RecentRun {
  /** As it stands now. */
  readonly run: Run;
  /** In the chosen time, oldest first; never empty. */
  readonly events: readonly RecentEvent[];
}

/** `history --json` without an id. */
export interface Recent extends Period {
  readonly workspace: string;
  readonly at: string;
  readonly counts: RecentCounts;
  /** Where something happened last comes first. */
  readonly runs: readonly RecentRun[];
  /** Open runs in which nothing happened in the chosen time. */
  readonly unmoved: readonly Run[];
  /** Questions that were asked outside of any run, and their answers. */
  readonly asked: readonly RecentEvent[];
  /** What agents told each other; null: nothing. */
  readonly team: RecentTeam | null;
  /** Open now. */
  readonly questions: readonly OpenQuestion[];
  readonly damaged: readonly DamagedRun[];
  /** When something happened last before the chosen time; null: never, as far as is known. */
  readonly before: string | null;
  /** As in `Board`. */
  readonly warnings: readonly string[];
}

/** `active` and `questions`: by now. */
export interface RecentCounts {
  readonly started: number;
  readonly completed: number;
  readonly aborted: number;
  readonly turned_down: number;
  readonly active: number;
  readonly questions: number;
}

export interface RecentTeam {
  readonly messages: number;
  /** The newest ones, oldest first. */
  readonly reports: readonly Note[];
}

interface RecentContext {
  readonly team: Team;
  readonly damage: string | null;
  readonly names: AgentNames;
  readonly questions: readonly OpenQuestion[];
}

/** What the board has already. */
interface RecentDeps<Context extends RecentContext> {
  readonly paths: Pick<Paths, 'root'>;
  readonly clock: Clock;
  readonly runs: Pick<RunReader, 'events'>;
  readonly unattended: Pick<UnattendedReader, 'events'>;
  readonly readSince: (since: string) => Promise<RunsSince>;
  readonly setAside: () => Promise<DamagedRun[]>;
  readonly warnings: () => Promise<readonly string[]>;
  readonly readContext: (active: readonly FoldedRun[]) => Promise<Context>;
  readonly describer: (context: Context) => Promise<(folded: FoldedRun) => Promise<Run>>;
  readonly teamRuns: (questions: readonly OpenQuestion[]) => Promise<Run[]>;
}

export function openRecent<Context extends RecentContext>(deps: RecentDeps<Context>) {
  const { runs, unattended } = deps;

  async function turnsIn(run: Run, period: Period, isTeam: boolean): Promise<RecentEvent[]> {
    if (run.unattended === undefined) return [];
    const turns = recentOfUnattended(await unattended.events(run.session_id), isTeam);
    return turns.filter(({ at }) => isIn(period, at));
  }

  return async (period: Period): Promise<Recent> => {
    const { active, ended, damaged, before } = await deps.readSince(period.since);
    const context = await deps.readContext(active);
    const { team, damage, names, questions } = context;
    const describe = await deps.describer(context);
    const found: RecentRun[] = [];
    const rest: Run[] = [];
    const add = (run: Run, events: readonly RecentEvent[]) => {
      if (events.length === 0) rest.push(run);
      else found.push({ run, events: [...events].sort((a, b) => compareTexts(a.at, b.at)) });
    };
    for (const folded of [...active, ...ended]) {
      const { id, lastActivityAt } = folded.session;
      const run = await describe(folded);
      // Most open runs of an old project have not moved for long.
      const events = lastActivityAt < period.since ? [] : await runs.events(id);
      const own = await recentIn(events, names, period);
      add(run, [
        // An unattended run says more of its start.
        ...(run.unattended === undefined ? own : own.filter(({ kind }) => kind !== 'started')),
        ...questionsIn(team, id, names, period),
        ...(await turnsIn(run, period, false)),
      ]);
    }
    for (const run of await deps.teamRuns(questions)) add(run, await turnsIn(run, period, true));
    const unmoved = rest.filter(
      ({ status, started_at }) =>
        status === 'active' && (period.until === null || started_at < period.until),
    );
    const all = [...found.map(({ run }) => run), ...rest];
    const teamDamage: DamagedRun[] =
      damage === null ? [] : [{ session_id: TEAM_STREAM, why: damage, set_aside: null }];
    return {
      workspace: deps.paths.root,
      at: deps.clock(),
      ...period,
      counts: {
        ...countsOf(found),
        active: all.filter(({ status }) => status === 'active').length,
        questions: questions.length,
      },
      runs: found.sort((a, b) => compareTexts(lastOf(b), lastOf(a))),
      unmoved: orderRuns(unmoved),
      asked: questionsIn(team, null, names, period),
      team: teamIn(team, period),
      questions,
      damaged: [...damaged, ...teamDamage, ...(await deps.setAside())],
      before: latest([before, ...rest.map((run) => run.ended_at ?? run.last_activity_at)], period),
      warnings: await deps.warnings(),
    };
  };
}

function isIn({ since, until }: Period, at: string): boolean {
  return at >= since && (until === null || at < until);
}

/** In slices: a run may have thousands of events, and others wait for the same process. */
async function recentIn(
  events: readonly SessionEvent[],
  names: AgentNames,
  period: Period,
): Promise<RecentEvent[]> {
  const found: RecentEvent[] = [];
  let folded: FoldedRun | null = null;
  for (const event of events) {
    if (sliceIsOver()) await nextSlice();
    const after: FoldedRun = foldRun(folded, event);
    if (isIn(period, event.at)) {
      found.push(...recentEventsOf(folded?.session ?? null, event, after.session, names));
    }
    folded = after;
  }
  return found;
}

/** `run`: null for those that were asked outside of any run. */
function questionsIn(
  team: Team,
  run: string | null,
  names: AgentNames,
  period: Period,
): RecentEvent[] {
  const all = questionsOf(team, run, names).flatMap(recentOfQuestion);
  return all.filter(({ at }) => isIn(period, at)).sort((a, b) => compareTexts(a.at, b.at));
}

function teamIn({ messages, notes }: Team, period: Period): RecentTeam | null {
  const reports = notes.filter(({ at }) => isIn(period, at));
  const sent = messages.filter(({ createdAt }) => isIn(period, createdAt)).length;
  return sent + reports.length === 0 ? null : { messages: sent, reports };
}

function countsOf(runs: readonly RecentRun[]): Omit<RecentCounts, 'active' | 'questions'> {
  const kinds = runs.flatMap(({ events }) => events.map(({ kind }) => kind));
  const count = (wanted: RecentEvent['kind']) => kinds.filter((kind) => kind === wanted).length;
  return {
    started: count('started'),
    completed: count('completed'),
    aborted: count('aborted'),
    turned_down: count('turned_down'),
  };
}

function lastOf({ events }: RecentRun): string {
  return events.at(-1)?.at ?? '';
}

function latest(times: readonly (string | null)[], { since }: Period): string | null {
  const found = times.filter((at) => at !== null && at < since);
  return found.sort().at(-1) ?? null;
}
