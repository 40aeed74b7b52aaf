// Whether a worktree holds work that would be lost with it. Everything in it has to be committed on
// the branch of the run, except what git ignores and what was copied there for the run. Accepted
// outputs have to be committed even if git ignores them, with the content that was accepted: they
// are what the run was for.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Worktree } from '../core/run/events.ts';
import { runGit } from '../environment/git/git.ts';
import { findRepository, type GitRepository } from '../environment/git/git-repository.ts';
import { overlookedIn, runInWorkTree, uncommittedIn } from '../environment/git/work-tree-status.ts';
import { pathInside } from '../files/inside.ts';
import { realPathOf } from '../files/real-path.ts';
import { hashFile, openHashing } from '../gate/submitted-files.ts';
import { isIncludedCopy } from './included-files.ts';

/** What a worktree holds. */
export type Holding =
  /** `copies`: untracked files that were copied there for the run and did not change. */
  | { readonly kind: 'saved'; readonly copies: readonly string[] }
  /** A sentence for people, without a full stop. */
  | { readonly kind: 'unsaved'; readonly why: string };

/** `accepted`: sha256 by path. */
export async function inspectWorktree(
  root: string,
  { path: place, branch, from }: Worktree,
  accepted: ReadonlyMap<string, string>,
): Promise<Holding> {
  const [main, own] = await Promise.all([root, place].map((each) => findRepository(each, 'HEAD')));
  // An agent may have put another `.git` there, whose config names programs.
  const isOurs =
    main?.kind === 'found' &&
    own?.kind === 'found' &&
    own.repository.commonDir === main.repository.commonDir &&
    own.repository.workTree === realPathOf(place);
  if (!isOurs) return unsaved('its .git is not the one that was made for the run');
  const { repository } = own;
  const ref = `refs/heads/${branch}`;
  // Commits on no branch would be lost; those on another one are not where a person looks for them.
  if (repository.current === null) return unsaved('HEAD is detached there');
  if (repository.current !== ref) {
    return unsaved(`${repository.current.replace('refs/heads/', '')} is checked out there`);
  }
  const changed = await uncommittedIn(root, repository);
  const overlooked = await overlookedIn(root, repository);
  if (changed === null || overlooked === null) {
    return unsaved('git cannot tell what is uncommitted there');
  }
  const there = { root, repository, ref, from };
  const committed = await areCommittedAsTheyAre(there, overlooked);
  const hidden = overlooked.filter((file) => !committed.has(file));
  const outputs = await unsavedOutputs(there, accepted);
  const copies = changed
    .filter(({ name, isTracked }) => !isTracked && isIncludedCopy(root, place, name))
    .map(({ name }) => name);
  const others = changed.map(({ name }) => name).filter((name) => !copies.includes(name));
  const found = new Map<string, Unsaved>(others.map((file) => [file, 'uncommitted']));
  for (const file of hidden) found.set(file, 'hidden');
  for (const [file, how] of outputs) found.set(file, how);
  if (found.size > 0) return unsaved(describeUnsaved(found));
  // Last: it would be the reason for every worktree of such a repository.
  if (hasSubmodules(repository)) return unsaved(SUBMODULES);
  return { kind: 'saved', copies };
}

const SUBMODULES = 'it has submodules, and what is committed in them is stored with the worktree';

/** Whether any were checked out there: git keeps their commits in the worktree's own git folder. */
function hasSubmodules({ gitDir }: GitRepository): boolean {
  const modules = path.join(gitDir, 'modules');
  return existsSync(modules) && readdirSync(modules).length > 0;
}

function unsaved(why: string): Holding {
  return { kind: 'unsaved', why };
}

type Unsaved = 'ignored' | 'hidden' | 'uncommitted' | 'changed' | 'gone';

interface Place {
  readonly root: string;
  readonly repository: GitRepository;
  readonly ref: string;
  /** The commit that the branch started from. */
  readonly from: string;
}

/** One output: where it really is, and what is there now. */
interface Output {
  readonly file: string;
  readonly accepted: string;
  /** Null: it is gone, or too large to read. */
  readonly now: string | null;
}

async function unsavedOutputs(
  place: Place,
  accepted: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Unsaved>> {
  const { root, repository } = place;
  const outputs = await Promise.all(
    [...accepted].map(([file, hash]) => lookAt(repository.workTree, file, hash)),
  );
  const committed = await areCommittedAsTheyAre(
    place,
    outputs.filter(isUnchanged).map(({ file }) => file),
  );
  const open: Output[] = [];
  for (const output of outputs) {
    if (committed.has(output.file) || (await wasCommitted(place, output))) continue;
    open.push(output);
  }
  if (open.length === 0) return new Map();
  const asked = open.map(({ file }) => `${file}\0`).join('');
  const ran = await runInWorkTree(root, repository, ['check-ignore', '-z', '--stdin'], asked);
  const ignored = new Set(ran.stdout.split('\0'));
  return new Map(
    open.map((output) => {
      if (output.now === null) return [output.file, 'gone'];
      if (!isUnchanged(output)) return [output.file, 'changed'];
      return [output.file, ignored.has(output.file) ? 'ignored' : 'uncommitted'];
    }),
  );
}

function isUnchanged({ accepted, now }: Output): boolean {
  return accepted === now;
}

/** Git knows a file by its real path. */
async function lookAt(workTree: string, file: string, accepted: string): Promise<Output> {
  const absolute = path.join(workTree, file);
  try {
    const real = pathInside(workTree, realpathSync.native(absolute)) ?? file;
    const now = await hashFile(workTree, absolute, openHashing(new AbortController().signal));
    return { file: real.split(path.sep).join('/'), accepted, now };
  } catch {
    return { file, accepted, now: null };
  }
}

/**
 * Which of these are on the branch as they are in the worktree. The content is compared, because the
 * index can be told to overlook a change.
 */
async function areCommittedAsTheyAre(
  { root, repository, ref }: Place,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  // Git is asked line by line.
  const files = names.filter((file) => !file.includes('\n'));
  if (files.length === 0) return new Set();
  const lines = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');
  const ask = (args: readonly string[], input: string) =>
    runInWorkTree(root, repository, args, input);
  const objects = lines(files.map((file) => `${ref}:${file}`));
  const committed = await ask(['cat-file', '--batch-check=%(objectname)'], objects);
  const now = await ask(['hash-object', '--stdin-paths'], lines(files));
  const [before, after] = [committed, now].map(({ ok, stdout }) => (ok ? stdout.split('\n') : []));
  return new Set(files.filter((_, at) => after?.[at] && before?.[at] === after[at]));
}

/** How much of earlier contents is compared. */
const MAX_BLOB_BYTES = 16 * 1024 * 1024;

/** Whether any commit of the run has this file with the accepted content. */
async function wasCommitted({ root, repository, ref, from }: Place, output: Output) {
  const { file, accepted } = output;
  const ask = (args: readonly string[], input?: string) =>
    runInWorkTree(root, repository, ['--literal-pathspecs', ...args, '--', file], input);
  // Not `git log`, whose config can name a program that checks signatures.
  const commits = await ask(['rev-list', '--full-history', `${from}..${ref}`]);
  if (commits.stdout === '') return false;
  const { stdout } = await ask(['diff-tree', '--stdin', '-r', '-m', '-z'], commits.stdout);
  // `:100644 100644 <before> <after> M`, then the name.
  const blobs = [...stdout.matchAll(/:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) [AM]\0/g)];
  for (const id of new Set(blobs.map(([, blob = '']) => blob))) {
    const { gitDir } = repository;
    const read = await runGit({
      root,
      env: { GIT_DIR: gitDir },
      args: ['cat-file', 'blob', id],
      encoding: 'latin1',
      outputLimit: MAX_BLOB_BYTES,
    });
    const hash = createHash('sha256').update(read.stdout, 'latin1').digest('hex');
    if (read.ok && hash === accepted) return true;
  }
  return false;
}

const WORDS: Readonly<Record<Unsaved, readonly [one: string, several: string]>> = {
  ignored: ['is not committed (git ignores it)', 'are not committed (git ignores them)'],
  hidden: [
    'is not committed (git was told to overlook it)',
    'are not committed (git was told to overlook them)',
  ],
  uncommitted: ['is not committed', 'are not committed'],
  changed: ['is not committed as it was accepted', 'are not committed as they were accepted'],
  gone: ['is gone, and was not committed', 'are gone, and were not committed'],
};
const MAX_NAMED = 3;

function describeUnsaved(found: ReadonlyMap<string, Unsaved>): string {
  const said = (Object.keys(WORDS) as Unsaved[]).flatMap((how) => {
    const files = [...found].filter(([, each]) => each === how).map(([file]) => file);
    return files.length === 0 ? [] : `${listed(files)} ${WORDS[how][files.length === 1 ? 0 : 1]}`;
  });
  return said.join('; ');
}

function listed(files: readonly string[]): string {
  const named = files.slice(0, MAX_NAMED);
  const rest = files.length - named.length;
  const all = rest > 0 ? [...named, `${rest} more`] : named;
  const last = all.at(-1) ?? '';
  return all.length === 1 ? last : `${all.slice(0, -1).join(', ')} and ${last}`;
}
