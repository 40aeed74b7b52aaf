// A folder of its own for a run: a git work tree under `.deepwork/worktrees/<id>`, on the branch
// of the run. The journal and the views stay in the main checkout. Untracked files that the work
// needs (`.worktreeinclude`) are copied, and the project's `worktree.setup` command runs once, if a
// person has trusted it.

import { cpSync, existsSync, lstatSync, mkdirSync, rmSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Refused, refuse } from '../core/refusal.ts';
import type { Worktree } from '../core/run/events.ts';
import { requireTrustInFilters, requireTrustInSetup } from '../engine/trust/command-trust.ts';
import type { Workspace } from '../engine/workspace.ts';
import { runWithoutFilters } from '../environment/git/filters.ts';
import { runGit } from '../environment/git/git.ts';
import { findRepository, type GitRepository } from '../environment/git/git-repository.ts';
import { programEnvironment } from '../environment/process/program-environment.ts';
import { linkProblem } from '../files/folder-links.ts';
import { ignoreInGit } from '../files/git-ignored.ts';
import { pathInside } from '../files/inside.ts';
import { readSmallText } from '../files/read-contained.ts';
import { realPathOf } from '../files/real-path.ts';
import { runCommand } from '../gate/command.ts';

const FOLDER = 'worktrees';
/** Checking out a large repository takes minutes. */
const GIT_MS = 300_000;
const SETUP_MS = 600_000;
const MAX_TRIES = 6;
const TRY_AGAIN_MS = 100;
const INCLUDE_FILE = '.worktreeinclude';
const MAX_INCLUDE_BYTES = 64 * 1024;
const MAX_STATUS_BYTES = 16 * 1024 * 1024;

export async function makeWorktree(
  workspace: Workspace,
  id: string,
  branch: string,
  /** Opens the project with the worktree at this path. */
  openAt: (place: string) => Workspace,
): Promise<Worktree> {
  const { paths, containment } = workspace;
  const { root } = paths;
  const { worktreeSetup } = await workspace.config();
  if (worktreeSetup !== null) await requireTrustInSetup(workspace, worktreeSetup);
  await requireTrustInFilters(workspace);
  const found = await findRepository(root, `refs/heads/${branch}`);
  if (found.kind === 'unusable') throw cannot(found.why);
  const { head, workTree } = found.repository;
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
  copyIncluded(root, place);
  const worktree = { path: place, branch, from: head };
  await setUp(worktreeSetup, place, openAt).catch(async (error: unknown) => {
    await removeWorktree(root, worktree, true);
    throw error;
  });
  return worktree;
}

/** Git fails while another worktree is being added, and succeeds a little later. */
async function addWorktree(root: string, place: string, branch: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const added = await git(root, ['worktree', 'add', '--quiet', place, branch]);
    if (added.ok) return;
    rmSync(place, { recursive: true, force: true });
    if (tries === MAX_TRIES || !/worktrees/.test(added.why)) {
      await git(root, ['branch', '-D', branch]);
      throw cannot(added.why);
    }
    await pause(TRY_AGAIN_MS * tries);
    await git(root, ['worktree', 'prune']);
  }
}

function cannot(why: string): Refused {
  return new Refused(
    refuse(
      'no_worktree',
      `A worktree cannot be made: ${why}`,
      'run it without --worktree, or correct that first.',
    ),
  );
}

function git(root: string, args: readonly string[]) {
  return runGit({ root, args, timeoutMs: GIT_MS, outputLimit: MAX_STATUS_BYTES });
}

/** The file lists one path per line: files that git ignores and the work needs, such as `.env`. */
function copyIncluded(root: string, place: string): void {
  const lines = readSmallText(path.join(root, INCLUDE_FILE), MAX_INCLUDE_BYTES)?.split('\n') ?? [];
  for (const line of lines) {
    const name = line.trim().replace(/^\/+|\/+$/g, '');
    if (name === '' || name.startsWith('#')) continue;
    const [from, to] = [path.resolve(root, name), path.resolve(place, name)];
    if (!isIncludable(root, from) || !existsSync(from) || existsSync(to)) continue;
    // A link, here or in the worktree, could lead out of the project.
    if (linkProblem(place, to) !== null) continue;
    if (!isIncludable(realPathOf(root), realPathOf(from))) continue;
    mkdirSync(path.dirname(to), { recursive: true });
    cpSync(from, to, {
      recursive: true,
      filter: (file) => isPlain(lstatSync(file)),
    });
  }
}

/** Inside the project, and neither in `.git` nor in `.deepwork`. */
function isIncludable(root: string, file: string): boolean {
  const [first = ''] = (pathInside(root, file) ?? '').split(path.sep);
  return first !== '' && !/^\.(?:git|deepwork)$/i.test(first);
}

/** Links and devices are not copied. */
function isPlain(facts: Stats): boolean {
  return facts.isFile() || facts.isDirectory();
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
    env: programEnvironment(process.env),
    timeoutMs: SETUP_MS,
    signal: new AbortController().signal,
    output: { keep: 'tail', limit: 2048 },
  });
  if (result.kind === 'exited' && result.code === 0) return;
  const how = result.kind === 'exited' ? `exit code ${result.code}: ${result.stderr}` : result.kind;
  throw cannot(`worktree.setup failed (${how.trim()})`);
}

/** Whether everything in it is committed. */
export async function isClean(root: string, { path: place }: Worktree): Promise<boolean> {
  const [main, own] = await Promise.all([root, place].map((each) => findRepository(each, 'HEAD')));
  // An agent may have put another `.git` there, whose config names programs.
  const isOurs =
    main?.kind === 'found' &&
    own?.kind === 'found' &&
    own.repository.commonDir === main.repository.commonDir &&
    own.repository.workTree === realPathOf(place);
  if (!isOurs) return false;
  const ran = await status(root, own.repository, '--untracked-files=normal');
  return ran.ok && ran.stdout.trim() === '';
}

/** The status of exactly this repository, without running its filters or entering submodules. */
function status(root: string, { gitDir, workTree }: GitRepository, ...more: readonly string[]) {
  return runWithoutFilters({
    root,
    cwd: workTree,
    env: { GIT_DIR: gitDir, GIT_WORK_TREE: workTree },
    args: ['status', '--porcelain', '-z', '--ignore-submodules=dirty', ...more],
    timeoutMs: GIT_MS,
    outputLimit: MAX_STATUS_BYTES,
  });
}

/** The branch stays if it holds a commit of its own. */
export async function removeWorktree(
  root: string,
  { path: place, branch, from }: Worktree,
  force = false,
): Promise<boolean> {
  const removed = await runWithoutFilters({
    root,
    args: ['worktree', 'remove', ...(force ? ['--force'] : []), place],
    timeoutMs: GIT_MS,
  });
  if (!removed.ok) return false;
  rmSync(place, { recursive: true, force: true });
  const tip = await git(root, ['rev-parse', '--verify', `refs/heads/${branch}`]);
  if (tip.stdout.trim() === from) await git(root, ['branch', '-D', branch]);
  return true;
}

const MAX_NAMED = 20;

/**
 * A warning about files that were changed in the main checkout since the run began; null if there
 * are none. Git lists changed files, and their times tell whether they changed since then.
 */
export async function changedInMain(root: string, since: string): Promise<string | null> {
  const found = await findRepository(root, 'HEAD');
  if (found.kind === 'unusable') return null;
  const ran = await status(root, found.repository, '--untracked-files=all', '--no-renames');
  if (!ran.ok) return null;
  const begun = Date.parse(since);
  const changed = ran.stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(3))
    .filter((name) => isOfWork(name) && changedAt(path.join(root, name)) >= begun);
  if (changed.length === 0) return null;
  const named = changed.slice(0, MAX_NAMED).join(', ');
  const more = changed.length > MAX_NAMED ? `, and ${changed.length - MAX_NAMED} more` : '';
  return `main checkout: changed since the run began, although the work belongs in the worktree: ${named}${more}`;
}

/** What deepwork itself writes does not count. */
function isOfWork(name: string): boolean {
  return !/^\.(?:deepwork\/(?:journal|tmp|archive|worktrees)|sgai)\//.test(name);
}

/** For a deleted file, when its folder last changed. */
function changedAt(file: string): number {
  for (let at = file; ; at = path.dirname(at)) {
    const facts = statSync(at, { throwIfNoEntry: false });
    if (facts !== undefined) return Math.max(facts.mtimeMs, facts.ctimeMs);
    if (path.dirname(at) === at) return 0;
  }
}
