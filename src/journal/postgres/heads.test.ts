// When a call may reuse the last refresh, and when it has to query again.

import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { appendNext } from '../../../test/support/journal-conformance.ts';
import { findPostgres, freshDatabase } from '../../../test/support/postgres.ts';
import { until } from '../../../test/support/until.ts';
import { verifies } from '../../../test/verifies.ts';
import { requireFreshReads, withinCall } from '../../async/call-scope.ts';
import { openPostgresStore } from './open.ts';

await findPostgres();

const STREAM = 'session/0000abcd';

/** Two processes on one workspace, both of which know the stream. */
async function twoJournals() {
  const url = await freshDatabase();
  const open = () => {
    const store = openPostgresStore({ url, workspace: 'test' });
    onTestFinished(store.close);
    return store.journal;
  };
  const [ours, others] = [open(), open()];
  await appendNext(others, STREAM);
  await ours.version(STREAM);
  return { url, ours, others };
}

test('a call sees everything recorded before it began', async () => {
  verifies('STORE-1');
  const { ours, others } = await twoJournals();
  for (let seq = 2; seq < 5; seq += 1) {
    await withinCall(async () => ours.version(STREAM));
    const { hash } = await appendNext(others, STREAM);
    expect(await withinCall(async () => ours.version(STREAM))).toBe(`${seq}:${hash}`);
  }
});

test('outside a call, and after a call has waited, the database is queried again', async () => {
  verifies('STORE-1');
  const { ours, others } = await twoJournals();
  await withinCall(async () => {
    await ours.version(STREAM);
    const { hash } = await appendNext(others, STREAM);
    requireFreshReads();
    expect(await ours.version(STREAM)).toBe(`2:${hash}`);
  });
  const { hash } = await appendNext(others, STREAM);
  expect(await ours.version(STREAM)).toBe(`3:${hash}`);
});

test('a call after a notification sees the notified change', async () => {
  verifies('STORE-1');
  const { url, ours, others } = await twoJournals();
  const sql = postgres(url, { max: 1 });
  onTestFinished(() => sql.end());
  const woken = new Set<string>();
  ours.watch('', (stream) => woken.add(stream));
  await until(async () => {
    const [row] = await sql`select count(*) from pg_stat_activity
      where datname = current_database() and query like 'listen%'`;
    return Number(row?.count) > 0;
  });
  for (const stream of ['session/00000001', 'session/00000002', 'session/00000003']) {
    await withinCall(async () => {
      expect(await ours.version(stream)).toBeNull();
      const { hash } = await appendNext(others, stream);
      await until(() => woken.has(stream));
      expect(await ours.version(stream)).toBe(`1:${hash}`);
    });
  }
});
