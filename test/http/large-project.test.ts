// A project that was used for years, and the first calls of a new server in it: everything is found
// and folded for the first time, and only the caller waits for that. With DEEPWORK_LARGE=1 the
// numbers are those of a very busy team; without it, a tenth of them.

import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectOverHttp, serveOverHttp } from '../support/http.ts';
import {
  pastMessages,
  repeatSession,
  writeManyJobs,
  writeMessages,
} from '../support/large-project.ts';
import { newProject, type Project } from '../support/project.ts';

const SCALE = process.env.DEEPWORK_LARGE === '1' ? 1 : 0.1;
const TIMEOUT = { timeout: 240_000 };

async function serve(project: Project) {
  const server = await serveOverHttp(project.root);
  const client = await connectOverHttp(server.url);
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const answer = await client.callTool({ name, arguments: given }, { timeout: 120_000 });
    const [block] = answer.content as { text: string }[];
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
    return { text: block?.text ?? '', data: answer.structuredContent as any };
  };
  return { ...server, client, call };
}

const start = { goal: 'g', job_name: 'job_0', workflow_name: 'main' };

test('Ten thousand ended sessions are skipped without a stall', TIMEOUT, async () => {
  const project = newProject({ 'o.md': 'Done.' });
  writeManyJobs(project, 1);
  const first = await serve(project);
  const { data } = await first.call('start_workflow', start);
  await first.call('finished_step', { outputs: { result: 'o.md' } });
  first.child.kill('SIGKILL');
  await first.ended;
  repeatSession(project, data.begin_step.session_id, 10_000 * SCALE);
  for (let times = 0; times < 2; times++) {
    const { call, child, ended } = await serve(project);
    expect((await call('get_active_workflow')).text).toContain('"active":false');
    await call('start_workflow', start);
    const done = await call('finished_step', { outputs: { result: 'o.md' } });
    expect(done.data.status).toBe('workflow_complete');
    child.kill('SIGKILL');
    await ended;
  }
});

test('Unread mail does not make a commit write megabytes', TIMEOUT, async () => {
  const project = newProject();
  const count = 20_000 * SCALE;
  writeMessages(project, pastMessages(count, count, 1024));
  const { call } = await serve(project);
  await call('update_workflow_state', { status: 'working', task: 't', addProgress: 'n' });
  expect(statSync(project.path('.sgai/state.json')).size).toBeLessThan(512 * 1024);
  expect((await call('check_outbox')).text).toContain(`Pending messages (${count})`);
  expect((await call('peek_message_bus')).text).toContain(`Total messages: ${count}`);
});
