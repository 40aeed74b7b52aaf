// Files, answers and requests that could keep a server busy. Each of these once made all other
// clients wait; now the watchdog of every test server fails the test if one does.

import { closeSync, ftruncateSync, openSync, statSync } from 'node:fs';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { guideProject, step, withCriteria, workflow } from '../guides/guide-project.ts';
import { connectOverHttp, post, serveOverHttp } from '../support/http.ts';
import { pastMessages, writeMessages } from '../support/large-project.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { PASS, REVIEW_COMMAND, script } from '../support/reviewer.ts';

const MIB = 1024 * 1024;
/** Compiled in one go, even the smaller number would take far longer than a turn may. */
const SCHEMAS_PER_GUIDE = process.env.DEEPWORK_LARGE === '1' ? 100 : 30;

/** Filled up with copies of a piece. */
function filled(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

async function serve(project: Project, args: readonly string[] = []) {
  const server = await serveOverHttp(project.root, { args });
  const client = await connectOverHttp(server.url);
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const answer = await client.callTool({ name, arguments: given }, { timeout: 60_000 });
    const [block] = answer.content as { text: string }[];
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
    return { text: block?.text ?? '', data: answer.structuredContent as any };
  };
  return { ...server, client, call };
}

const start = { goal: 'g', job_name: 'demo', workflow_name: 'main' };

/** Values for an array in which every member is compared with every other. */
const UNIQUE = { type: 'array', uniqueItems: true };

function jobWithRules(rules: unknown, type: 'file' | 'files'): Project {
  const project = newProject();
  const output = { type, description: 'd', required: true, rules };
  writeJob(project, 'demo', { write: { outputs: { pages: output } } }, { main: ['write'] });
  return project;
}

test('Rules over many files share one budget, and other calls are served in between', async () => {
  const unique = { type: 'schema', schema: UNIQUE, message: 'Must be unique' };
  const project = jobWithRules([unique], 'files');
  const list = JSON.stringify(Array.from({ length: 700 }, (_, at) => ({ at, x: [at, [at]] })));
  const pages = Array.from({ length: 400 }, (_, at) => `page-${at}.json`);
  for (const page of pages) project.write(page, list);
  const { call } = await serve(project);
  await call('start_workflow', start);
  const { data } = await call('finished_step', { outputs: { pages } });
  expect(data.status).toBe('needs_work');
});

test("A reviewer's answer of a megabyte of opened fences is searched in linear time", async () => {
  const project = newProject({ 'o.md': 'Done.' });
  writeJob(
    project,
    'demo',
    { write: { outputs: { o: 'file' }, reviews: [REVIEW] } },
    { main: ['write'] },
  );
  script(project, { raw: `\`\`\`json${filled('\n', MIB - 10)}` });
  const { call } = await serve(project, ['--quality-gate', REVIEW_COMMAND, '--trust']);
  await call('start_workflow', start);
  const { text } = await call('finished_step', { outputs: { o: 'o.md' } });
  expect(text).toContain('as JSON');
  script(project, { raw: `${filled('```json\n', MIB - 1000)}\n${JSON.stringify(PASS)}\n\`\`\`` });
  const { data } = await call('finished_step', { outputs: { o: 'o.md' } });
  expect(data.status).toBe('workflow_complete');
});

test.each([
  ['of many keys', Array.from({ length: 24_000 }, (_, at) => `k${at}: v`).join('\n')],
  ['of aliases', `a: &a b\n${filled('c: *a\n', 250_000)}`],
])('A config.yml %s stalls no call, and is not read again until it changes', async (_, text) => {
  const project = newProject();
  const { call } = await serve(project);
  project.write('.deepwork/config.yml', text);
  for (let times = 0; times < 5; times++) {
    expect((await call('check_outbox')).text).not.toBe('');
    await call('start_workflow', start);
  }
});

test('A job.yml of a megabyte is read in slices', async () => {
  const project = newProject();
  const texts = {
    keys: Array.from({ length: 100_000 }, (_, at) => `k${at}: v`).join('\n'),
    lines: `a: |\n${filled(' x\n', MIB - 10)}`,
    flow: `[${filled('[],', MIB - 10)}]`,
  };
  for (const [name, text] of Object.entries(texts)) {
    project.write(`.deepwork/jobs/${name}/job.yml`, text);
  }
  const { call } = await serve(project);
  const { data } = await call('get_workflows');
  expect(data.errors).toHaveLength(Object.keys(texts).length);
});

test('Guides with many schemas are compiled without a stall', async () => {
  const properties = (seed: number) =>
    Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `p${seed}_${at}`,
        {
          type: 'object',
          properties: { a: { type: 'string', pattern: '^a+$' }, b: { $ref: '#' } },
        },
      ]),
    );
  const rules = Array.from({ length: SCHEMAS_PER_GUIDE }, (_, seed) => ({
    type: 'schema',
    schema: { type: 'object', properties: properties(seed) },
    message: `Schema ${seed}`,
  }));
  const files = Object.fromEntries(['one', 'two'].map((id) => [id, withCriteria(id, rules)]));
  const wide = (id: string) =>
    withCriteria(id, [
      {
        type: 'schema',
        message: 'Wide',
        schema: { anyOf: Array.from({ length: 9000 }, (_, at) => ({ const: at, minLength: 1 })) },
      },
    ]);
  const { call } = await serve(guideProject({ ...files, wide: wide('wide') }));
  const { text } = await call('workflow_list');
  expect(text).toContain('"one"');
  const given = { workflowId: 'two', stepId: step().id, output: '{"p0_1": 1}' };
  expect((await call('workflow_validate', given)).text).toContain('Schema 0');
});

test('A workflow file of a megabyte is read without a stall', async () => {
  const wide = JSON.stringify(workflow({ id: 'wide' })).slice(0, -1);
  const files = {
    brackets: `${filled('[', MIB - 10)}`,
    members: `${wide},"x":{${Array.from({ length: 80_000 }, (_, at) => `"${at}":[]`).join(',')}}}`,
  };
  const { call } = await serve(guideProject(files));
  expect((await call('workflow_list')).text).toContain('workflows');
});

test('A state.json of many megabytes is refused without being parsed', async () => {
  const project = newProject();
  const { call } = await serve(project);
  project.write('.sgai/state.json', `{"x":[${filled('[],', 60 * MIB)}1]}`);
  expect((await call('check_inbox')).text).toContain('state.json');
});

test('A file too large to be hashed is refused by name and limit', async () => {
  const project = jobWithRules([], 'file');
  const handle = openSync(project.path('huge.bin'), 'w');
  ftruncateSync(handle, 10 * 1024 * MIB);
  closeSync(handle);
  const { call } = await serve(project);
  await call('start_workflow', start);
  const { text } = await call('finished_step', { outputs: { pages: 'huge.bin' } });
  expect(text).toContain("'huge.bin' is too large");
});

test('A request of ten megabytes of brackets is refused without a stall', async () => {
  const { url, call } = await serve(newProject());
  const head =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[';
  const body = `${head}${filled('[],', 10 * MIB - 200)}1]}}}`;
  const reply = await post(`${url}/mcp`, body);
  expect(reply.status).toBe(400);
  expect(JSON.stringify(reply.body)).toContain('values');
  expect((await call('get_workflows')).data.jobs).toBeDefined();
});

test('Requests of sockets that do not read delay no one', async () => {
  const { port, call } = await serve(newProject());
  const many = 'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx'.repeat(20_000);
  const sockets = Array.from({ length: 100 }, () => net.connect(port, '127.0.0.1'));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.pause();
    socket.write(many);
  }
  for (let times = 0; times < 3; times++) expect((await call('check_outbox')).text).not.toBe('');
});

test('Unread mail does not make a commit write megabytes', async () => {
  const project = newProject();
  const count = process.env.DEEPWORK_LARGE === '1' ? 20_000 : 2000;
  writeMessages(project, pastMessages(count, count, 1024));
  const { call } = await serve(project);
  await call('update_workflow_state', { status: 'working', task: 't', addProgress: 'n' });
  expect(statSync(project.path('.sgai/state.json')).size).toBeLessThan(512 * 1024);
  expect((await call('peek_message_bus')).text).toContain(`Total messages: ${count}`);
});
