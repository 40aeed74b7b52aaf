// What is uncommitted in a work tree, and what has changed in the main checkout while a run worked
// in a worktree of its own.

import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { runWithoutFilters } from './filters.ts';
import type { GitResult } from './git.ts';
import { findRepository, type GitRepository } from './git-repository.ts';

const GIT_MS = 300_000;
/** Every file of a large repository may be listed. */
const MAX_STATUS_BYTES = 64 * 1024 * 1024;
const MAX_NAMED = 20;

/** Runs git in exactly this repository, without its filters. */
export function runInWorkTree(
  root: string,
  { gitDir, workTree }: GitRepository,
  args: readonly string[],
  input?: string,
): Promise<GitResult> {
  return runWithoutFilters({
    root,
    cwd: workTree,
    env: { GIT_DIR: gitDir, GIT_WORK_TREE: workTree },
    args,
    timeoutMs: GIT_MS,
    outputLimit: MAX_STATUS_BYTES,
    ...(input !== undefined && { input }),
  });
}

export interface Uncommitted {
  readonly name: string;
  /** Whether the index has it. */
  readonly isTracked: boolean;
}

/** Files that are changed or untracked; null if git cannot tell. Submodules are not entered. */
export async function uncommittedIn(
  root: string,
  repository: GitRepository,
): Promise<readonly Uncommitted[] | null> {
  const listed = ['--porcelain', '-z', '--untracked-files=all', '--no-renames'];
  const args = ['status', ...listed, '--ignore-submodules=dirty'];
  const ran = await runInWorkTree(root, repository, args);
  if (!ran.ok) return null;
  return ran.stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => ({ name: entry.slice(3), isTracked: !entry.startsWith('??') }));
}

/**
 * Files that the index was told to overlook, changed or not; null if git cannot tell. Files that a
 * sparse checkout leaves out are not there.
 */
export async function overlookedIn(
  root: string,
  repository: GitRepository,
): Promise<readonly string[] | null> {
  const ran = await runInWorkTree(root, repository, ['ls-files', '-v', '-z']);
  if (!ran.ok) return null;
  return ran.stdout
    .split('\0')
    .filter((entry) => /^[a-zS] /.test(entry))
    .map((entry) => entry.slice(2))
    .filter((name) => existsSync(path.join(repository.workTree, name)));
}

export async function uncommittedNames(root: string, repository: GitRepository): Promise<string[]> {
  return ((await uncommittedIn(root, repository)) ?? []).map(({ name }) => name);
}

/**
 * A warning about files that were changed in the main checkout since the run began; null if there
 * are none. Git lists changed files, and their times tell whether they changed since then.
 */
export async function changedInMain(root: string, since: string): Promise<string | null> {
  const found = await findRepository(root, 'HEAD');
  if (found.kind === 'unusable') return null;
  const begun = Date.parse(since);
  const changed = (await uncommittedNames(root, found.repository)).filter(
    (name) => isOfWork(name) && changedAt(path.join(root, name)) >= begun,
  );
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
