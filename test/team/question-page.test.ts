// Questions over HTTP: the page, which must work as plain HTML, and the same as JSON.

import { expect, test } from 'vitest';
import { connectOverHttp, post } from '../support/http.ts';
import { type ServedInProcess, serveHttpInProcess } from '../support/in-process-serve.ts';
import type { Project } from '../support/project.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { type Asked, answer, GO, logged, newAsking, outcomeIn } from './partners.ts';

const MANY: Asked = { question: 'Which?', choices: ['a, b', 'c', 'a, b'], multiSelect: true };

interface Asking {
  readonly project: Project;
  readonly server: ServedInProcess;
  ask(questions: readonly Asked[]): Promise<string>;
  page(): Promise<string>;
  send(path: string, fields: string, headers?: Record<string, string>): Promise<Response>;
}

async function asking(waitSeconds = 1): Promise<Asking> {
  const project = newAsking(waitSeconds);
  const server = await serveHttpInProcess(project.root);
  const client = await connectOverHttp(server.url);
  return {
    project,
    server,
    async ask(questions) {
      const result = await client.callTool({ name: 'ask_user_question', arguments: { questions } });
      return (result.content as { text: string }[])[0]?.text ?? '';
    },
    page: async () => (await fetch(`${server.url}/questions`)).text(),
    send: (path, body, headers = { origin: server.url }) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      }),
  };
}

/** Every tag of this name, as its attributes. */
function tags(html: string, name: string): Record<string, string>[] {
  return [...html.matchAll(new RegExp(`<${name}\\b([^>]*)>`, 'g'))].map(([, inside = '']) =>
    Object.fromEntries(
      [...inside.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)].map(([, key = '', value = '']) => [
        key,
        value,
      ]),
    ),
  );
}

test('the page shows the questions and accepts answers as plain forms', async () => {
  verifies('TEAM-28');
  const { project, ask, page, send } = await asking();
  expect(await page()).toContain('Nothing is being asked');
  expect(tags(await page(), 'meta')).toContainEqual(
    expect.objectContaining({ 'http-equiv': 'refresh' }),
  );
  await ask([GO, MANY]);
  const html = await page();
  // One form, so that text typed elsewhere is submitted with each answer.
  expect(tags(html, 'form').map(({ method, action }) => [method, action])).toEqual([
    ['post', '/questions'],
  ]);
  const actions = tags(html, 'button').flatMap(({ formaction }) => formaction ?? []);
  expect(actions).toEqual([
    '/questions/q-1/answer',
    '/questions/q-1/dismiss',
    '/questions/q-2/answer',
    '/questions/q-2/dismiss',
  ]);
  const inputs = tags(html, 'input').filter(({ name }) => name?.endsWith('.choice'));
  expect(inputs.map(({ name, type, value }) => `${name} ${type} ${value}`)).toEqual([
    'q-1.choice radio 0',
    'q-1.choice radio 1',
    'q-2.choice checkbox 0',
    'q-2.choice checkbox 1',
  ]);
  // A page that someone is filling in must not reload itself.
  expect(html).not.toContain('http-equiv="refresh"');
  for (const { id } of tags(html, 'textarea')) expect(html).toContain(`for="${id}"`);

  const sent = await send(
    '/questions/q-2/answer',
    'q-2.choice=1&q-2.choice=0&q-2.other=two%0D%0Alines&by=Ada',
  );
  expect([sent.status, sent.headers.get('location')]).toEqual([303, '/questions?answered=q-2']);
  expect((await send('/questions/q-1/dismiss', 'by=Ada')).status).toBe(303);
  expect(logged(project, 'answered')[0]?.data).toEqual({
    id: 'q-2',
    choices: ['c', 'a, b'],
    other: 'two\nlines',
    by: 'Ada',
    route: 'dashboard',
  });
  expect(outcomeIn(await ask([GO, MANY]))).toBe(
    'Human response:\n  2. Selected: c, a, b | Other: two\nlines (q-2, dashboard, <time>)\nDismissed without an answer: q-1.',
  );
  const after = await (
    await fetch(new URL(sent.headers.get('location') as string, sent.url))
  ).text();
  expect(after).toContain('Answered: q-2');
  expect(after).toMatch(/q-2 · answered by Ada · dashboard/);
  expect(after).toMatch(/q-1 · dismissed by Ada · dashboard/);
});

test('only the browser remembers a name, and typed text is shown again as text', async () => {
  const { ask, page, send, server } = await asking();
  await ask([GO, MANY]);
  const evil = '"><script>alert(1)</script>';
  const typed = new URLSearchParams({ 'q-1.choice': '0', 'q-2.other': evil, by: evil });
  const answered = await send('/questions/q-1/answer', typed.toString());
  expect(answered.status).toBe(200);
  const html = await answered.text();
  expect(html).toContain('Answered: q-1');
  expect(html).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</textarea>');
  expect(html.match(/<script>/g)).toHaveLength(1);
  const cookie = answered.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^deepwork_name=%22.*; Path=\/questions; .*HttpOnly; SameSite=Strict$/);
  const [pair = ''] = cookie.split(';');
  const next = await (await fetch(`${server.url}/questions`, { headers: { cookie: pair } })).text();
  expect(next).toContain('value="&quot;&gt;&lt;script&gt;');
  expect(await page()).toContain(' value=""');

  // Submitted again by a reload, it changes nothing; opened by its address, it is the page.
  const again = await send('/questions/q-1/answer', typed.toString());
  expect([again.status, (await again.text()).includes('Answered: q-1')]).toEqual([200, true]);
  const opened = await fetch(`${server.url}/questions/q-1/answer`, { redirect: 'manual' });
  expect([opened.status, opened.headers.get('location')]).toEqual([303, '/questions']);
});

test('what agents write is text on the page, never markup', async () => {
  const { ask, page, server } = await asking();
  const evil = '<script>alert(1)</script>"\'><img src=x>';
  await ask([{ question: `${evil}\u202eev\u200bil`, choices: [evil, 'no'] }]);
  const html = await page();
  expect(html).toContain('&lt;img src=x&gt;\\u202eev\\u200bil');
  expect(html).not.toContain('<img');
  expect(html.match(/<script>/g)).toHaveLength(1);
  expect(html).not.toMatch(/[\u202e\u200b]/);
  const { headers } = await fetch(`${server.url}/questions`);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  // With no-referrer a browser would not send the origin of a form.
  expect(headers.get('referrer-policy')).toBe('same-origin');
});

test('the JSON API reports invalid, late and unknown answers', async () => {
  verifies('TEAM-27', 'TEAM-28', 'TEAM-29');
  const { project, server, ask } = await asking();
  await ask([GO, MANY]);
  const api = `${server.url}/api/questions`;
  const listed = (await (await fetch(api)).json()) as unknown[];
  const shown = { kind: 'question', asked_by: null, session_id: null, show: [] };
  expect(listed).toEqual([
    expect.objectContaining({ id: 'q-1', ...shown, text: GO.question, multi_select: false }),
    expect.objectContaining({ id: 'q-2', ...shown, text: MANY.question, choices: MANY.choices }),
  ]);
  const bad: unknown[] = [
    {},
    { choices: [] },
    { choices: ['maybe'] },
    { choices: ['yes', 'no'] },
    { choices: 'yes' },
    { choices: [1] },
    { other: ' ' },
    { other: 7 },
    { other: 'x'.repeat(16 * 1024 + 1) },
    { choices: ['yes'], by: 5 },
    [],
    'not JSON',
  ];
  for (const body of bad) {
    const { status } = await post(`${api}/q-1/answer`, body);
    expect(status, JSON.stringify(body).slice(0, 50)).toBe(400);
  }
  expect((await post(`${api}/q-99/answer`, { choices: ['yes'] })).status).toBe(404);
  expect((await post(`${api}/constructor/answer`, { choices: ['yes'] })).status).toBe(404);
  expect((await fetch(`${api}/q-1/answer`)).status).toBe(405);
  const foreign = { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } };
  const refused = await fetch(`${api}/q-1/answer`, foreign);
  expect([refused.status, await refused.json()]).toEqual([
    415,
    { code: 'wrong_type', message: expect.any(String), next: null },
  ]);
  expect(logged(project, 'answered', 'dismissed')).toEqual([]);

  const both = await Promise.all([
    post(`${api}/q-1/answer`, { choices: ['yes'], by: 'Ada' }),
    answer(project, 'q-1', '--choose', 'no', '--by', 'Bob'),
  ]);
  const [web, terminal] = both;
  expect([web.status, terminal.code]).toBeOneOf([
    [200, 3],
    [409, 0],
  ]);
  const late = await post(`${api}/q-1/dismiss`, {});
  expect(late).toMatchObject({
    status: 409,
    body: {
      code: 'question_answered',
      message: expect.stringContaining('Already answered: q-1'),
      by: web.status === 200 ? 'Ada' : 'Bob',
      route: web.status === 200 ? 'dashboard' : 'terminal',
      at: expect.stringMatching(/^\d{4}-/),
    },
  });
  expect(await post(`${api}/q-2/dismiss`, {})).toMatchObject({
    status: 200,
    body: { status: 'dismissed', route: 'dashboard', by: expect.stringMatching(/./) },
  });
  expect(logged(project, 'answered', 'dismissed')).toHaveLength(2);
});

test('a form is accepted only from the page itself', async () => {
  verifies('TEAM-5', 'TEAM-35');
  const { project, server, ask, send } = await asking();
  await ask([GO]);
  const at = '/questions/q-1/answer';
  const status = async (path: string, fields: string, headers?: Record<string, string>) =>
    (await send(path, fields, headers)).status;
  expect(await status(at, 'q-1.choice=0', { origin: 'http://evil.example' })).toBe(403);
  expect(await status(at, 'q-1.choice=0', { origin: 'null' })).toBe(403);
  expect(await status(at, 'q-1.choice=0', { origin: 'http://127.0.0.1:1' })).toBe(403);
  expect(await status(at, 'q-1.choice=0', {})).toBe(403);
  // Forms are accepted on these routes only.
  expect(await status('/api/questions/q-1/answer', 'q-1.choice=0')).toBe(415);
  expect(await status('/mcp', 'q-1.choice=0')).toBe(415);
  expect(await status('/questions', 'by=x', { origin: 'http://evil.example' })).toBe(403);
  const json = { origin: server.url, 'content-type': 'application/json' };
  expect(await status(at, '{"choices":["yes"]}', json)).toBe(415);
  const plain = { origin: server.url, 'content-type': 'text/plain' };
  expect(await status(at, 'q-1.choice=0', plain)).toBe(415);
  const agent = { origin: server.url, 'x-sgai-agent-identity': 'helper' };
  expect(await status(at, 'q-1.choice=0', agent)).toBe(403);
  for (const fields of [
    '',
    'choice=0',
    'q-1.choice=',
    'q-1.choice=7',
    'q-1.choice=-1',
    'q-1.choice=0&q-1.choice=1',
    'q-1.other=%20',
  ]) {
    const answered = await send(at, fields);
    expect(answered.status, fields).toBe(400);
    expect(await answered.text()).toContain('role="alert"');
  }
  expect(await status(at, `q-1.other=${'x'.repeat(1_100_000)}`)).toBe(413);
  expect(logged(project, 'answered', 'dismissed')).toEqual([]);

  expect(await status(at, 'q-1.choice=0&by=Ada')).toBe(303);
  const late = await send(at, 'q-1.choice=1&by=Bob');
  expect(late.status).toBe(409);
  expect(await late.text()).toMatch(
    /Already answered: q-1 \(by Ada, dashboard, <time datetime="[^"]+Z">/,
  );
});

test('an answer on the page reaches the call that waits', async () => {
  verifies('TEAM-28');
  const { server, ask, project } = await asking(30);
  const waiting = ask([GO]);
  await until(() => logged(project, 'asked').length === 1);
  await post(`${server.url}/api/questions/q-1/answer`, { choices: ['no'], other: 'not now' });
  expect(outcomeIn(await waiting)).toBe(
    'Human response: Selected: no | Other: not now (q-1, dashboard, <time>)',
  );
});
