// Removes streams that are in an archive by now. Both tables change in one transaction, so a crash
// leaves a stream whole or gone. Writers are kept out meanwhile: an append that had found the line
// before its own could otherwise add to a stream that is being removed. So few are removed at once,
// and no one waits for long.

import type { Head } from '../line-store.ts';
import type { Database } from './database.ts';

const AT_ONCE = 100;
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
  for (let start = 0; start < heads.length; start += AT_ONCE) {
    const some = JSON.stringify(heads.slice(start, start + AT_ONCE));
    await db.transaction(async (ask) => {
      await ask(`lock table ${schema}event in share row exclusive mode`);
      await ask(statement, [workspace, some]);
    }, DEADLINE_MS);
  }
}
