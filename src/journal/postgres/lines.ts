// Reads the lines of a stream in pages, bounded in number and in bytes: one event may have 16 MiB.

import type { StoredLine } from '../line-store.ts';
import type { Database } from './database.ts';

const MAX_LINES = 500;
const MAX_BYTES = 4 * 1024 * 1024;

/** From this number on, oldest first. */
export async function* pagesOfLines(
  db: Database,
  workspace: string,
  stream: string,
  from: number,
): AsyncGenerator<readonly StoredLine[], void> {
  const statement = `
    select seq, hash, line from (
      select seq, hash, line, sum(octet_length(line)) over (order by seq) - octet_length(line) as bytes_before
      from (
        select seq, hash, line from ${db.schema}event
        where workspace = $1 and stream = $2 and seq >= $3::bigint
        order by seq limit ${MAX_LINES}) as found) as page
    where bytes_before < ${MAX_BYTES} order by seq`;
  for (let next = from; ; ) {
    const rows = await db.query<Row>(statement, [workspace, stream, next]);
    const page = rows.map(({ seq, hash, line }) => ({ seq: Number(seq), hash, text: line }));
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    // A page that reached the byte limit is not the last one.
    if (page.length < MAX_LINES && bytesOf(page) < MAX_BYTES) return;
    next = last.seq + 1;
  }
}

function bytesOf(page: readonly StoredLine[]): number {
  return page.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

interface Row {
  readonly seq: string;
  readonly hash: string;
  readonly line: string;
}
