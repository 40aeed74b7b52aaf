// Which run a person means with `deepwork run --resume`: by its id, the newest one, or the newest that is
// unfinished.

import { Refused, refuse, refusedWith } from '../core/refusal.ts';
import { isOver, type RunRecord } from '../core/run/record.ts';
import { isRunId, TEAM_RUNS, WORKFLOW_RUNS } from '../core/run/streams.ts';
import { workLeftInFiles } from '../engine/store-warnings.ts';
import type { RunStore } from '../engine/unattended/run-store.ts';
import type { Workspace } from '../engine/workspace.ts';
import { COPY_TO_DATABASE } from '../journal/left-in-files.ts';
import { keptPlace } from '../journal/stream-name.ts';
import { howEnded } from './how-ended.ts';
import type { RunReport } from './report.ts';

/** The newest run, ended or not. */
const LAST = 'last';

export async function findUnfinished(
  main: Workspace,
  runs: RunStore,
  wanted: string | null,
  report: RunReport,
): Promise<RunRecord> {
  const all = (await runs.all()).toSorted((a, b) => (a.lastAt < b.lastAt ? 1 : -1));
  const isMeant = ({ id }: RunRecord) =>
    wanted === null || (wanted === LAST ? id === all[0]?.id : id.startsWith(wanted));
  const named = all.filter(isMeant);
  const [ended] = named;
  const record =
    (await firstOf(named, (each) => isUnfinished(main, each))) ??
    // A runner that was killed after the last accepted step has not recorded the end.
    named.find(({ stop }) => stop === null);
  if (record !== undefined) {
    if (wanted === null && ended !== undefined && ended !== record) report.resuming(record, ended);
    return record;
  }
  if (wanted !== null && ended === undefined) await refuseIfSetAside(main, wanted);
  const what =
    wanted === null
      ? 'There is no unfinished run here'
      : ended === undefined
        ? `There is no run '${wanted}' that was started by deepwork run`
        : `Run ${ended.id} has ended: ${await howEnded(main, ended)}`;
  const isKnown = wanted !== null && ended !== undefined;
  const left = isKnown ? null : await workLeftInFiles(main);
  throw new Refused(
    left === null
      ? refuse('nothing_to_resume', what, 'run `deepwork status --all` to see every run.')
      : refuse('nothing_to_resume', `${what}. ${left}.`, `run \`${COPY_TO_DATABASE}\`, then this.`),
  );
}

/** Reading the record of a run moves it aside if it cannot be trusted, so the run is not known. */
async function refuseIfSetAside(main: Workspace, wanted: string): Promise<void> {
  for (const folder of [WORKFLOW_RUNS, TEAM_RUNS]) {
    for (const { stream, why, kept } of await main.journal.setAside(folder)) {
      const id = stream.slice(folder.length);
      if (!isRunId(id) || !id.startsWith(wanted)) continue;
      const place = keptPlace(kept);
      if (why === 'foreign') {
        throw refusedWith(
          'run_foreign',
          `Run ${id} cannot be resumed: this user did not write the record of its turns here. The record is kept as ${place}`,
          'if it is your own, run `deepwork repair --journal`, then this.',
        );
      }
      throw refusedWith(
        'run_damaged',
        `Run ${id} cannot be resumed: the record of its turns is damaged. The record is kept as ${place}`,
        folder === TEAM_RUNS ? TEAM_GOES_ON : await howItsWorkGoesOn(main, id),
      );
    }
  }
}

const TEAM_GOES_ON =
  'start a new run: `deepwork run --team`. It continues the work of the team, whose state has a journal of its own.';

/** The session has a journal of its own, so the work can go on without the record of the turns. */
async function howItsWorkGoesOn(main: Workspace, id: string): Promise<string> {
  return (await isSessionOver(main, id))
    ? `its workflow is over: run \`deepwork history ${id}\` to see what was done.`
    : `continue the work with an agent in your client, or end it: deepwork abort ${id} --reason "…"`;
}

async function firstOf(
  records: readonly RunRecord[],
  isMeant: (record: RunRecord) => Promise<boolean>,
): Promise<RunRecord | undefined> {
  for (const record of records) if (await isMeant(record)) return record;
  return undefined;
}

async function isUnfinished(main: Workspace, { kind, id, stop }: RunRecord): Promise<boolean> {
  if (kind === 'team') return !isOver(stop);
  return !(await isSessionOver(main, id));
}

/** A session that cannot be read can no longer be worked on either. */
export async function isSessionOver({ store }: Workspace, id: string): Promise<boolean> {
  const session = await store.load(id).catch(() => null);
  return session?.status !== 'active';
}
