// Which sessions may be pruned by their age: a nested session only together with the one that it
// is nested in. The state of their branches is checked elsewhere.

import { groupBy } from '../core/groups.ts';

export interface Candidate {
  readonly id: string;
  readonly parentId: string | null;
  readonly endedAt: string | null;
}

/** Sessions that are pruned or kept together: a top-level one and all that are nested in it. */
export function groupsOf<One extends Candidate>(sessions: readonly One[]): One[][] {
  const byId = new Map(sessions.map((each) => [each.id, each]));
  return [...groupBy(sessions, (each) => [rootOf(each, byId)]).values()];
}

/** Stops at a parent that is gone, and at a cycle, which a damaged file may contain. */
function rootOf(session: Candidate, byId: ReadonlyMap<string, Candidate>): string {
  const seen = new Set<string>();
  let at = session;
  for (;;) {
    seen.add(at.id);
    const parent = at.parentId === null ? undefined : byId.get(at.parentId);
    if (parent === undefined || seen.has(parent.id)) return at.id;
    at = parent;
  }
}

export function endedBefore(group: readonly Candidate[], time: string): boolean {
  return group.every(({ endedAt }) => endedAt !== null && endedAt < time);
}
