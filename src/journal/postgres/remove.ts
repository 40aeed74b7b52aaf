// Removes streams that have been archived. Both tables change in one transaction, so after a crash
// a stream is either complete or gone. Writers are locked out: an append that has already found
// the line before its own could otherwise add to a stream that is being removed. Only a few streams
// are removed at a time, so that writers do not wait long.

import type { Head } from '../line-store.ts';
import type { Database } from './database.ts';

const BATCH = 100;
const DEADLINE_MS = 20_000;

export async function removeStreams(
  db: Database,
  workspace: string,
  heads: readonly Head[],
): Promise<void> {
  const { schema } = db;
  const statement = `
    with gone as (
      delete from ${schema}stream s
      using json_to_recordset($2::text::json) as wanted(stream text, seq bigint, hash text)
      where s.workspace = $1 and s.name = wanted.stream
        and s.seq = wanted.seq and s.hash = wanted.hash
      returning s.name)
    delete from ${schema}event e using gone where e.workspace = $1 and e.stream = gone.name`;
  for (let start = 0; start < heads.length; start += BATCH) {
    const some = JSON.stringify(heads.slice(start, start + BATCH));
    await db.transaction(async (query) => {
      await query(`lock table ${schema}event in share row exclusive mode`);
      await query(statement, [workspace, some]);
    }, DEADLINE_MS);
  }
}
