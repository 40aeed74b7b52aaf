// What the page reads: runs, one run, one run as it was, files, definitions, the team. Everything
// that comes from agents is data, and reading changes nothing.

import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { TRIAGE_INPUTS, writeJobWithInputs } from '../language/support.ts';
import { post } from '../support/http.ts';
import { newProject } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { getFrom, sha256, showProject, startDemo } from './support.ts';

/** Every file of the journal, with its content. */
function journalOf(root: string): Record<string, string> {
  const folder = path.join(root, '.deepwork/journal');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    files
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]),
  );
}

test('the board, a run and a run as it was are answered, and not a byte of the journal changes', async () => {
  verifies('BOARD-4');
  const { project, agent, get } = await showProject();
  const id = await startDemo(agent);
  project.write('plan.md', 'a plan\n');
  await agent.ok('finished_step', { outputs: { plan: 'plan.md' } });
  const before = journalOf(project.root);
  const { body: board } = await get('/api/board');
  expect(board).toMatchObject({
    workspace: project.root,
    runs: [{ session_id: id, workflow: 'demo/main', step: 'draft', state: 'working' }],
    questions: [],
  });
  const { body: now } = await get(`/api/runs/${id}`);
  expect(now.run.step).toBe('draft');
  expect(now.workflow.steps[0].progress).toMatchObject({ state: 'accepted' });
  expect(now.drawing_svg).toMatch(/^<svg .*data-step="draft"/s);
  expect(now.events.map(({ type }: { type: string }) => type)).toEqual(['started', 'judged']);
  expect((await get(`/api/runs/${id.slice(0, 4)}`)).body.run.session_id).toBe(id);
  const { body: then } = await get(`/api/runs/${id}/at/1`);
  expect(then.run.step).toBe('plan');
  expect(then.events).toHaveLength(1);
  const past = await get(`/api/runs/${id}/at/3`);
  expect(past).toMatchObject({ status: 404, body: { code: 'event_unknown' } });
  expect(journalOf(project.root)).toEqual(before);
  for (const unknown of ['/api/runs/ffffffff', '/api/nothing', '/api/runs/ffffffff/at/1']) {
    const { status, body, headers } = await get(unknown);
    expect([status, Object.keys(body)], unknown).toEqual([404, ['code', 'message', 'next']]);
    expect(headers.get('content-type')).toBe('application/json');
  }
});

test('a file is shown only by the hash of an output that was handed in', async () => {
  verifies('BOARD-4');
  const { project, agent, get } = await showProject();
  const id = await startDemo(agent);
  const [text, secret] = ['<script>alert(1)</script>\n', 'a secret of the project\n'];
  project.write('plan.md', text);
  project.write('secret.md', secret);
  await agent.ok('finished_step', { outputs: { plan: 'plan.md' } });
  const file = `/api/runs/${id}/files/`;
  const shown = await get(file + sha256(text));
  expect([shown.status, shown.text]).toEqual([200, text]);
  expect(shown.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await get(file + sha256(secret))).status).toBe(404);
  const other = await startDemo(agent, 'other');
  expect((await get(`/api/runs/${other}/files/${sha256(text)}`)).status).toBe(404);
  for (const odd of ['..%2f..%2fsecret.md', 'plan.md', sha256(text).slice(1)]) {
    expect((await get(file + odd)).status, odd).toBe(404);
  }
  project.write('plan.md', 'changed\n');
  const changed = await get(file + sha256(text));
  expect([changed.status, changed.text]).toEqual([410, 'changed\n']);
  // A link that leads out is not followed, whatever it was before.
  const outside = newProject({ 'plan.md': text });
  rmSync(project.path('plan.md'));
  symlinkSync(outside.path('plan.md'), project.path('plan.md'));
  const linked = await get(file + sha256(text));
  expect([linked.status, linked.text]).toEqual([410, '']);
});

test('definitions are drawn, with their inputs, and with what is wrong in them at line and column', async () => {
  verifies('BOARD-4', 'LANG-1');
  const { project, get } = await showProject();
  writeJobWithInputs(project, TRIAGE_INPUTS, { a: {} });
  const broken = project.write('.deepwork/jobs/broken/job.yml', 'name: broken\nsteps: 7\n');
  project.write('.deepwork/workflows/bad.json', '{"id": 7}');
  const { body } = await get('/api/definitions');
  const named = (name: string) => body.jobs.find((job: { name: string }) => job.name === name);
  const [workflow] = named('demo').workflows;
  expect(workflow).toMatchObject({
    drawing_svg: expect.stringContaining('data-step="a"'),
    start: expect.stringContaining('demo/'),
  });
  expect(workflow.inputs.map(({ name }: { name: string }) => name)).toEqual(
    Object.keys(TRIAGE_INPUTS),
  );
  expect(workflow.inputs[1]).toMatchObject({ enum: ['low', 'high'], default: 'low' });
  expect(named('broken').problems[0]).toMatchObject({
    file: broken,
    line: expect.any(Number),
    column: expect.any(Number),
  });
  expect(body.guides.length).toBeGreaterThan(0);
});

test('messages come page by page, newest first', async () => {
  verifies('BOARD-4');
  const { project, agent, get } = await showProject();
  project.write('.deepwork/config.yml', 'git: {branch: off}\nteam: {agents: [{name: writer}]}\n');
  for (let nth = 1; nth <= 5; nth++) {
    const sent = await agent.call('send_message', { toAgent: 'writer', body: `<b>${nth}</b>` });
    expect(sent.isError, sent.text).toBe(false);
  }
  const ids = ({ messages }: { messages: { id: number }[] }) => messages.map(({ id }) => id);
  const { body } = await get('/api/team');
  expect(body.team.messages.total).toBe(5);
  expect(ids(body)).toEqual([5, 4, 3, 2, 1]);
  expect(body.messages[0]).toMatchObject({ from: 'coordinator', to: 'writer', text: '<b>5</b>' });
  expect(ids((await get('/api/team?limit=2')).body)).toEqual([5, 4]);
  expect(ids((await get('/api/team?limit=2&before=4')).body)).toEqual([3, 2]);
  expect(ids((await get('/api/team?limit=x&before=-1')).body)).toHaveLength(5);
});

test('open questions are listed, and answered with a name', async () => {
  verifies('BOARD-4');
  const { agent, get, server } = await showProject();
  const asked = agent.call('ask_user_question', {
    questions: [{ question: '<script>x</script>?', choices: ['yes', 'no'] }],
  });
  let open: { id: string; text: string }[] = [];
  while (open.length === 0) open = (await get('/api/questions')).body;
  expect(open[0]).toMatchObject({ text: '<script>x</script>?', kind: 'question', show: [] });
  const at = `${server.url}/api/questions/${open[0]?.id}/answer`;
  const answered = await post(at, { choices: ['yes'], text: 'go on', by: 'Ada' });
  expect(answered.body).toMatchObject({ answer: { choices: ['yes'], other: 'go on' }, by: 'Ada' });
  expect((await asked).text).toContain('go on');
  expect((await get('/api/questions')).body).toEqual([]);
});

test('other methods are answered sensibly', async () => {
  const { server } = await showProject();
  const ask = (path: string, method: string) => getFrom(server.url, path, {}, method);
  const head = await ask('/api/board', 'HEAD');
  expect([head.status, head.text]).toEqual([200, '']);
  expect((await ask('/api/events', 'HEAD')).status).toBe(200);
  const options = await ask('/api/runs/ffffffff/abort', 'OPTIONS');
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
  expect(options.headers.get('access-control-allow-origin')).toBeNull();
  const put = await ask('/api/board', 'PUT');
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect((await ask('/', 'DELETE')).status).toBe(405);
  const post405 = await post(`${server.url}/api/board`, {});
  expect(post405).toMatchObject({ status: 405, body: { code: 'wrong_method' } });
});
