// The git branch of a run: its name, the ref, and its removal if the run is aborted before
// anything was committed to it. Git is a convenience here: its failures are warnings and
// never stop the work.

import { shown } from '../../core/wording.ts';
import {
  checkOut,
  createRef,
  type FoundRepository,
  findRepository,
  inspectRef,
  isBranchInUse,
  removeRef,
} from './git-repository.ts';

export const BRANCH_MODES = ['create', 'checkout', 'off'] as const;
export type BranchMode = (typeof BRANCH_MODES)[number];

const HEADS = 'refs/heads/';

/** `deepwork/<job>-<workflow>-<instance or date>`, made a legal git ref. */
export function branchName(
  jobName: string,
  workflowName: string,
  instanceId: string | null,
  at: string,
): string {
  // Longer parts would be cut below anyway.
  const last = instanceId?.slice(0, 255) ?? at.slice(0, 10).replaceAll('-', '');
  const name = `${jobName.slice(0, 255)}-${workflowName.slice(0, 255)}-${last}`
    .replace(/[^\p{L}\p{N}._-]/gu, '-')
    .replace(/\.{2,}/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .replace(/\.lock$/i, '-lock');
  // Refs become file names: 255 bytes is the common limit, less `.lock`.
  return `deepwork/${cutToBytes(name, 240)}`;
}

/** What git reports before a run starts. */
export interface BranchPlan {
  readonly name: string;
  readonly mode: BranchMode;
  /** Null if git is not used. */
  readonly found: FoundRepository | null;
  /** The commit where the run will create its branch; null if it will not. */
  readonly from: string | null;
}

export async function planBranch(
  root: string,
  name: string,
  mode: BranchMode,
): Promise<BranchPlan> {
  if (mode === 'off') return { name, mode, found: null, from: null };
  const found = await find(root, name);
  const isNew = found.kind === 'found' && !found.refExists;
  return { name, mode, found, from: isNew ? found.repository.head : null };
}

/** What happened, for the caller. */
export interface BranchOutcome {
  /** Why the branch was not created or checked out. */
  readonly trouble: string | null;
  /** The branch exists, but another one is checked out. */
  readonly elsewhere: string | null;
}

/** Creates the ref, or switches to it. */
export async function prepareBranch(root: string, plan: BranchPlan): Promise<BranchOutcome> {
  const { name, mode, found } = plan;
  if (mode === 'off' || found === null) return { trouble: null, elsewhere: null };
  const why =
    found.kind === 'unusable'
      ? found.why
      : await reachBranch(root, plan, found).catch((error: Error) => error.message);
  if (why !== null || found.kind === 'unusable') {
    const what = mode === 'create' ? 'created' : 'checked out';
    return { trouble: `Git branch '${name}' was not ${what}: ${why}`, elsewhere: null };
  }
  const { current } = found.repository;
  return { trouble: null, elsewhere: mode === 'create' ? notCheckedOut(name, current) : null };
}

async function reachBranch(
  root: string,
  { name, mode }: BranchPlan,
  { repository, refExists }: Extract<FoundRepository, { kind: 'found' }>,
): Promise<string | null> {
  if (!refExists) {
    const made = await createRef(root, repository, refOf(name));
    // A concurrent start of the same run may have just created it.
    if (!made.ok && !(await exists(root, name))) return made.why;
  }
  if (mode === 'create') return null;
  const ran = await checkOut(root, repository, name);
  return ran.ok ? null : ran.why;
}

function notCheckedOut(name: string, current: string | null): string | null {
  if (current === refOf(name)) return null;
  const here =
    current === null ? 'HEAD is detached' : `the work is on '${shown(shortName(current))}'`;
  return `Git branch '${name}' is not checked out; ${here}. To work on the branch: git switch ${name}`;
}

/**
 * Removes the branch of an aborted run if it is empty: it still points to the commit where
 * the run created it, and no work tree uses it.
 */
export async function removeEmptyBranch(root: string, name: string, from: string): Promise<void> {
  const found = await find(root, name);
  if (found.kind === 'unusable' || !found.refExists) return;
  const { repository } = found;
  if (await isBranchInUse(root, repository, name)) return;
  await removeRef(root, repository, refOf(name), from);
}

/** Whether the branch of a run that has ended can be removed. */
export type BranchFound =
  | { readonly kind: 'none' }
  /** All its commits are also on other refs, and no work tree uses it. */
  | { readonly kind: 'empty'; readonly at: string }
  | { readonly kind: 'in use' | 'own commits' }
  | { readonly kind: 'unknown'; readonly why: string };

export async function inspectBranch(root: string, name: string): Promise<BranchFound> {
  const found = await find(root, name);
  // Without a repository there are no branches.
  if (found.kind === 'unusable' || !found.refExists) return { kind: 'none' };
  const { repository } = found;
  const inspected = await inspectRef(root, repository, refOf(name));
  if (inspected === null) return { kind: 'unknown', why: 'git cannot read it' };
  if (inspected.hasOwnCommit) return { kind: 'own commits' };
  const isInUse = await isBranchInUse(root, repository, name);
  return isInUse ? { kind: 'in use' } : { kind: 'empty', at: inspected.at };
}

async function exists(root: string, name: string): Promise<boolean> {
  const found = await find(root, name);
  return found.kind === 'found' && found.refExists;
}

/** Any problem with the repository is only a reason not to use it. */
async function find(root: string, name: string): Promise<FoundRepository> {
  return findRepository(root, refOf(name)).catch((error: Error) => ({
    kind: 'unusable',
    why: error.message,
  }));
}

function refOf(name: string): string {
  return `${HEADS}${name}`;
}

function shortName(ref: string): string {
  return ref.startsWith(HEADS) ? ref.slice(HEADS.length) : ref;
}

function cutToBytes(text: string, limit: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > limit) cut = cut.slice(0, -1);
  return cut.replace(/[.-]+$/, '');
}
