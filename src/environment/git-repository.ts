// A project's git repository, and how a ref is made and removed in it without its config
// being read.
//
// Git is asked for three things that run nothing, whatever the config says: where the
// repository is, what HEAD points to, and whether the ref exists. The ref is then changed
// through a repository of our own in a temporary folder: our config and no hooks, but the
// project's refs and objects. So no setting, hook or remote of the project takes part.

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
import { readSmallText } from '../files/read-contained.ts';
import { type GitResult, runGit } from './git.ts';
import { oddityIn } from './plain-repository.ts';

export interface GitRepository {
  /** The folder that has the `.git` in it. */
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

export type Found =
  | { readonly kind: 'found'; readonly repository: GitRepository; readonly refExists: boolean }
  | { readonly kind: 'unusable'; readonly why: string };

/** Looking takes milliseconds; more means that something keeps git waiting. */
const LOOK_MS = 5000;
const POINTER_LIMIT = 16 * 1024;
const OBJECT_ID = /^[0-9a-f]{40,64}$/;

/** Finds the repository around a project, and looks up a ref in it. */
export async function findRepository(
  root: string,
  ref: string,
  timeoutMs = LOOK_MS,
): Promise<Found> {
  const oddity = oddityOf(root);
  if (oddity !== null) return unusable(oddity);
  const asked = ['--absolute-git-dir', '--show-object-format', 'HEAD'];
  const names = ['--symbolic-full-name', 'HEAD', ref, '--'];
  const ran = await runGit({ root, args: ['rev-parse', ...asked, ...names], timeoutMs });
  // A revision that does not exist ends the list early.
  const [gitDir, objectFormat, head, current = '', ...rest] = ran.stdout.split('\n');
  if (!gitDir || !objectFormat) return unusable(ran.why || 'git did not say where it is');
  const placed = placeOf(root, gitDir);
  if (typeof placed === 'string') return unusable(placed);
  const borrowed = oddityIn(placed.commonDir);
  if (borrowed !== null) return unusable(borrowed);
  if (!OBJECT_ID.test(head ?? '')) return unusable('nothing is committed yet');
  return {
    kind: 'found',
    repository: {
      ...placed,
      objectFormat,
      head: head as string,
      current: current.startsWith('refs/') ? current : null,
    },
    refExists: rest.includes(ref),
  };
}

/** Makes a ref at HEAD; fails if it exists. */
export function createRef(
  root: string,
  repository: GitRepository,
  ref: string,
): Promise<GitResult> {
  return updateRef(root, repository, ref, `create ${ref} ${repository.head}`);
}

/** Removes a ref; fails if it does not point to that commit any more. */
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
  { commonDir, objectFormat, head }: GitRepository,
  ref: string,
  command: string,
): Promise<GitResult> {
  const link = firstLink(commonDir, path.dirname(ref));
  if (link !== null) return { ok: false, stdout: '', why: `${link} is a link to elsewhere` };
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
      args: ['update-ref', '--stdin'],
      cwd: own,
      // Only the config that we have just written counts.
      env: { GIT_DIR: own, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: os.devNull },
      input: `${command}\n`,
    });
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Where git notes the branch that a rebase or a bisection will return to. */
const NOTES = ['rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START'];
/** Each is asked by a process of its own. */
const MAX_WORK_TREES = 32;

/** Whether a branch is checked out, or about to be again, in any work tree; true if unknown. */
export async function isBranchInUse(
  root: string,
  { commonDir }: GitRepository,
  branch: string,
): Promise<boolean> {
  const linked = path.join(commonDir, 'worktrees');
  const names = existsSync(linked) ? readdirSync(linked) : [];
  if (names.length > MAX_WORK_TREES) return true;
  for (const gitDir of [commonDir, ...names.map((name) => path.join(linked, name))]) {
    const noted = NOTES.map((name) => readSmallText(path.join(gitDir, name), POINTER_LIMIT) ?? '');
    if (noted.some((text) => text.includes(branch))) return true;
    const args = ['rev-parse', '--symbolic-full-name', 'HEAD', '--'];
    const ran = await runGit({ root, args, env: { GIT_DIR: gitDir }, timeoutMs: LOOK_MS });
    const [current = ''] = ran.stdout.split('\n');
    if (current === '' || current === `refs/heads/${branch}`) return true;
  }
  return false;
}

/** Switches to a branch, with the repository's own filters: only for what was trusted. */
export function checkOut(
  root: string,
  { gitDir, workTree }: GitRepository,
  branch: string,
): Promise<GitResult> {
  // `core.worktree` could have named another folder to be overwritten.
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: workTree };
  return runGit({ root, args: ['checkout', '--quiet', branch, '--'], cwd: workTree, env });
}

function unusable(why: string): Found {
  return { kind: 'unusable', why };
}

/** Why git is not even started. */
function oddityOf(root: string): string | null {
  const workTree = nearestWorkTree(realpathSync.native(root));
  if (workTree === null) return 'not a git repository: no .git in the project or above it';
  const dotGit = path.join(workTree, '.git');
  const facts = lstatSync(dotGit);
  if (facts.isDirectory()) return oddityIn(dotGit);
  if (!facts.isFile()) return `${dotGit} is not a regular file`;
  return null;
}

type Place = Pick<GitRepository, 'workTree' | 'gitDir' | 'commonDir'>;

/**
 * A `.git` that is a file or a link can lead to any repository of the user. It counts only
 * if that repository names this folder as its work tree; else what is wrong.
 */
function placeOf(root: string, answered: string): Place | string {
  const workTree = nearestWorkTree(realpathSync.native(root));
  if (workTree === null) return 'not a git repository: no .git in the project or above it';
  const dotGit = path.join(workTree, '.git');
  const gitDir = realpathSync.native(answered);
  const entry = lstatSync(dotGit);
  if (entry.isDirectory()) {
    if (gitDir !== dotGit) return `git finds another repository than ${dotGit}`;
    if (existsSync(path.join(gitDir, 'commondir'))) return `${dotGit} borrows another repository`;
    return { workTree, gitDir, commonDir: gitDir };
  }
  const commonDir = entry.isFile() ? ownerOf(gitDir, dotGit, workTree) : null;
  if (commonDir === null) return `${dotGit} leads to a repository that does not lead back`;
  return { workTree, gitDir, commonDir };
}

/** The repository behind a `.git` file, if it leads back: a linked work tree or a submodule. */
function ownerOf(gitDir: string, dotGit: string, workTree: string): string | null {
  const common = pointerIn(gitDir, 'commondir');
  if (common !== null) {
    const leadsBack = pointerIn(gitDir, 'gitdir') === dotGit;
    const isWorktree = path.dirname(gitDir) === path.join(common, 'worktrees');
    return leadsBack && isWorktree ? common : null;
  }
  const config = readSmallText(path.join(gitDir, 'config'), POINTER_LIMIT) ?? '';
  const named = /^\s*worktree\s*=\s*"?([^"\n]*?)"?\s*$/m.exec(config)?.[1];
  return named !== undefined && realOrNull(path.resolve(gitDir, named)) === workTree
    ? gitDir
    : null;
}

function pointerIn(gitDir: string, name: string): string | null {
  const text = readSmallText(path.join(gitDir, name), POINTER_LIMIT)?.trim();
  return text ? realOrNull(path.resolve(gitDir, text)) : null;
}

function nearestWorkTree(folder: string): string | null {
  if (lstatSync(path.join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder;
  const above = path.dirname(folder);
  return above === folder ? null : nearestWorkTree(above);
}

/** The first part of a way below a folder that is a link, if any is. */
function firstLink(folder: string, way: string): string | null {
  let at = folder;
  for (const part of way.split('/')) {
    at = path.join(at, part);
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return at;
  }
  return null;
}

/** Shows a part of the project's repository in ours; false if there is none. */
function share(from: string, to: string): boolean {
  const entry = lstatSync(from, { throwIfNoEntry: false });
  if (entry === undefined) return false;
  try {
    symlinkSync(from, to, entry.isDirectory() ? 'junction' : 'file');
  } catch (error) {
    // Windows lets not everyone link to a file; this one is only read.
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

function realOrNull(file: string): string | null {
  try {
    return realpathSync.native(file);
  } catch {
    return null;
  }
}
