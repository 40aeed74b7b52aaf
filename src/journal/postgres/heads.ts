// The last event of each stream, as this process knows it. A refresh queries only what has changed
// since the last one, so it costs the same with ten streams as with a hundred thousand.
//
// Changes are identified by their transaction, not by a clock or a counter: a snapshot tells up to
// which transaction everything is committed or aborted, and the next refresh begins there. A
// transaction that is still open then is seen by a later refresh.
//
// A call needs the same heads several times, so a refresh that began after the call, and after the
// call last waited for something outside it (`async/call-scope.ts`), is reused for a moment. It is
// not reused after a sign of other writers: a notification, or an append that came too late. The
// append of a call checks what the call decided with it.

import { callScope } from '../../async/call-scope.ts';
import { coalesce } from '../../async/coalesce.ts';
import type { StreamPosition } from '../journal.ts';
import type { Database } from './database.ts';

export interface Heads {
  /**
   * Queries what has changed. Afterwards, everything committed before it is known; in a call,
   * everything committed before the call.
   */
  refresh(): Promise<void>;
  /** Others have written: the next refresh queries the database in any case. */
  invalidate(): void;
  of(stream: string): StreamPosition | undefined;
  /** The transaction before which everything is known; null before the first refresh. */
  upTo(): string | null;
  /** In name order; the same list while no stream was added or removed. */
  names(prefix: string): readonly string[];
  /** An own append. */
  placed(stream: string, head: StreamPosition): void;
}

/** A changed stream; `name` is null if no stream changed. */
export interface HeadRow {
  readonly xmin: string;
  readonly name: string | null;
  readonly seq: string;
  readonly hash: string;
}

const DEADLINE_MS = 2000;
const FIRST_DEADLINE_MS = 20_000;
/** How long a call may reuse a refresh, in case it waits without reporting that. */
const REUSED_MS = 100;

export function openHeads(
  db: Database,
  workspace: string,
  onChange: (stream: string) => void,
): Heads {
  const heads = new Map<string, StreamPosition>();
  const listed = new Map<string, readonly string[]>();
  let cursor: string | null = null;
  let generation = -1;
  /** When the last successful refresh began. */
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let invalidatedAt = Number.NEGATIVE_INFINITY;
  let placedAt = Number.NEGATIVE_INFINITY;

  const statement = `
    select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, s.name, s.seq, s.hash
    from (values (1)) as one
    left join ${db.schema}stream s on s.workspace = $1 and s.tx >= $2::text::xid8`;

  function set(stream: string, head: StreamPosition): void {
    const before = heads.get(stream);
    if (before?.hash === head.hash) return;
    heads.set(stream, head);
    if (before === undefined) listed.clear();
    onChange(stream);
  }

  const refreshOnce = coalesce(async () => {
    const isFirst = cursor === null || generation !== db.generation;
    const now = db.generation;
    const begun = performance.now();
    const values = [workspace, isFirst ? '0' : (cursor as string)];
    const deadline = isFirst ? FIRST_DEADLINE_MS : DEADLINE_MS;
    const rows = await db.queryOnce<HeadRow>(statement, values, deadline);
    const xmin = rows[0]?.xmin ?? '0';
    // The database was replaced by an older copy.
    const rolledBack = !isFirst && BigInt(xmin) < BigInt(cursor ?? '0');
    cursor = rolledBack ? null : xmin;
    generation = now;
    refreshedAt = begun;
    if (isFirst) forgetMissing(rows);
    for (const { name, seq, hash } of rows) {
      if (name === null) continue;
      // The query began before an own append and returned after it.
      const isBehind = begun < placedAt && Number(seq) < (heads.get(name)?.seq ?? 0);
      if (isFirst || !isBehind) set(name, { seq: Number(seq), hash });
    }
  });

  function isFreshInCall(): boolean {
    const scope = callScope();
    if (scope === undefined || cursor === null || generation !== db.generation) return false;
    const since = Math.max(scope.freshSince, performance.now() - REUSED_MS);
    return refreshedAt >= since && refreshedAt > invalidatedAt;
  }

  function forgetMissing(rows: readonly HeadRow[]): void {
    const there = new Set(rows.map(({ name }) => name));
    for (const stream of heads.keys()) {
      if (there.has(stream)) continue;
      heads.delete(stream);
      listed.clear();
    }
  }

  return {
    async refresh() {
      if (isFreshInCall()) return;
      for (const failed = db.attempts(); ; ) {
        try {
          await refreshOnce();
          if (cursor !== null) return;
        } catch (error) {
          await failed(error);
        }
      }
    },
    invalidate() {
      invalidatedAt = performance.now();
    },
    of: (stream) => heads.get(stream),
    upTo: () => cursor,
    names(prefix) {
      const known = listed.get(prefix);
      if (known !== undefined) return known;
      const names = [...heads.keys()].filter((name) => name.startsWith(prefix)).sort();
      listed.set(prefix, names);
      return names;
    },
    placed(stream, head) {
      placedAt = performance.now();
      set(stream, head);
    },
  };
}

export function versionOf({ seq, hash }: StreamPosition): string {
  return `${seq}:${hash}`;
}
