// A project's git repository: where it is, its refs, and how a ref is created and removed in it
// without reading its config. (Only checking a branch out uses the config, so that needs trust.)
//
// Git is asked for three things that run nothing, whatever the config says: where the
// repository is, what HEAD points to, and whether the ref exists. The ref is then changed
// through a temporary repository of our own: our config and no hooks, but the project's refs
// and objects. So no setting, hook or remote of the project is involved.

import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readSmallText } from '../../files/read-contained.ts';
import { type GitResult, runGit } from './git.ts';
import { MAX_POINTER_BYTES, ownerOf } from './git-pointer.ts';
import { repositoryProblem } from './plain-repository.ts';

export interface GitRepository {
  /** The folder that contains `.git`. */
  readonly workTree: string;
  readonly gitDir: string;
  /** Where refs and objects are; linked work trees share them. */
  readonly commonDir: string;
  readonly objectFormat: string;
  /** The commit that HEAD points to. */
  readonly head: string;
  /** The ref that is checked out here; null if HEAD is detached. */
  readonly current: string | null;
}

export type FoundRepository =
  | { readonly kind: 'found'; readonly repository: GitRepository; readonly refExists: boolean }
  | { readonly kind: 'unusable'; readonly why: string };

/** A lookup takes milliseconds; more means that something blocks git. */
const LOOKUP_TIMEOUT_MS = 5000;
const OBJECT_ID = /^[0-9a-f]{40,64}$/;

/** Finds the repository around a project, and looks up a ref in it. */
export async function findRepository(
  root: string,
  ref: string,
  timeoutMs = LOOKUP_TIMEOUT_MS,
): Promise<FoundRepository> {
  const problem = problemBeforeGit(root);
  if (problem !== null) return unusable(problem);
  const asked = ['--absolute-git-dir', '--show-object-format', 'HEAD'];
  const names = ['--symbolic-full-name', 'HEAD', ref, '--'];
  const ran = await runGit({ root, args: ['rev-parse', ...asked, ...names], timeoutMs });
  // The output ends early at a revision that does not exist.
  const [gitDir, objectFormat, head, current = '', ...rest] = ran.stdout.split('\n');
  if (!gitDir || !objectFormat) return unusable(ran.why || 'git did not report its folder');
  const folders = foldersOf(root, gitDir);
  if (typeof folders === 'string') return unusable(folders);
  const sharedProblem = repositoryProblem(folders.commonDir);
  if (sharedProblem !== null) return unusable(sharedProblem);
  if (!OBJECT_ID.test(head ?? '')) return unusable('nothing is committed yet');
  return {
    kind: 'found',
    repository: {
      ...folders,
      objectFormat,
      head: head as string,
      current: current.startsWith('refs/') ? current : null,
    },
    refExists: rest.includes(ref),
  };
}

/** Creates a ref at HEAD; fails if it exists. */
export function createRef(
  root: string,
  repository: GitRepository,
  ref: string,
): Promise<GitResult> {
  return updateRef(root, repository, ref, `create ${ref} ${repository.head}`);
}

/** Removes a ref; fails if it no longer points to that commit. */
export function removeRef(
  root: string,
  repository: GitRepository,
  ref: string,
  at: string,
): Promise<GitResult> {
  return updateRef(root, repository, ref, `delete ${ref} ${at}`);
}

async function updateRef(
  root: string,
  repository: GitRepository,
  ref: string,
  command: string,
): Promise<GitResult> {
  const link = firstLink(repository.commonDir, path.dirname(ref));
  if (link !== null) return { ok: false, stdout: '', why: `${link} is a symbolic link` };
  return runInOwn(root, repository, ['update-ref', '--stdin'], `${command}\n`);
}

/**
 * The commit that a ref points to, and whether it holds any commit that no other ref, nor HEAD,
 * leads to; null if git cannot tell.
 */
export async function inspectRef(
  root: string,
  repository: GitRepository,
  ref: string,
): Promise<{ readonly at: string; readonly hasOwnCommit: boolean } | null> {
  const { head, current } = repository;
  const tip = await runInOwn(root, repository, ['rev-parse', '--verify', '--end-of-options', ref]);
  const at = tip.stdout.trim();
  if (!tip.ok || !OBJECT_ID.test(at)) return null;
  const others = ['--not', `--exclude=${ref}`, '--glob=refs/*', ...(current === ref ? [] : [head])];
  const ran = await runInOwn(root, repository, ['rev-list', '--max-count=1', at, ...others]);
  return ran.ok ? { at, hasOwnCommit: ran.stdout.trim() !== '' } : null;
}

/** Runs git in a temporary repository of our own that shares refs and objects with this one. */
async function runInOwn(
  root: string,
  { commonDir, objectFormat, head }: GitRepository,
  args: readonly string[],
  input?: string,
): Promise<GitResult> {
  const own = mkdtempSync(path.join(os.tmpdir(), 'deepwork-git-'));
  try {
    share(path.join(commonDir, 'refs'), path.join(own, 'refs'));
    share(path.join(commonDir, 'objects'), path.join(own, 'objects'));
    share(path.join(commonDir, 'packed-refs'), path.join(own, 'packed-refs'));
    const reftable = share(path.join(commonDir, 'reftable'), path.join(own, 'reftable'));
    writeFileSync(path.join(own, 'HEAD'), `${head}\n`);
    writeFileSync(path.join(own, 'config'), configText(objectFormat, reftable));
    return await runGit({
      root,
      args,
      cwd: own,
      // Only the config just written counts.
      env: { GIT_DIR: own, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: os.devNull },
      ...(input !== undefined && { input }),
    });
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Where git records the branch that a rebase or a bisection will return to. */
const NOTES = ['rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START'];
/** Each takes a git process. */
const MAX_WORK_TREES = 32;

/** Whether any work tree has the branch checked out, or will return to it; true if unknown. */
export async function isBranchInUse(
  root: string,
  { commonDir }: GitRepository,
  branch: string,
): Promise<boolean> {
  const linked = path.join(commonDir, 'worktrees');
  const names = existsSync(linked) ? readdirSync(linked) : [];
  if (names.length > MAX_WORK_TREES) return true;
  for (const gitDir of [commonDir, ...names.map((name) => path.join(linked, name))]) {
    const notes = NOTES.map(
      (name) => readSmallText(path.join(gitDir, name), MAX_POINTER_BYTES) ?? '',
    );
    if (notes.some((text) => text.includes(branch))) return true;
    const args = ['rev-parse', '--symbolic-full-name', 'HEAD', '--'];
    const env = { GIT_DIR: gitDir };
    const ran = await runGit({ root, args, env, timeoutMs: LOOKUP_TIMEOUT_MS });
    const [current = ''] = ran.stdout.split('\n');
    if (current === '' || current === `refs/heads/${branch}`) return true;
  }
  return false;
}

/** Switches to a branch with the repository's own filters, so only in trusted projects. */
export function checkOut(
  root: string,
  { gitDir, workTree }: GitRepository,
  branch: string,
): Promise<GitResult> {
  // `core.worktree` could name another folder to be overwritten.
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: workTree };
  return runGit({ root, args: ['checkout', '--quiet', branch, '--'], cwd: workTree, env });
}

function unusable(why: string): FoundRepository {
  return { kind: 'unusable', why };
}

/** Why git must not even be started, or null. */
function problemBeforeGit(root: string): string | null {
  const workTree = nearestWorkTree(realpathSync.native(root));
  if (workTree === null) return 'not a git repository: no .git in the project or above it';
  const dotGit = path.join(workTree, '.git');
  const entry = lstatSync(dotGit);
  if (entry.isDirectory()) return repositoryProblem(dotGit);
  if (!entry.isFile()) return `${dotGit} is not a regular file`;
  return null;
}

type Folders = Pick<GitRepository, 'workTree' | 'gitDir' | 'commonDir'>;

/**
 * A `.git` that is a file or a link can lead to any repository of the user. It counts only
 * if that repository names this folder as its work tree; otherwise returns the problem.
 */
function foldersOf(root: string, reported: string): Folders | string {
  const workTree = nearestWorkTree(realpathSync.native(root));
  if (workTree === null) return 'not a git repository: no .git in the project or above it';
  const dotGit = path.join(workTree, '.git');
  const gitDir = realpathSync.native(reported);
  const entry = lstatSync(dotGit);
  if (entry.isDirectory()) {
    if (gitDir !== dotGit) return `git finds another repository than ${dotGit}`;
    if (existsSync(path.join(gitDir, 'commondir'))) return `${dotGit} uses another repository`;
    return { workTree, gitDir, commonDir: gitDir };
  }
  const commonDir = entry.isFile() ? ownerOf(gitDir, dotGit, workTree) : null;
  if (commonDir === null) return `${dotGit} points to a repository that does not point back`;
  return { workTree, gitDir, commonDir };
}

function nearestWorkTree(folder: string): string | null {
  if (lstatSync(path.join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder;
  const above = path.dirname(folder);
  return above === folder ? null : nearestWorkTree(above);
}

/** The first part of a path below a folder that is a link, or null. */
function firstLink(folder: string, below: string): string | null {
  let at = folder;
  for (const part of below.split('/')) {
    at = path.join(at, part);
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return at;
  }
  return null;
}

/** Links a part of the project's repository into ours; false if it does not exist. */
function share(from: string, to: string): boolean {
  const entry = lstatSync(from, { throwIfNoEntry: false });
  if (entry === undefined) return false;
  try {
    symlinkSync(from, to, entry.isDirectory() ? 'junction' : 'file');
  } catch (error) {
    // On Windows some users may not link to a file; this one is only read, so copy it.
    if (!entry.isFile()) throw error;
    copyFileSync(from, to);
  }
  return true;
}

function configText(objectFormat: string, reftable: boolean): string {
  const extensions = [
    ...(objectFormat === 'sha1' ? [] : [`\tobjectFormat = ${objectFormat}`]),
    ...(reftable ? ['\trefStorage = reftable'] : []),
  ];
  const version = extensions.length === 0 ? 0 : 1;
  return [
    '[core]',
    `\trepositoryFormatVersion = ${version}`,
    '\tbare = true',
    '\tlogAllRefUpdates = false',
    ...(version === 0 ? [] : ['[extensions]', ...extensions]),
    '',
  ].join('\n');
}
