// Verifies a stream in the database: every line is proved and continues the one before it, the
// copies in other columns equal it, and the stream's head is its last event.

import { isDeepStrictEqual } from 'node:util';
import type { StreamPosition } from '../journal.ts';
import { sealOf } from '../seal.ts';
import { storable } from './append.ts';
import type { Database } from './database.ts';
import { judgeRow, START } from './judge-rows.ts';
import type { KeyRing } from './keys.ts';
import type { VerifiedRows } from './store.ts';

const ROWS = 200;

interface Row {
  readonly seq: string;
  readonly line: string;
  readonly type: string;
  readonly at: string;
  readonly prev: string;
  readonly hash: string;
  readonly data: unknown;
}

export function openVerify(db: Database, workspace: string, keyRing: KeyRing) {
  const page = `
    select seq, line, type, at, prev, hash, data from ${db.schema}event
    where workspace = $1 and stream = $2 and seq > $3::bigint order by seq limit ${ROWS}`;
  const head = `select seq, hash from ${db.schema}stream where workspace = $1 and name = $2`;

  return async (stream: string): Promise<VerifiedRows> => {
    const { sign } = sealOf((await keyRing.keys()).journal, stream);
    let last: StreamPosition = START;
    let lastAt: string | null = null;
    const damaged = (reason: string): VerifiedRows => ({
      events: last.seq,
      lastAt,
      damage: { line: last.seq + 1, reason },
    });
    for (;;) {
      const rows = await db.query<Row>(page, [workspace, stream, last.seq]);
      for (const row of rows) {
        const line = { seq: Number(row.seq), hash: row.hash, text: row.line };
        const event = judgeRow(line, last, sign);
        if (typeof event === 'string') return damaged(event);
        const written = { ...event, type: storable(event.type) };
        const differs = COPIES.find((name) => !isDeepStrictEqual(row[name], written[name]));
        if (differs !== undefined) return damaged(`the column ${differs} differs from the line`);
        lastAt = event.at;
        last = event;
      }
      if (rows.length < ROWS) break;
    }
    const [found] = await db.query<{ seq: string; hash: string }>(head, [workspace, stream]);
    // Others may have appended since the last page.
    const isBehind = found === undefined || Number(found.seq) < last.seq;
    const isOther = Number(found?.seq) === last.seq && found?.hash !== last.hash;
    if (isBehind || isOther) return damaged('the table stream does not have its last event');
    return { events: last.seq, lastAt, damage: null };
  };
}

const COPIES = ['type', 'at', 'prev', 'hash', 'data'] as const;
