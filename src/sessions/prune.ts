// deepwork prune: moves sessions that ended long ago out of the journal into an archive, with all
// their lines, and removes their branches if these have no commits of their own. The stream of an
// unattended run is moved with its session; that of a team's run has none, and is moved by itself.
//
// The order makes it safe to be killed at any point: the archive is complete, on the disk and
// verified before anything is removed, and a session's stream is removed last. So after a crash the
// next run either finds the stream and continues, or has nothing left to do. A session that is
// already in an archive is not archived again.

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { RunEvent } from '../core/run/events.ts';
import { evolveRun, type RunRecord } from '../core/run/record.ts';
import { WORKFLOW_RUNS } from '../core/run/streams.ts';
import type { SessionEvent } from '../core/session/events.ts';
import { evolve } from '../core/session/evolve.ts';
import { nameForPeople, type Session } from '../core/session/state.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import { openContainment } from '../environment/containment.ts';
import { type BranchFound, inspectBranch, removeEmptyBranch } from '../environment/git/branch.ts';
import { type Paths, pathsOf } from '../environment/paths.ts';
import { systemProcesses } from '../environment/process/process-identity.ts';
import { ignoreInGit } from '../files/git-ignored.ts';
import {
  type ArchivedStream,
  listArchives,
  verifyArchive,
  writeArchive,
} from '../journal/archive.ts';
import { checkedLayer } from '../journal/checked-layer.ts';
import { type FileLayer, realFileLayer } from '../journal/file-layer.ts';
import type { PostgresStore } from '../journal/postgres/store.ts';
import { forgetEnded } from './ended-index.ts';
import { type Candidate, endedBefore, groupsOf } from './prunable.ts';
import {
  foldStream,
  type PruneSource,
  type ReadStream,
  sourceInDatabase,
  sourceInFiles,
} from './prune-source.ts';
import { readTeamRuns, type TeamRun } from './team-runs.ts';
import { openViews, removeViews } from './views.ts';

export interface PruneRequest {
  readonly projectRoot: string;
  /** The key of the journal in files; a database has its own. */
  readonly key: Buffer;
  readonly database?: PostgresStore | null;
  /** Runs that ended before this time, ISO 8601. */
  readonly before: string;
  readonly now: string;
  readonly dryRun: boolean;
  readonly layer?: FileLayer;
}

export interface PrunedSession {
  readonly session_id: string;
  readonly workflow: string;
  readonly status: Session['status'];
  readonly ended_at: string | null;
  /** The branch that is removed with it, if any. */
  readonly branch_removed: string | null;
}

export interface PrunedTeamRun {
  readonly run_id: string;
  readonly goal: string;
  readonly status: TeamRun['status'];
  readonly ended_at: string | null;
}

export interface KeptSession {
  readonly session_id: string;
  readonly workflow: string;
  readonly reason: string;
}

export interface Pruned {
  readonly dry_run: boolean;
  /** Relative to the project; none in a dry run. */
  readonly archives: readonly string[];
  readonly sessions: readonly PrunedSession[];
  readonly team_runs: readonly PrunedTeamRun[];
  /** Old enough, but not pruned. */
  readonly kept: readonly KeptSession[];
  /** How many are active or too recent. */
  readonly untouched: number;
  /** Streams that cannot be read; `deepwork verify` says more. */
  readonly unreadable: readonly string[];
}

interface Found extends Candidate {
  readonly session: Session;
  /** The folder of its unattended run, if that had one which was not removed at its end. */
  readonly worktree: string | null;
  /** The process of its unattended run, if that has not recorded its end. */
  readonly runner: string | null;
  /** Then it is not known whether there is such a folder. */
  readonly isRunUnreadable: boolean;
  /** The stream of its unattended run, if any, then its own. */
  readonly streams: readonly ReadStream[];
}

/** Bounds the first line of an archive. */
const MAX_IN_ARCHIVE = 5000;

export async function pruneSessions(request: PruneRequest): Promise<Pruned> {
  const paths = pathsOf(request.projectRoot);
  const { require } = openContainment(paths.root, () => {});
  const layer = checkedLayer(request.layer ?? realFileLayer, require);
  const { key, database = null } = request;
  const source =
    database === null ? sourceInFiles(paths.journal, key, layer) : await sourceInDatabase(database);
  const { found, unreadable } = await readSessions(source);
  const team = await readTeamRuns(source);
  const teamRunsToPrune = team.found.filter((each) => endedBefore([each], request.before));
  const groups = groupsOf(found);
  const old = groups.filter((group) => endedBefore(group, request.before));
  const branchOf = cached((name) => inspectBranch(paths.root, name));
  const kept: KeptSession[] = [];
  const toPrune: Found[] = [];
  for (const group of old) {
    const reason =
      keptForRunner(group) ??
      keptForWorktree(paths.root, group) ??
      (await keptForBranch(branchOf, group));
    if (reason === null) toPrune.push(...group);
    else kept.push(...group.map((each) => ({ ...nameOf(each), reason })));
  }
  const pruneSet = new Set(toPrune);
  const staying = found.filter((each) => !pruneSet.has(each));
  const branches = await removableBranches(branchOf, toPrune, staying);
  const shown = {
    dry_run: request.dryRun,
    sessions: toPrune.map((each) => describe(each, branches)),
    team_runs: teamRunsToPrune.map(({ id, goal, status, endedAt }) => ({
      run_id: id,
      goal,
      status,
      ended_at: endedAt,
    })),
    kept,
    untouched: staying.length - kept.length + team.found.length - teamRunsToPrune.length,
    unreadable: [...unreadable, ...team.unreadable],
  };
  const streams = [
    ...teamRunsToPrune.map(({ read }) => read),
    ...toPrune.flatMap((each) => each.streams),
  ];
  if (request.dryRun || streams.length === 0) return { ...shown, archives: [] };
  require(paths.archive);
  const archives = await archive(request.now, paths, source, streams, layer);
  await remove(paths, toPrune, branches);
  await source.remove(streams);
  return { ...shown, archives };
}

async function readSessions(
  source: PruneSource,
): Promise<{ readonly found: readonly Found[]; readonly unreadable: readonly string[] }> {
  const found: Found[] = [];
  const unreadable: string[] = [];
  const runs = new Set(await source.names(WORKFLOW_RUNS));
  for (const stream of await source.names(SESSION_STREAMS)) {
    const own = await foldStream<Session, SessionEvent>(source, stream, evolve);
    if (own === null) unreadable.push(stream);
    else {
      const { id, parentId, endedAt } = own.state;
      const run = await foldStream<RunRecord, RunEvent>(source, WORKFLOW_RUNS + id, evolveRun);
      const isRunUnreadable = run === null && runs.has(WORKFLOW_RUNS + id);
      if (isRunUnreadable) unreadable.push(WORKFLOW_RUNS + id);
      const streams = run === null ? [own.read] : [run.read, own.read];
      const worktree = run?.state.worktree?.path ?? null;
      const runner = run?.state.stop === null ? run.state.process : null;
      const session = own.state;
      found.push({ id, parentId, endedAt, session, streams, worktree, runner, isRunUnreadable });
    }
  }
  return { found, unreadable };
}

type BranchOf = (name: string) => Promise<BranchFound>;

/** Several sessions may share a branch. */
function cached(inspect: BranchOf): BranchOf {
  const known = new Map<string, Promise<BranchFound>>();
  return (name) => {
    const found = known.get(name) ?? inspect(name);
    known.set(name, found);
    return found;
  };
}

/** A runner that is still alive has to record how the run ended. */
function keptForRunner(group: readonly Found[]): string | null {
  const isAlive = ({ runner }: Found) =>
    runner !== null && systemProcesses.livenessOf(runner) === 'alive';
  return group.some(isAlive) ? 'its unattended run is still ending' : null;
}

/** With the run, `status` would lose track of the work that was left there. */
function keptForWorktree(root: string, group: readonly Found[]): string | null {
  if (group.some(({ isRunUnreadable }) => isRunUnreadable)) return 'its turns cannot be read';
  const left = group.find(({ worktree }) => worktree !== null && existsSync(worktree));
  return left?.worktree == null
    ? null
    : `its worktree ${path.relative(root, left.worktree)} is still there`;
}

/** Sessions whose commits exist only on their branch are kept. */
async function keptForBranch(branchOf: BranchOf, group: readonly Found[]): Promise<string | null> {
  for (const { session } of group) {
    const branch = await branchOf(session.branchName);
    if (branch.kind === 'own commits') {
      return `its branch ${session.branchName} has commits of its own`;
    }
    if (branch.kind === 'unknown') {
      return `its branch ${session.branchName} cannot be inspected: ${branch.why}`;
    }
  }
  return null;
}

/** Commits by branch name: branches created by a pruned session and not used by any other. */
async function removableBranches(
  branchOf: BranchOf,
  toPrune: readonly Found[],
  staying: readonly Found[],
): Promise<ReadonlyMap<string, string>> {
  const used = new Set(staying.map(({ session }) => session.branchName));
  const removable = new Map<string, string>();
  for (const { session } of toPrune) {
    const { branchName, branchFrom } = session;
    if (branchFrom === null || used.has(branchName) || removable.has(branchName)) continue;
    const branch = await branchOf(branchName);
    if (branch.kind === 'empty') removable.set(branchName, branch.at);
  }
  return removable;
}

function nameOf({ session }: Found): Omit<KeptSession, 'reason'> {
  return { session_id: session.id, workflow: nameForPeople(session) };
}

function describe(each: Found, branches: ReadonlyMap<string, string>): PrunedSession {
  const { status, branchName, branchFrom, endedAt } = each.session;
  const isMade = branchFrom !== null && branches.has(branchName);
  return {
    ...nameOf(each),
    status,
    ended_at: endedAt,
    branch_removed: isMade ? branchName : null,
  };
}

/** Afterwards, every stream is in a verified archive. Returns the archives written. */
async function archive(
  now: string,
  paths: Paths,
  { key, bytesOf }: PruneSource,
  toPrune: readonly ReadStream[],
  layer: FileLayer,
): Promise<string[]> {
  const has = await archivedBefore(paths.archive, key, layer);
  const open = toPrune.filter(({ stream, hash }) => has.get(stream) !== hash);
  ignoreInGit(paths.archive, ['*']);
  await layer.makeFolder(paths.archive);
  const names: string[] = [];
  for (let start = 0; start < open.length; start += MAX_IN_ARCHIVE) {
    const streams = open
      .slice(start, start + MAX_IN_ARCHIVE)
      .map(({ identity: _identity, ...archived }): ArchivedStream => archived);
    const { archive: folder } = paths;
    const name = await writeArchive({ folder, at: now, streams, bytesOf, key, layer });
    const written = await verifyArchive(folder, name, key, layer);
    if (written?.damage !== null || written.streams.length !== streams.length) {
      throw new Error(`.deepwork/archive/${name} cannot be read back. Nothing was removed`);
    }
    names.push(path.relative(paths.root, path.join(folder, name)));
  }
  // The folder's own name has to be on the disk, too.
  await layer.syncFolder(paths.own);
  return names;
}

/** The hashes of streams in undamaged archives, by stream. */
async function archivedBefore(
  folder: string,
  key: Buffer,
  layer: FileLayer,
): Promise<ReadonlyMap<string, string>> {
  const has = new Map<string, string>();
  for (const name of await listArchives(folder, layer)) {
    const found = await verifyArchive(folder, name, key, layer);
    if (found?.damage !== null) continue;
    for (const { stream, hash } of found.streams) has.set(stream, hash);
  }
  return has;
}

/** Removes everything of these sessions except their streams, which are removed last. */
async function remove(
  { root, tmp }: Paths,
  toPrune: readonly Found[],
  branches: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [name, at] of branches) await removeEmptyBranch(root, name, at);
  const views = openViews(tmp, () => openContainment(root, () => {}).require(tmp));
  const ids = new Set(toPrune.map(({ id }) => id));
  views.check();
  removeViews(tmp, ids);
  for (const id of ids) views.marks.remove(id);
  await forgetEnded(tmp, views, ids);
}
