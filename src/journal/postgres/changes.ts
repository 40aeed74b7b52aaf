// The streams that changed since a mark left by another process, for readers that do not want to
// list every stream. A mark is the transaction before which that process knew everything
// (`heads.ts`), prefixed by a hash of the database and workspace, because it is invalid elsewhere.

import { createHash } from 'node:crypto';
import type { Head } from '../line-store.ts';
import type { Database } from './database.ts';
import type { HeadRow } from './heads.ts';
import type { WantedStreams } from './store.ts';

export interface Changes {
  /** Null if nothing is known yet. */
  markOf(transaction: string | null): string | null;
  since(mark: string, wanted: WantedStreams): Promise<readonly Head[] | null>;
}

/** `place`: address, schema and workspace. */
export function openChanges(db: Database, workspace: string, place: string): Changes {
  const here = createHash('sha256').update(place).digest('hex').slice(0, 16);
  const table = `${db.schema}stream`;
  const statement = `
    select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, s.name, s.seq, s.hash
    from (values (1)) as one left join (
      select name, seq, hash from ${table} where workspace = $1 and tx >= $2::text::xid8
      union
      select name, seq, hash from ${table} where workspace = $1
        and name in (select json_array_elements_text($3::text::json))
      union
      select name, seq, hash from ${table} where workspace = $1 and name >= $4 and name < $5
    ) as s on true`;

  return {
    markOf: (transaction) => (transaction === null ? null : `${here}:${transaction}`),
    async since(mark, { names, prefix }) {
      const [of, transaction = ''] = mark.split(':');
      if (of !== here || !/^\d{1,20}$/.test(transaction)) return null;
      // The character after the slash.
      const end = `${prefix.slice(0, -1)}0`;
      const values = [workspace, transaction, JSON.stringify(names), prefix, end];
      const rows = await db.query<HeadRow>(statement, values);
      // The database was replaced by an older copy.
      if (BigInt(rows[0]?.xmin ?? '0') < BigInt(transaction)) return null;
      return rows.flatMap(({ name, seq, hash }) =>
        name === null ? [] : [{ stream: name, seq: Number(seq), hash }],
      );
    },
  };
}
