// A person gives a run up or sends it back on the page, while its agent works in another process:
// the agent's next call has no effect of its own and says who did what, and why.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { post, type Replied } from '../support/http.ts';
import { refusal } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { type Shown, showProject, startDemo } from './support.ts';

function steer(
  { server }: Shown,
  id: string,
  act: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Replied> {
  return post(`${server.url}/api/runs/${id}/${act}`, body, headers);
}

const WHY = { reason: 'the plan is wrong', by: 'Ada' };

/** A run that has handed in its plan, and stands at its draft. */
async function atDraft(shown: Shown): Promise<string> {
  const id = await startDemo(shown.agent);
  shown.project.write('plan.md', 'a plan\n');
  shown.project.write('text.md', 'a text\n');
  await shown.agent.ok('finished_step', { outputs: { plan: 'plan.md' } });
  return id;
}

test('a run that was sent back tells its agent with the next finished_step, which is not judged', async () => {
  verifies('BOARD-4');
  const shown = await showProject();
  const { agent, get } = shown;
  const id = await atDraft(shown);
  await agent.ok('finished_step', { outputs: { text: 'text.md' } });
  // From `check` back to `draft`: both have an output of the same name.
  const done = await steer(shown, id, 'go-to', { ...WHY, step_id: 'draft' });
  expect(done).toMatchObject({ status: 200, body: { session_id: id, by: 'Ada', seq: 4 } });
  const told = await agent.ok('finished_step', { outputs: { text: 'text.md' } });
  expect(told).toMatchObject({ status: 'next_step', begin_step: { step_id: 'draft' } });
  expect(told.feedback).toMatch(/Ada.*'draft'.*the plan is wrong/);
  const next = await agent.ok('finished_step', { outputs: { text: 'text.md' } });
  expect(next).toMatchObject({ status: 'next_step', feedback: null });
  expect(next.begin_step.step_id).toBe('check');
  const { body } = await get(`/api/runs/${id}`);
  expect(body.events.filter(({ by }: { by: string }) => by === 'Ada')).toMatchObject([{ seq: 4 }]);

  // One that asks first reads it there, and its next call is judged.
  expect((await steer(shown, id, 'go-to', { ...WHY, step_id: 'plan' })).status).toBe(200);
  const tried = await agent.ok('validate_step_outputs', { outputs: { plan: 'plan.md' } });
  expect(tried).toMatchObject({ valid: false, problems: [expect.stringContaining('Ada')] });
  const seen = await agent.ok('get_active_workflow');
  expect(seen.last_feedback).toMatch(/Ada.*'plan'.*the plan is wrong/);
  const judged = await agent.ok('finished_step', { outputs: { plan: 'plan.md' } });
  expect(judged).toMatchObject({ status: 'next_step', begin_step: { step_id: 'draft' } });
});

test('go_to_step and abort_workflow are refused once, with who steered and why', async () => {
  verifies('BOARD-4');
  const shown = await showProject();
  const { agent } = shown;
  const id = await atDraft(shown);
  await steer(shown, id, 'go-to', { ...WHY, step_id: 'plan' });
  const first = await refusal(agent, 'go_to_step', { step_id: 'draft' });
  expect(first.message).toMatch(/Ada.*the plan is wrong/);
  const again = await refusal(agent, 'go_to_step', { step_id: 'draft' });
  expect(again.code).not.toBe(first.code);
  await steer(shown, id, 'go-to', { ...WHY, step_id: 'plan', reason: 'once more' });
  expect(await agent.refused('abort_workflow', { explanation: 'no' })).toContain('once more');
  await agent.ok('abort_workflow', { explanation: 'no' });
});

test('a run that was given up names the person and the reason to its agent', async () => {
  verifies('BOARD-4');
  const shown = await showProject();
  const { agent, get, project } = shown;
  const id = await atDraft(shown);
  const done = await steer(shown, id, 'abort', WHY);
  expect(done).toMatchObject({ status: 200, body: { status: 'aborted', by: 'Ada' } });
  const what = 'Ada';
  expect(await agent.refused('finished_step', { outputs: { text: 'text.md' } })).toContain(what);
  const byId = { outputs: { text: 'text.md' }, session_id: id };
  expect(await agent.refused('finished_step', byId)).toMatch(/Ada.*the plan is wrong/);
  expect((await agent.ok('get_active_workflow')).warnings.join()).toContain(what);
  const { run } = (await get(`/api/runs/${id}`)).body;
  expect(run).toMatchObject({ status: 'aborted', state: null });
  const again = await steer(shown, id, 'abort', WHY);
  expect(again).toMatchObject({ status: 409, body: { code: 'run_ended' } });
  const fresh = await connect(project.root);
  const start = { job_name: 'demo', workflow_name: 'other', goal: 'x' };
  expect((await fresh.ok('start_workflow', start)).warnings.join()).not.toContain(what);
  expect((await agent.ok('start_workflow', start)).warnings.join()).toContain(what);
});

test('a call that was meant for a nested run does not act on the run below it', async () => {
  verifies('BOARD-4');
  const shown = await showProject();
  const { agent, project } = shown;
  project.write('plan.md', 'a plan\n');
  const below = await startDemo(agent);
  const nested = await startDemo(agent, 'other');
  // Both wait for a plan.
  await steer(shown, nested, 'abort', WHY);
  const refused = await agent.refused('finished_step', { outputs: { plan: 'plan.md' } });
  for (const said of ['Ada', nested, below]) expect(refused).toContain(said);
  const again = await startDemo(agent, 'other');
  await steer(shown, again, 'abort', { ...WHY, reason: 'again' });
  expect(await agent.refused('abort_workflow', { explanation: 'x' })).toContain('again');
  const next = await agent.ok('finished_step', { outputs: { plan: 'plan.md' } });
  expect(next).toMatchObject({ status: 'next_step', begin_step: { session_id: below } });
});

test('a submission that is being judged while a person steers is answered at once with who did it', async () => {
  verifies('BOARD-4', 'JOBS-X.27');
  const shown = await showProject({ env: { DEEPWORK_TRUST: '1' } });
  const { project, server } = shown;
  const job = project.path('.deepwork/jobs/demo/job.yml');
  const text = readFileSync(job, 'utf8');
  const run = 'touch began; while true; do sleep 0.05; done';
  const slow = `checks:\n      - name: slow\n        run: ${run}\n    reviews: []`;
  writeFileSync(job, text.replace('reviews: []', slow));
  const agent = await connect(project.root, { args: ['--trust'] });
  const id = await startDemo(agent);
  project.write('plan.md', 'a plan\n');
  const judged = agent.ok('finished_step', { outputs: { plan: 'plan.md' } });
  await until(() => existsSync(project.path('began')));
  const url = `${server.url}/api/runs/${id}/go-to`;
  expect((await post(url, { ...WHY, step_id: 'plan' })).status).toBe(200);
  const told = await judged;
  expect(told).toMatchObject({ status: 'next_step', begin_step: { step_id: 'plan' } });
  expect(told.feedback).toContain('Ada');
});

test('what cannot be done is refused, and changes nothing', async () => {
  verifies('BOARD-4');
  const shown = await showProject();
  const { get } = shown;
  const id = await atDraft(shown);
  const before = (await get(`/api/runs/${id}`)).body.events.length;
  const wrong: [string, string, unknown, number][] = [
    [id, 'abort', {}, 400],
    [id, 'abort', { reason: ' \u200b' }, 400],
    [id, 'abort', { reason: 'x'.repeat(5000) }, 400],
    [id, 'abort', 'not JSON', 400],
    [id, 'go-to', { reason: 'x' }, 400],
    [id, 'go-to', { reason: 'x', step_id: 'nowhere' }, 400],
    [id, 'go-to', { reason: 'x', step_id: 'check' }, 409],
    ['ffffffff', 'abort', { reason: 'x' }, 404],
    [id, 'pause', { reason: 'x' }, 404],
  ];
  for (const [run, act, body, status] of wrong) {
    const said = await steer(shown, run, act, body);
    expect(said.status, `${act} ${JSON.stringify(body).slice(0, 40)}`).toBe(status);
    expect(said.body.code).toMatch(/^[a-z_]+$/);
  }
  const start = await post(`${shown.server.url}/api/runs`, { workflow: 'demo/main' });
  expect(start).toMatchObject({ status: 404, body: { code: 'run_not_configured' } });
  expect((await get(`/api/runs/${id}`)).body.events).toHaveLength(before);
});

test('an agent may look on, and may not steer', async () => {
  verifies('BOARD-4');
  const shown = await showProject();
  const { get } = shown;
  const id = await atDraft(shown);
  const agent = { 'x-sgai-agent-identity': 'writer' };
  expect((await get(`/api/runs/${id}`, agent)).status).toBe(200);
  for (const act of ['abort', 'go-to']) {
    const said = await steer(shown, id, act, { ...WHY, step_id: 'plan' }, agent);
    expect(said).toMatchObject({ status: 403, body: { code: 'agents_cannot_steer' } });
  }
  expect((await get(`/api/runs/${id}`)).body.run.step).toBe('draft');
});

test('the answer to the next call reports every act since the last one', async () => {
  verifies('BOARD-4');
  const shown = await showProject();
  const { agent } = shown;
  const outer = await atDraft(shown);
  const nested = await startDemo(agent, 'other');
  const innermost = await startDemo(agent, 'other');
  await steer(shown, innermost, 'abort', { reason: 'too deep', by: 'Cleo' });
  await steer(shown, nested, 'abort', { reason: 'not needed', by: 'Ada' });
  await steer(shown, outer, 'go-to', { step_id: 'plan', reason: 'start over', by: 'Bob' });
  const told = await agent.ok('finished_step', { outputs: { text: 'text.md' } });
  expect(told).toMatchObject({ status: 'next_step', begin_step: { step_id: 'plan' } });
  for (const said of [/Cleo.*too deep/, /Ada.*not needed/, /Bob.*start over/]) {
    expect(told.feedback).toMatch(said);
  }
});

test('of several people who abort a run at once, the agent hears only of the one who did', async () => {
  verifies('BOARD-4');
  const shown = await showProject();
  const { agent, get } = shown;
  const outer = await atDraft(shown);
  const nested = await startDemo(agent, 'other');
  const people = Array.from({ length: 8 }, (_, index) => `Person${index}`);
  const replies = await Promise.all(
    people.map((by) => steer(shown, nested, 'abort', { by, reason: `asked by ${by}` })),
  );
  const [who] = people.filter((_, index) => replies[index]?.status === 200);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  const refused = await agent.refused('finished_step', { outputs: { text: 'text.md' } });
  expect(refused.match(/asked by Person\d/g)).toEqual([`asked by ${who}`]);
  const { body } = await get(`/api/runs/${outer}`);
  const told = body.events.filter(({ type }: { type: string }) => type === 'stack_changed');
  expect(told).toHaveLength(1);
});
