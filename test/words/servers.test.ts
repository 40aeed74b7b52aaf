// What servers say: when they begin and when they refuse to, over HTTP, over the wire, and of wrong
// arguments.

import { writeFileSync } from 'node:fs';
import { INITIALIZE, post, sendRaw, stateless } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { endServersAfterTest } from '../support/launch.ts';
import { initialize, openWireInProcess, request } from '../support/wire.ts';
import { type Page, words } from './page.ts';
import { newWork, START } from './project.ts';
import { newStage, type Stage } from './stage.ts';

async function serve(
  stage: Stage,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
) {
  return serveHttpInProcess(stage.root, { home: stage.home, env: { ...stage.env, ...env }, args });
}

words('serve', async (page) => {
  page.part('the banner');
  const stage = newWork();
  page.text((await serve(stage)).out());
  page.part('one kind of tools');
  page.text((await serve(newWork(), {}, ['--tools', 'guides', '--no-quality-gate'])).out());
  page.part('with tokens');
  const tokens = newStage({ team: { tokens: true } });
  const kept = (text: string) => text.replaceAll(/servers\/[0-9a-f]+\//g, 'servers/abc/');
  page.text(kept((await serve(tokens)).out()));
  page.text(
    kept((await serve(newStage({ team: { tokens: true } }), { DEEPWORK_TOKEN: 'own' })).out()),
  );
  page.part('for other machines');
  page.text(
    kept((await serve(newStage(), { DEEPWORK_TOKEN: 'own' }, ['--host', '0.0.0.0'])).out()),
  );
  page.part('sse');
  page.text((await serve(newStage(), {}, ['--transport', 'sse'])).out());
  page.part('what it says of settings');
  const loose = newStage({
    quality_gate: { default_max_attempts: 9 },
    x: 1,
    store: 'postgres://db.example.org/work',
  });
  const server = await serve(loose);
  await new Promise((resolve) => setTimeout(resolve, 100));
  page.text(server.log());
  page.part('refused');
  const taken = await serve(newStage());
  const port = String(taken.port);
  const { stderr } = await page.command(
    newStage(),
    ['serve', '--transport', 'http', '--port', port],
    { shown: false },
  );
  page.text(stderr.replaceAll(port, '54321'));
  for (const host of ['192.0.2.1', 'no such host']) {
    await page.command(
      newStage(),
      ['serve', '--transport', 'http', '--host', host, '--port', '0'],
      { env: { DEEPWORK_TOKEN: 'x' } },
    );
  }
  page.part('launch');
  const launching = newWork({
    config: { team: { agents: [{ name: 'writer', command: 'true' }] } },
  });
  endServersAfterTest(launching.root);
  for (const args of [
    ['--', 'true'],
    ['--agent', 'writer', '--', 'true'],
    ['--agent', 'writr', '--', 'true'],
    ['--agent', 'writer'],
    ['--', 'no-such-program'],
  ]) {
    await page.command(launching, ['launch', ...args]);
  }
  page.part('as an agent');
  await page.command(newStage(), ['dashboard', '--port', '0'], { env: { CLAUDECODE: '1' } });
});

/** Writes a request and what it is answered with. */
async function ask(
  page: Page,
  url: string,
  method: string,
  place: string,
  more: RequestInit = {},
): Promise<void> {
  const response = await fetch(`${url}${place}`, { method, redirect: 'manual', ...more });
  const text = await response.text();
  const headers = ['allow', 'www-authenticate', 'retry-after', 'location'].flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  const sent = Object.entries((more.headers ?? {}) as Record<string, string>).map(
    ([name, value]) => ` ${name}: ${value.slice(0, 80)}`,
  );
  page.text(
    `${method} ${place}${sent.join(',')}${more.body === undefined ? '' : ` ${String(more.body).slice(0, 200)}`}`,
  );
  page.text([`${response.status}`, ...headers].join(', '));
  page.text(`${text.slice(0, 2000)}\n\n`);
}

const JSON_TYPE = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

words('http', async (page) => {
  const stage = newWork();
  const agent = await stage.agent();
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id as string;
  const { url, port } = await serve(stage);
  page.part('places');
  for (const [method, place] of [
    ['GET', '/nothing'],
    ['GET', '/mcp/x'],
    ['GET', '/api/nothing'],
    ['GET', '/api/runs/nothing'],
    ['GET', '/api/runs/nothing/at/3'],
    ['GET', `/api/runs/${id}/at/99`],
    ['GET', `/api/runs/${id}/files/${'0'.repeat(64)}`],
    ['GET', '/assets/nothing.js'],
    ['GET', '/sign-in?code=old'],
    ['PUT', '/mcp'],
    ['GET', '/mcp'],
    ['DELETE', '/mcp'],
    ['POST', '/api/board'],
    ['DELETE', '/api/board'],
    ['GET', '/questions/q-9'],
    ['GET', '/api/questions/q-9'],
    ['POST', '/messages'],
    ['POST', '/messages?sessionId=x'],
    ['GET', '/launches'],
    ['POST', '/launches'],
    ['HEAD', '/sse'],
  ] as const) {
    await ask(
      page,
      url,
      method,
      place,
      method === 'POST' ? { headers: JSON_TYPE, body: '{}' } : {},
    );
  }
  page.part('headers');
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'content-type': 'text/plain' },
    { ...JSON_TYPE, 'x-sgai-agent-identity': 'a b|c|d|e' },
    { ...JSON_TYPE, 'x-sgai-agent-identity': 'wr\u00efter' },
    { ...JSON_TYPE, authorization: 'Bearer wrong' },
    { ...JSON_TYPE, accept: 'text/html' },
    { ...JSON_TYPE, 'mcp-session-id': 'nothing' },
    { ...JSON_TYPE, 'mcp-protocol-version': '1999-01-01' },
    { 'sec-fetch-site': 'cross-site', ...JSON_TYPE },
  ] as Record<string, string>[]) {
    await ask(page, url, 'POST', '/mcp', {
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  }
  for (const headers of [
    { 'sec-fetch-site': 'cross-site', ...JSON_TYPE },
    { ...JSON_TYPE, 'x-sgai-agent-identity': 'writer' },
  ]) {
    await ask(page, url, 'POST', `/api/runs/${id}/abort`, { headers, body: '{"reason": "x"}' });
  }
  page.text(
    withoutDate(
      await sendRaw(port, 'GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'),
    ),
  );
  page.text(withoutDate(await sendRaw(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')));
  page.text(
    withoutDate(
      await sendRaw(
        port,
        `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`,
      ),
    ),
  );
  page.text(
    withoutDate(
      await sendRaw(port, 'GET /../x HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'),
    ),
  );

  page.part('bodies');
  for (const body of [
    '',
    '{',
    '[]',
    '3',
    '{}',
    '{"jsonrpc": "2.0"}',
    '{"jsonrpc": "1.0", "id": 1, "method": "x"}',
    '{"jsonrpc": "2.0", "id": 1, "method": "nothing"}',
    '{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
    '[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]',
    JSON.stringify(request(1, 'tools/list')),
    `"${'x'.repeat(9 * 1024 * 1024)}"`,
    `{"a": ${'['.repeat(200)}${']'.repeat(200)}}`,
  ]) {
    await ask(page, url, 'POST', '/mcp', { headers: JSON_TYPE, body });
  }
  page.part('the page');
  const acts: readonly (readonly [string, string])[] = [
    ['abort', '{'],
    ['abort', '{}'],
    ['abort', '{"reason": " "}'],
    ['abort', '{"reason": 3}'],
    ['abort', '{"reason": "x", "by": "ann", "extra": 1}'],
    ['go-to', '{"reason": "x"}'],
    ['go-to', '{"reason": "x", "step_id": "nothing"}'],
    ['go-to', '{"reason": "x", "step_id": "publish"}'],
    ['stop', '{}'],
    ['stop', '{"reason": "x"}'],
  ];
  for (const [act, body] of acts)
    await ask(page, url, 'POST', `/api/runs/${id}/${act}`, { headers: JSON_TYPE, body });
  for (const body of [
    '{',
    '{}',
    '{"workflow": "nothing/main", "goal": "x"}',
    '{"workflow": "work/main", "goal": "x"}',
    '{"workflow": "work/main", "goal": " "}',
    '{"workflow": "work/main", "goal": "x", "agent": "gpt"}',
  ]) {
    await ask(page, url, 'POST', '/api/runs', { headers: JSON_TYPE, body });
  }
  await agent.call('ask_user_question', {
    questions: [{ question: 'Which?', choices: ['a', 'b'], multiSelect: false }],
  });
  for (const body of [
    '{',
    '{}',
    '{"choices": "a"}',
    '{"choices": ["c"]}',
    '{"choices": ["a"], "by": 3}',
    '{"dismiss": true, "choices": ["a"]}',
  ]) {
    await ask(page, url, 'POST', '/api/questions/q-1', { headers: JSON_TYPE, body });
  }
  for (const place of [
    '/api/questions/q-1/answer',
    '/api/questions/q-1/dismiss',
    '/api/questions/q-9/answer',
  ]) {
    for (const body of ['{', '{"by": "ann"}', '{"choices": ["c"]}', '{"choices": "a"}'])
      await ask(page, url, 'POST', place, { headers: JSON_TYPE, body });
  }
  await ask(page, url, 'GET', '/questions');
  page.part('with tokens');
  const guarded = await serve(newStage({ team: { tokens: true } }), { DEEPWORK_TOKEN: 'own' });
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'own' }] as Record<
    string,
    string
  >[]) {
    await ask(page, guarded.url, 'POST', '/mcp', {
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify(INITIALIZE),
    });
    await ask(page, guarded.url, 'GET', '/api/board', { headers });
    await ask(page, guarded.url, 'GET', '/', { headers });
  }
});

function withoutDate(raw: string): string {
  const [head = '', body = ''] = raw.split('\r\n\r\n');
  return `${head.split('\r\n')[0]}\n${body.slice(0, 500)}\n\n`;
}

words('invalid-arguments', async (page) => {
  const stage = newWork();
  const agent = await stage.agent({ args: ['--agent', 'coordinator'] });
  const { tools } = await agent.client.listTools();
  for (const { name, inputSchema } of tools) {
    page.part(name);
    const names = Object.keys(inputSchema.properties ?? {});
    await page.call(agent, name, { surplus: 1, [`${names[0] ?? 'x'}x`]: 1 });
    if (names.length === 0) continue;
    await page.call(agent, name, Object.fromEntries(names.map((each) => [each, 3])));
    await page.call(agent, name, Object.fromEntries(names.map((each) => [each, {}])));
    await page
      .call(agent, name, Object.fromEntries(names.map((each) => [each, ''])))
      .catch(() => {});
    await page.call(agent, name, Object.fromEntries(names.map((each) => [each, 'x\u0000'])));
  }
  page.part('long and strange');
  const long = 'x'.repeat(300_000);
  await page.call(agent, 'start_workflow', { ...START, goal: long });
  await page.call(agent, 'start_workflow', { ...START, instance_id: long });
  await page.call(agent, 'start_workflow', {
    ...START,
    context: Object.fromEntries(Array.from({ length: 2000 }, (_, nth) => [`k${nth}`, nth])),
  });
  await page.call(agent, 'start_workflow', { ...START, context: { a: { b: [] } } });
  await page.call(agent, 'start_workflow', { ...START, inputs: { __proto__x: {} } });
  await page.call(agent, 'abort_workflow', { explanation: ' ' });
  await page.call(agent, 'abort_workflow', { explanation: long });
  await page.call(agent, 'send_message', { toAgent: long, body: 'x' });
  await page.call(agent, 'no_such_tool');
  await page.call(agent, 'start_work');

  page.part('direct calls');
  const wire = await openWireInProcess(stage.root);
  const calls: readonly (readonly [string, unknown])[] = [
    ['workflow_list', {}],
    ['workflow_get', {}],
    ['workflow_get', { id: 3 }],
    ['workflow_get', { id: 'nothing' }],
    ['workflow_get', []],
    ['workflow_next', { workflowId: 'auth-implementation' }],
    ['workflow_next', { workflowId: 'auth-implementation', completedSteps: 'x' }],
    ['workflow_next', { workflowId: 'auth-implementation', completedSteps: [3] }],
    ['workflow_next', { workflowId: 'auth-implementation', completedSteps: [], context: [] }],
    ['workflow_validate', { workflowId: 'auth-implementation', stepId: 'nothing', output: 'x' }],
    ['workflow_validate', { workflowId: 'auth-implementation', stepId: '', output: 'x' }],
    ['workflow_validate', { workflowId: 'auth-implementation', output: 3 }],
    ['workflow_lst', {}],
    ['start_workflow', START],
  ];
  for (const [method, params] of calls) {
    wire.send(request(1, method, params));
    const [reply] = await wire.next(1);
    page.text(`> ${method} ${JSON.stringify(params)}`);
    page.value(reply?.error ?? { result: Object.keys(reply?.result ?? {}) });
    page.text('\n');
  }
  page.part('lines that are no messages');
  for (const line of [
    '{',
    '[]',
    '3',
    '{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
    '{"jsonrpc": "2.0", "id": 1}',
    '{"jsonrpc": "2.0", "id": 1, "method": 3}',
    '{"jsonrpc": "2.0", "id": [], "method": "ping"}',
    '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_workflows"}}',
    `{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ${'['.repeat(300)}${']'.repeat(300)}}`,
  ]) {
    wire.write(`${line}\n`);
    const [reply] = await wire.next(1);
    page.text(`> ${line.slice(0, 120)}`);
    page.value(reply?.error ?? reply);
    page.text('\n');
  }
  wire.send(initialize('hello', '1999-01-01'));
  page.value((await wire.next(1))[0]?.result?.protocolVersion);
  wire.send(stateless('tools/call', { name: 'nothing', arguments: {} }, 2));
  page.value((await wire.next(1))[0]?.error);

  page.part('a fault of ours');
  writeFileSync(stage.path('.deepwork/jobs/work/job.yml'), '');
  void post;
});
