// The last event of each stream, as this process knows it. It is asked for what changed since
// the last time, so a look costs the same at ten streams as at a hundred thousand.
//
// Changes are told apart by the transaction that made them, not by a clock or a counter: a
// snapshot says up to which transaction everything is decided, and the next look begins there.
// A transaction that is still open then comes up at a later look.
//
// A call asks for the same few things again and again, so a look serves all of it: one that began
// after the call did, and after the call last waited for others (`async/call-scope.ts`), is used
// again for a moment. Not after a sign that others were at work: a notification, or an append
// that came too late. What a call decides on the strength of it is checked by its append.

import { callScope } from '../../async/call-scope.ts';
import { coalesce } from '../../async/coalesce.ts';
import type { Database } from './database.ts';

export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export interface Heads {
  /**
   * Asks for what changed. What was committed before it was asked is known after it; in a call,
   * what was committed before the call.
   */
  look(): Promise<void>;
  /** Others were at work: the next look asks, whoever makes it. */
  outdated(): void;
  of(stream: string): Head | undefined;
  /** The transaction before which all is known; null before the first look. */
  upTo(): string | null;
  /** In name order; the same list while no stream was added or removed. */
  names(prefix: string): readonly string[];
  /** An own append. */
  placed(stream: string, head: Head): void;
}

interface Row {
  readonly xmin: string;
  readonly name: string | null;
  readonly seq: string;
  readonly hash: string;
}

const DEADLINE_MS = 2000;
const FIRST_DEADLINE_MS = 20_000;
/** How long a call may use a look again; it bounds what waits we know nothing of can do. */
const USED_AGAIN_MS = 100;

export function openHeads(
  db: Database,
  workspace: string,
  onChange: (stream: string) => void,
): Heads {
  const heads = new Map<string, Head>();
  const listed = new Map<string, readonly string[]>();
  let cursor: string | null = null;
  let generation = -1;
  /** When the last look that was answered began. */
  let lookedAt = Number.NEGATIVE_INFINITY;
  let outdatedAt = Number.NEGATIVE_INFINITY;
  let placedAt = Number.NEGATIVE_INFINITY;

  const statement = `
    select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, s.name, s.seq, s.hash
    from (values (1)) as one
    left join ${db.schema}stream s on s.workspace = $1 and s.tx >= $2::text::xid8`;

  function set(stream: string, head: Head): void {
    const before = heads.get(stream);
    if (before?.hash === head.hash) return;
    heads.set(stream, head);
    if (before === undefined) listed.clear();
    onChange(stream);
  }

  const lookOnce = coalesce(async () => {
    const isFirst = cursor === null || generation !== db.generation;
    const now = db.generation;
    const begun = performance.now();
    const values = [workspace, isFirst ? '0' : (cursor as string)];
    const deadline = isFirst ? FIRST_DEADLINE_MS : DEADLINE_MS;
    const rows = await db.askOnce<Row>(statement, values, deadline);
    const xmin = rows[0]?.xmin ?? '0';
    // An older copy of the database was put in place.
    const wentBack = !isFirst && BigInt(xmin) < BigInt(cursor ?? '0');
    cursor = wentBack ? null : xmin;
    generation = now;
    lookedAt = begun;
    if (isFirst) forgetMissing(rows);
    for (const { name, seq, hash } of rows) {
      if (name === null) continue;
      // Asked before an own append, and answered after it.
      const isBehind = begun < placedAt && Number(seq) < (heads.get(name)?.seq ?? 0);
      if (isFirst || !isBehind) set(name, { seq: Number(seq), hash });
    }
  });

  function isFreshInCall(): boolean {
    const scope = callScope();
    if (scope === undefined || cursor === null || generation !== db.generation) return false;
    const since = Math.max(scope.freshSince, performance.now() - USED_AGAIN_MS);
    return lookedAt >= since && lookedAt > outdatedAt;
  }

  function forgetMissing(rows: readonly Row[]): void {
    const there = new Set(rows.map(({ name }) => name));
    for (const stream of heads.keys()) {
      if (there.has(stream)) continue;
      heads.delete(stream);
      listed.clear();
    }
  }

  return {
    async look() {
      if (isFreshInCall()) return;
      for (const { failed } = db.attempts(); ; ) {
        try {
          await lookOnce();
          if (cursor !== null) return;
        } catch (error) {
          await failed(error);
        }
      }
    },
    outdated() {
      outdatedAt = performance.now();
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

export function versionOf({ seq, hash }: Head): string {
  return `${seq}:${hash}`;
}
