// Appends a line with one statement, which inserts the event, moves the stream's head and notifies
// other processes. The primary key decides which writer was first.
//
// A connection can break after the statement was sent and before it was answered. Then the same
// line is sent again: its place can be taken only once, so this is harmless. If the place is taken,
// it is read: our own line means that it was accepted the first time, another one that another
// writer was first. If the database does not answer in time, the outcome is unknown.

import type { Database } from './database.ts';
import { faultOf, isUniqueViolation } from './fault.ts';
import { waitBudget } from './wait-budget.ts';

export interface LineToStore {
  readonly stream: string;
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
  readonly type: string;
  readonly at: string;
  /** The text between tab and newline of a file's line. */
  readonly text: string;
  /** The event's data as JSON, as it is in the text. */
  readonly data: string;
}

export type AppendLine = (line: LineToStore) => Promise<boolean>;

/** A slow connection transfers a few megabytes per second. */
const MS_PER_BYTE = 1 / 4000;
const DEADLINE_MS = 2000;

/** True: it is recorded. False: another writer was first, or the stream ends elsewhere. */
export function openAppend(db: Database, workspace: string, channel: string): AppendLine {
  const statement = `
    with put as (
      insert into ${db.schema}event (workspace, stream, seq, line, type, at, prev, hash, data)
      select $1::text, $2::text, $3::bigint, $4::text, $5::text, $6::text, $7::text, $8::text,
             $9::text::json
      where $3::bigint = 1 or exists (
        select from ${db.schema}event
        where workspace = $1::text and stream = $2::text and seq = $3::bigint - 1 and hash = $7::text)
      returning 1
    ), moved as (
      insert into ${db.schema}stream (workspace, name, seq, hash, tx)
      select $1::text, $2::text, $3::bigint, $8::text, pg_current_xact_id() from put
      on conflict (workspace, name)
      do update set seq = excluded.seq, hash = excluded.hash, tx = excluded.tx
    )
    select pg_notify($10::text, $2::text) from put`;
  const place = `
    select line from ${db.schema}event where workspace = $1 and stream = $2 and seq = $3::bigint`;

  async function put(line: LineToStore): Promise<boolean> {
    const { stream, seq, prev, hash, type, at, text, data } = line;
    const deadline = DEADLINE_MS + 2 * Buffer.byteLength(text) * MS_PER_BYTE;
    const values = [workspace, stream, seq, text, storable(type), at, prev, hash, data, channel];
    try {
      return (await db.queryOnce(statement, values, deadline)).length === 1;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  async function isOurs({ stream, seq, text }: LineToStore): Promise<boolean> {
    const [found] = await db.queryOnce<{ line: string }>(place, [workspace, stream, seq]);
    return found?.line === text;
  }

  return async (line) => {
    const failed = db.attempts();
    for (let maybeDone = false; ; ) {
      try {
        const isPlaced = (await put(line)) || (maybeDone && (await isOurs(line)));
        if (isPlaced) waitBudget().recorded();
        return isPlaced;
      } catch (error) {
        maybeDone ||= faultOf(error, db.url).kind === 'lost';
        await failed(error, maybeDone);
      }
    }
  };
}

/** PostgreSQL stores neither NUL nor lone surrogates; the line itself has them escaped. */
export function storable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\u2400')).toString();
}
