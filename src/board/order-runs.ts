// The order in which runs are listed: what needs a person first, then what stopped, then what
// moves; each with the runs nested in it right below, newest first; at the end what has ended.

import { compareTexts } from '../core/compare-texts.ts';
import { addTo } from '../core/groups.ts';
import type { Run, RunState } from './run.ts';

/** How many ended runs are listed, unless all are requested. */
export const MAX_ENDED = 10;

const RANK: readonly RunState[] = [
  'waiting_for_person',
  'orphaned',
  'stalled',
  'gate_running',
  'working',
];

export function orderRuns(runs: readonly Run[]): Run[] {
  const active = runs.filter(({ status }) => status === 'active');
  const ended = runs.filter(({ status }) => status !== 'active');
  return [
    ...inTrees(active),
    ...ended.sort((a, b) => compareTexts(b.ended_at ?? '', a.ended_at ?? '')),
  ];
}

/** Of runs in that order, all that are active and those that ended last. */
export function withoutOlder(runs: readonly Run[]): Run[] {
  const active = runs.filter(({ status }) => status === 'active').length;
  return runs.slice(0, active + MAX_ENDED);
}

/** How deep a run is below others of the same list. */
export function depthIn(runs: readonly Run[], run: Run): number {
  const seen = new Set<string>();
  let depth = 0;
  for (let at: Run | undefined = run; at !== undefined && !seen.has(at.session_id); ) {
    seen.add(at.session_id);
    const above: string | null = at.parent_session_id;
    at = runs.find(({ session_id }) => session_id === above);
    if (at !== undefined) depth += 1;
  }
  return depth;
}

function inTrees(active: readonly Run[]): Run[] {
  const ranked = treesOf(active).map((each) => ({ each, rank: Math.min(...each.map(rankOf)) }));
  return ranked.sort((a, b) => a.rank - b.rank).flatMap(({ each }) => each);
}

/** Ended runs with those nested in them right below, the newest first. */
export function endedInTrees(ended: readonly Run[]): Run[] {
  return treesOf(ended)
    .sort(([a], [b]) => compareTexts(b?.ended_at ?? '', a?.ended_at ?? ''))
    .flat();
}

/** Each tree from its root downwards, newest first. */
function treesOf(runs: readonly Run[]): Run[][] {
  const ids = new Set(runs.map(({ session_id }) => session_id));
  const below = new Map<string | null, Run[]>();
  for (const run of runs) {
    const parent = run.parent_session_id;
    const above = parent !== null && ids.has(parent) ? parent : null;
    addTo(below, above, run);
  }
  const placed = new Set<string>();
  const tree = (run: Run): Run[] => {
    if (placed.has(run.session_id)) return [];
    placed.add(run.session_id);
    const nested = below.get(run.session_id) ?? [];
    return [run, ...nested.sort(byStart).flatMap(tree)];
  };
  const trees = (below.get(null) ?? []).sort(byStart).map(tree);
  // A damaged history could name runs as each other's parents.
  const rest = runs.map(tree).filter((each) => each.length > 0);
  return [...trees, ...rest];
}

function rankOf({ state }: Run): number {
  return state === null ? RANK.length : RANK.indexOf(state);
}

function byStart(a: Run, b: Run): number {
  return compareTexts(b.started_at, a.started_at);
}
