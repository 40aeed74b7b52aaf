import { onTestFinished } from 'vitest';
import { describeJournal } from '../../../test/support/journal-conformance.ts';
import { findPostgres, freshDatabase } from '../../../test/support/postgres.ts';
import { systemProcesses } from '../../environment/process/process-identity.ts';
import { openPostgresStore } from './open.ts';

await findPostgres();

describeJournal('in PostgreSQL', async () => {
  const store = openPostgresStore({
    url: await freshDatabase(),
    workspace: 'test',
    processes: systemProcesses,
  });
  onTestFinished(store.close);
  return store.journal;
});
