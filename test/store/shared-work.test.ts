// Two servers on one database, as on two machines: what one does the other sees.

import postgres from 'postgres';
import { expect, test } from 'vitest';
import { connect, connectToProcess } from '../support/connect.ts';
import { findPostgres, freshDatabase } from '../support/postgres.ts';
import { START, sharedProject, storeEnv } from '../support/shared-project.ts';

await findPostgres();

test('work that was left on one checkout goes on in another, in the same session', async () => {
  const url = await freshDatabase();
  const env = storeEnv(url);
  const [one, two] = [sharedProject(), sharedProject()];
  const first = await connectToProcess(one.root, { env, closeAfterTest: false });
  const { begin_step: step } = await first.ok('start_workflow', START);
  expect(step.step_id).toBe('a');
  await first.close();
  const second = await connect(two.root, { env });
  const active = await second.ok('get_active_workflow');
  expect(active).toMatchObject({ session_id: step.session_id });
  two.write('report.md', 'Done\n');
  const next = await second.ok('finished_step', { outputs: { report: 'report.md' } });
  expect(next).toMatchObject({ status: 'next_step', begin_step: { step_id: 'b' } });
  two.write('result.md', 'Done\n');
  const end = await second.ok('finished_step', { outputs: { result: 'result.md' } });
  expect(end).toMatchObject({ status: 'workflow_complete' });

  const sql = postgres(url, { max: 1 });
  const rows = await sql`select stream, seq, line, type, at, prev, hash, data from deepwork.event`;
  await sql.end();
  for (const { line, seq, type, at, prev, hash, data } of rows) {
    const event = JSON.parse(line);
    expect(line).not.toContain(one.root);
    expect(line).not.toContain(two.root);
    expect(event).toMatchObject({ seq: Number(seq), type, at, prev, hash, data });
  }
  expect(rows.length).toBeGreaterThan(3);
});

test('messages and answers reach agents at another server', async () => {
  const env = storeEnv(await freshDatabase());
  const [one, two] = [sharedProject(), sharedProject()];
  const writer = await connect(one.root, { env, args: ['--agent', 'writer'] });
  const reader = await connect(two.root, { env, args: ['--agent', 'reader'] });
  await reader.call('check_inbox');
  const sent = await writer.call('send_message', { toAgent: 'reader', body: 'Hello from afar' });
  expect(sent.isError, sent.text).toBe(false);
  expect((await reader.call('check_inbox')).text).toContain('Hello from afar');
});
