// The order of the list: runs that need a person first, then active ones, then ended ones. A nested
// run stays below its parent, so a whole tree is in the group of its most urgent member. Runs that
// have ended in a tree that is still active are folded away below their parent. The order within a
// group is by when a run began or ended, not by its last activity, so that it does not change while
// someone reads.

import type { Run } from '../../../board/run.ts';

export const GROUPS = ['needs_you', 'running', 'ended'] as const;
export type Group = (typeof GROUPS)[number];

export interface ListedRun {
  readonly run: Run;
  readonly depth: number;
  /** Ended runs below it that are folded away, because the tree is still active. */
  readonly folded: readonly ListedRun[];
}

export type GroupedRuns = Readonly<Record<Group, readonly ListedRun[]>>;

export function needsPerson(run: Run): boolean {
  return groupOf(run) === 'needs_you';
}

/** How many runs really belong to the group, without the others of their trees. */
export function countOf(grouped: GroupedRuns, group: Group): number {
  return grouped[group].filter(({ run }) => groupOf(run) === group).length;
}

function groupOf({ state }: Run): Group {
  if (state === null) return 'ended';
  return state === 'working' || state === 'gate_running' ? 'running' : 'needs_you';
}

interface Tree {
  readonly run: Run;
  readonly children: Tree[];
}

export function groupRuns(runs: readonly Run[]): GroupedRuns {
  const grouped: Record<Group, Tree[]> = { needs_you: [], running: [], ended: [] };
  for (const tree of treesOf(runs)) grouped[mostUrgent(tree)].push(tree);
  grouped.needs_you.sort((a, b) => urgency(a) - urgency(b) || newestFirst(a, b));
  grouped.running.sort(newestFirst);
  grouped.ended.sort((a, b) => compare(b.run.ended_at ?? '', a.run.ended_at ?? ''));
  return {
    needs_you: grouped.needs_you.flatMap((tree) => foldEnded(tree)),
    running: grouped.running.flatMap((tree) => foldEnded(tree)),
    ended: grouped.ended.flatMap((tree) => flatten(tree)),
  };
}

/** A run whose parent is not in the list, or is below itself, is a root. */
function treesOf(runs: readonly Run[]): Tree[] {
  const trees = new Map<string, Tree>();
  for (const run of runs) trees.set(run.session_id, { run, children: [] });
  const roots: Tree[] = [];
  for (const tree of trees.values()) {
    const parent = trees.get(tree.run.parent_session_id ?? '');
    if (parent === undefined || isBelow(parent.run, tree.run, trees)) roots.push(tree);
    else parent.children.push(tree);
  }
  for (const { children } of trees.values()) children.sort(oldestFirst);
  return roots;
}

function isBelow(run: Run, above: Run, trees: ReadonlyMap<string, Tree>): boolean {
  const passed = new Set<string>();
  for (let at: Run | undefined = run; at !== undefined; ) {
    if (at.session_id === above.session_id) return true;
    if (passed.has(at.session_id)) return false;
    passed.add(at.session_id);
    at = trees.get(at.parent_session_id ?? '')?.run;
  }
  return false;
}

function mostUrgent(tree: Tree): Group {
  const groups = flatten(tree).map(({ run }) => groupOf(run));
  return GROUPS.find((group) => groups.includes(group)) ?? 'ended';
}

const URGENCY = ['waiting_for_person', 'orphaned', 'stalled'];

function urgency(tree: Tree): number {
  const places = flatten(tree).map(({ run }) => URGENCY.indexOf(run.state ?? ''));
  return Math.min(...places.map((place) => (place === -1 ? URGENCY.length : place)));
}

function newestFirst(a: Tree, b: Tree): number {
  return compare(b.run.started_at, a.run.started_at);
}

function oldestFirst(a: Tree, b: Tree): number {
  return compare(a.run.started_at, b.run.started_at);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function flatten({ run, children }: Tree, depth = 0): ListedRun[] {
  const below = children.flatMap((child) => flatten(child, depth + 1));
  return [{ run, depth, folded: [] }, ...below];
}

function foldEnded({ run, children }: Tree, depth = 0): ListedRun[] {
  const [ended, active] = [true, false].map((isEnded) =>
    children.filter((child) => (mostUrgent(child) === 'ended') === isEnded),
  ) as [Tree[], Tree[]];
  const folded = ended.flatMap((child) => flatten(child, depth + 1));
  return [{ run, depth, folded }, ...active.flatMap((child) => foldEnded(child, depth + 1))];
}
