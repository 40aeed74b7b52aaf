// deepwork repair where the journal is in PostgreSQL: the state file of this checkout is repaired as
// with files; rows that were altered are not, and the command says what to do instead.

import { existsSync, readFileSync } from 'node:fs';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { sharedProject, storeEnv } from '../support/shared-project.ts';
import { verifies } from '../verifies.ts';

await findPostgres();

test('repair rewrites a state file that cannot be read, and says what to do about altered rows', async () => {
  verifies('STORE-8');
  const url = await freshDatabase();
  const env = storeEnv(url);
  const project = sharedProject();
  const sql = postgres(url, { max: 1 });
  onTestFinished(() => sql.end());
  const repair = (...more: string[]) => command(['repair', ...more], { cwd: project.root, env });
  const agent = await connect(project.root, { env, args: ['--agent', 'writer'] });
  await agent.call('send_message', { toAgent: 'coordinator', body: 'Hello' });
  await agent.close();

  expect(await repair()).toMatchObject({
    code: 0,
    stdout: 'Nothing to repair: state.json and the journal can be read.\n',
  });
  project.write('.sgai/state.json', '{"messages": [');
  expect(await repair()).toMatchObject({ code: 0, stdout: expect.stringContaining('kept as') });
  expect(JSON.parse(readFileSync(project.path('.sgai/state.json'), 'utf8'))).toBeTruthy();

  const journal = await repair('--journal');
  expect(journal.code).toBe(2);
  expect(journal.stderr).toContain('is in PostgreSQL, where nothing is quarantined');

  await sql`update deepwork.event set line = replace(line, 'Hello', 'Hullo')`;
  const damaged = await repair();
  expect(damaged.code).toBe(1);
  expect(damaged.stderr).toMatch(/team\/log, event \d+: the text is not what was written/);
  expect(damaged.stderr).toContain('restore these rows from a backup');
  expect(existsSync(project.path('.deepwork/journal/damaged'))).toBe(false);
}, 90_000);
