import { expect, onTestFinished, test } from 'vitest';
import { findPostgres, freshDatabase } from '../../../test/support/postgres.ts';
import { systemProcesses } from '../../environment/process/process-identity.ts';
import { openPostgresStore } from './open.ts';

await findPostgres();

test('a stream is removed only as it was archived, not if it has grown since', async () => {
  const url = await freshDatabase();
  const open = () => {
    const store = openPostgresStore({ url, workspace: 'test', processes: systemProcesses });
    onTestFinished(store.close);
    return store;
  };
  const store = open();
  const event = { type: 'noted', at: '2026-01-01T00:00:00.000Z', data: {} };
  for (const stream of ['session/a', 'session/b']) await store.journal.append(stream, 0, event);
  const archived = await store.heads();
  await store.journal.append('session/b', 1, event);
  await store.remove(archived);
  expect(await open().heads()).toMatchObject([{ stream: 'session/b', seq: 2 }]);
});
