// Which sessions may be pruned: those that ended long enough ago, a nested one only together with
// the one that it is nested in. Pure; what git says of their branches is decided elsewhere.

/** What is to be known of a session to decide that. */
export interface Candidate {
  readonly id: string;
  readonly parentId: string | null;
  readonly endedAt: string | null;
}

/** Sessions that go or stay together: one that is nested in no other here, and all below it. */
export function groupsOf<One extends Candidate>(sessions: readonly One[]): One[][] {
  const byId = new Map(sessions.map((each) => [each.id, each]));
  const groups = new Map<string, One[]>();
  for (const session of sessions) {
    const root = rootOf(session, byId);
    groups.set(root, [...(groups.get(root) ?? []), session]);
  }
  return [...groups.values()];
}

/** A parent that is not here any more, or a circle, which a damaged file may claim, ends it. */
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
