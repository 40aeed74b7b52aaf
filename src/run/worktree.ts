// A folder of its own for a run: a git work tree under `.deepwork/worktrees/<id>`, on the branch
// of the run. The journal and the views stay in the main checkout. Untracked files that the work
// needs (`.worktreeinclude`) are copied, and the project's `worktree.setup` command runs once, if a
// person has trusted it. Removing the folder removes the branch, too, if it has no commits of its own.

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Refused, refusedWith } from '../core/refusal.ts';
import type { Worktree } from '../core/run/events.ts';
import { isRunId, WORKFLOW_RUNS } from '../core/run/streams.ts';
import { requireTrustInFilters, requireTrustInSetup } from '../engine/trust/command-trust.ts';
import type { Workspace } from '../engine/workspace.ts';
import { runWithoutFilters } from '../environment/git/filters.ts';
import { runGit } from '../environment/git/git.ts';
import { findRepository } from '../environment/git/git-repository.ts';
import { alternatesOf, linkAmongObjects } from '../environment/git/plain-repository.ts';
import { programEnvironment } from '../environment/process/program-environment.ts';
import { ignoreInGit } from '../files/git-ignored.ts';
import { realPathOf } from '../files/real-path.ts';
import { runCommand } from '../gate/command.ts';
import { copyIncluded } from './included-files.ts';
import { missingInWorktree } from './missing-in-worktree.ts';

const FOLDER = 'worktrees';
/** Checking out a large repository takes minutes. */
const GIT_MS = 300_000;
const SETUP_MS = 600_000;
const MAX_TRIES = 6;
const TRY_AGAIN_MS = 100;

export interface MadeWorktree {
  readonly worktree: Worktree;
  readonly warnings: readonly string[];
}

export async function makeWorktree(
  workspace: Workspace,
  id: string,
  branch: string,
  /** Opens the project with the worktree at this path. */
  openAt: (place: string) => Workspace,
): Promise<MadeWorktree> {
  const { paths, containment } = workspace;
  const { root } = paths;
  const { worktreeSetup } = await workspace.config();
  if (worktreeSetup !== null) await requireTrustInSetup(workspace, worktreeSetup);
  await requireTrustInFilters(workspace);
  const found = await findRepository(root, `refs/heads/${branch}`);
  if (found.kind === 'unusable') throw cannot(found.why);
  const { head, workTree, commonDir } = found.repository;
  const alternates = alternatesOf(commonDir);
  if (alternates !== null) {
    throw cannot(
      `${alternates} names other repositories, and git would check out what is in them`,
      'copy what is needed from them (git repack -a -d) and remove that file, or run it without --worktree.',
    );
  }
  const link = linkAmongObjects(commonDir);
  if (link !== null) {
    throw cannot(
      `${link} is a link, and git would check out what is in another repository`,
      'clone the repository (git clone --no-local) and run it there, or run it without --worktree.',
    );
  }
  if (realPathOf(root) !== workTree) {
    throw cannot('the project is a subfolder of its repository');
  }
  const folder = path.join(paths.own, FOLDER);
  containment.require(folder);
  workspace.prepare();
  mkdirSync(folder, { recursive: true });
  // Older projects have a .gitignore that does not name this folder.
  ignoreInGit(folder, ['*']);
  const place = path.join(folder, id);
  const made = await git(root, ['branch', '--quiet', branch, head]);
  if (!made.ok) throw cannot(made.why);
  await addWorktree(root, place, branch);
  const warnings = copyIncluded(root, place);
  const missing = await missingInWorktree(root, place).catch(() => null);
  if (missing !== null) warnings.push(missing);
  const worktree = { path: place, branch, from: head };
  await setUp(worktreeSetup, place, openAt).catch(async (error: unknown) => {
    await discardWorktree(root, worktree);
    throw error;
  });
  return { worktree, warnings };
}

/** Git fails while another worktree is being added, and succeeds a little later. */
async function addWorktree(root: string, place: string, branch: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const added = await git(root, ['worktree', 'add', '--quiet', place, branch]);
    if (added.ok) return;
    rmSync(place, { recursive: true, force: true });
    // The path of this one contains the word, too.
    const isBusy = added.why.replaceAll(place, '').includes('worktrees');
    if (tries === MAX_TRIES || !isBusy) {
      await git(root, ['branch', '-D', branch]);
      throw cannot(added.why);
    }
    await pause(TRY_AGAIN_MS * tries);
    await forget(root, place);
  }
}

/**
 * Removes a worktree from git's list whose folder is gone. `git worktree prune` would remove all of
 * them, also those whose disk is just not mounted.
 */
async function forget(root: string, place: string): Promise<void> {
  await git(root, ['worktree', 'remove', '--force', place]);
}

function cannot(why: string, next = 'run it without --worktree, or correct that first.'): Refused {
  return refusedWith('no_worktree', `A worktree cannot be made: ${why}`, next);
}

function git(root: string, args: readonly string[]) {
  return runGit({ root, args, timeoutMs: GIT_MS });
}

async function setUp(
  command: string | null,
  place: string,
  openAt: (place: string) => Workspace,
): Promise<void> {
  if (command === null) return;
  // The files that it runs may be different there.
  const workspace = openAt(place);
  await requireTrustInSetup(workspace, command).finally(() => workspace.stop());
  const result = await runCommand({
    argv: [command],
    shell: true,
    root: place,
    env: programEnvironment(workspace.env),
    timeoutMs: SETUP_MS,
    signal: new AbortController().signal,
    output: { keep: 'tail', limit: 2048 },
  });
  if (result.kind === 'exited' && result.code === 0) return;
  const how = result.kind === 'exited' ? `exit code ${result.code}: ${result.stderr}` : result.kind;
  throw cannot(`worktree.setup failed (${how.trim()})`);
}

/**
 * A warning for each worktree that no run has recorded: its runner was killed before that, or is only
 * about to. Git refuses to remove one that holds work.
 */
export async function unknownWorktrees({ paths, journal }: Workspace): Promise<string[]> {
  const folder = path.join(paths.own, FOLDER);
  if (!existsSync(folder)) return [];
  const known = new Set(await journal.names(WORKFLOW_RUNS));
  return readdirSync(folder)
    .filter((name) => isRunId(name) && !known.has(WORKFLOW_RUNS + name))
    .map((name) => path.relative(paths.root, path.join(folder, name)))
    .map(
      (place) =>
        `${place} belongs to no recorded run. Unless a run is being started there, remove it: git worktree remove ${place}`,
    );
}

export type Removal =
  /** `branch`: stays, because it holds commits of its own; null: it is removed as well. */
  | { readonly kind: 'removed'; readonly branch: string | null }
  | { readonly kind: 'failed'; readonly why: string };

/**
 * Git refuses if anything is uncommitted there or in a submodule, so it is never forced.
 * `copies`: files that are in the main checkout as well, and need not be kept.
 */
export async function removeWorktree(
  root: string,
  worktree: Worktree,
  copies: readonly string[],
): Promise<Removal> {
  for (const name of copies) rmSync(path.join(worktree.path, name), { force: true });
  return remove(root, worktree, []);
}

/** Removes a worktree in which no agent has worked yet, with what `worktree.setup` has made there. */
export async function discardWorktree(root: string, worktree: Worktree): Promise<void> {
  await remove(root, worktree, ['--force']);
}

async function remove(
  root: string,
  worktree: Worktree,
  options: readonly string[],
): Promise<Removal> {
  const { path: place } = worktree;
  const removed = await runWithoutFilters({
    root,
    args: ['worktree', 'remove', ...options, place],
    timeoutMs: GIT_MS,
  });
  if (!removed.ok) return { kind: 'failed', why: removed.why };
  rmSync(place, { recursive: true, force: true });
  return { kind: 'removed', branch: await removeBranchWithoutCommits(root, worktree) };
}

/** The branch, if it holds commits of its own; one without any is removed as well. */
export async function removeBranchWithoutCommits(
  root: string,
  { path: place, branch, from }: Worktree,
): Promise<string | null> {
  const tip = await git(root, ['rev-parse', '--verify', `refs/heads/${branch}`]);
  if (!tip.ok) return null;
  if (tip.stdout.trim() !== from) return branch;
  // Git refuses to remove it while it lists a worktree whose folder a person has removed.
  if (!existsSync(place)) await forget(root, place);
  const { ok: isRemoved } = await git(root, ['branch', '-D', branch]);
  return isRemoved ? null : branch;
}
