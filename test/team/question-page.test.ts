// Questions over HTTP: the JSON routes, and the page that works without scripts.

import { expect, test } from 'vitest';
import { connectOverHttp, post } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { type Asked, answer, GO, logged, newAsking, outcomeIn } from './partners.ts';

const MANY: Asked = { question: 'Which?', choices: ['a, b', 'c', 'a, b'], multiSelect: true };

async function asking(waitSeconds = 1) {
  const project = newAsking(waitSeconds);
  const server = await serveHttpInProcess(project.root);
  const client = await connectOverHttp(server.url);
  return {
    project,
    server,
    api: `${server.url}/api/questions`,
    async ask(questions: readonly Asked[]): Promise<string> {
      const result = await client.callTool({ name: 'ask_user_question', arguments: { questions } });
      return (result.content as { text: string }[])[0]?.text ?? '';
    },
    /** Submits a form of the page. */
    async send(path: string, body: string, headers: object = { origin: server.url }) {
      const type = 'application/x-www-form-urlencoded';
      const sent = await fetch(`${server.url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': type, ...headers },
        body,
      });
      return sent.status;
    },
  };
}

test('the JSON routes refuse invalid, late and unknown answers, and the first one wins', async () => {
  verifies('TEAM-27', 'TEAM-28', 'TEAM-29');
  const { project, api, ask } = await asking();
  await ask([GO, MANY]);
  const shown = { kind: 'question', asked_by: null, session_id: null, show: [] };
  expect(await (await fetch(api)).json()).toEqual([
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
  for (const id of ['q-99', 'constructor']) {
    expect((await post(`${api}/${id}/answer`, { choices: ['yes'] })).status).toBe(404);
  }
  expect((await fetch(`${api}/q-1/answer`)).status).toBe(405);
  expect(logged(project, 'answered', 'dismissed')).toEqual([]);

  const [web, terminal] = await Promise.all([
    post(`${api}/q-1/answer`, { choices: ['yes'], by: 'Ada' }),
    answer(project, 'q-1', '--choose', 'no', '--by', 'Bob'),
  ]);
  const isWeb = web.status === 200;
  expect([web.status, terminal.code]).toEqual(isWeb ? [200, 3] : [409, 0]);
  const winner = isWeb ? { by: 'Ada', route: 'dashboard' } : { by: 'Bob', route: 'terminal' };
  expect(await post(`${api}/q-1/dismiss`, {})).toMatchObject({
    status: 409,
    body: { code: 'question_answered', ...winner, at: expect.stringMatching(/^\d{4}-/) },
  });
  expect(await post(`${api}/q-2/dismiss`, {})).toMatchObject({
    status: 200,
    body: { status: 'dismissed', route: 'dashboard', by: expect.stringMatching(/./) },
  });
  expect(logged(project, 'answered', 'dismissed')).toHaveLength(2);
});

test('an answer over HTTP reaches the call that waits', async () => {
  verifies('TEAM-28');
  const { api, ask, project } = await asking(30);
  const waiting = ask([GO]);
  await until(() => logged(project, 'asked').length === 1);
  await post(`${api}/q-1/answer`, { choices: ['no'], other: 'not now' });
  expect(outcomeIn(await waiting)).toBe(
    'Human response: Selected: no | Other: not now (q-1, dashboard, <time>)',
  );
});

test('an answer is taken only from the page itself, and never from an agent', async () => {
  verifies('TEAM-5', 'TEAM-35');
  const { project, server, api, ask, send } = await asking();
  await ask([GO]);
  const [at, fields] = ['/questions/q-1/answer', 'q-1.choice=0'];
  for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1']) {
    expect(await send(at, fields, { origin }), origin).toBe(403);
    expect(await send('/questions', 'by=x', { origin }), origin).toBe(403);
  }
  expect(await send(at, fields, {})).toBe(403);
  const own = { origin: server.url };
  const agent = { 'x-sgai-agent-identity': 'helper' };
  expect(await send(at, fields, { ...own, ...agent })).toBe(403);
  expect((await post(`${api}/q-1/answer`, { choices: ['yes'] }, agent)).status).toBe(403);
  // Forms are accepted on these routes only, and nothing else there.
  for (const path of ['/api/questions/q-1/answer', '/mcp']) {
    expect(await send(path, fields), path).toBe(415);
  }
  for (const type of ['application/json', 'text/plain']) {
    expect(await send(at, fields, { ...own, 'content-type': type }), type).toBe(415);
  }
  for (const wrong of [
    '',
    'q-1.choice=',
    'q-1.choice=7',
    `${fields}&q-1.choice=1`,
    'q-1.other=+',
  ]) {
    expect(await send(at, wrong), wrong).toBe(400);
  }
  expect(await send(at, `q-1.other=${'x'.repeat(1_100_000)}`)).toBe(413);
  expect(logged(project, 'answered', 'dismissed')).toEqual([]);
  expect(await send(at, `${fields}&by=Ada`)).toBe(303);
  expect(await send(at, 'q-1.choice=1&by=Bob')).toBe(409);
  expect(logged(project, 'answered')).toMatchObject([{ data: { choices: ['yes'], by: 'Ada' } }]);
});

test('what agents write is text on the page, never markup', async () => {
  verifies('TEAM-28');
  const { ask, server } = await asking();
  const evil = '<script>alert(1)</script>"\'><img src=x>';
  await ask([{ question: `${evil}\u202eev\u200bil`, choices: [evil, 'no'] }]);
  const page = await fetch(`${server.url}/questions`);
  const html = await page.text();
  expect(html).toContain('&lt;img src=x&gt;\\u202eev\\u200bil');
  expect(html.match(/<script>/g)).toHaveLength(1);
  expect(html).not.toMatch(/<img|[\u202e\u200b]/);
  const policy = page.headers.get('content-security-policy') ?? '';
  for (const rule of ['default-src', 'frame-ancestors']) expect(policy).toContain(`${rule} 'none'`);
  // With no-referrer a browser would not send the origin of a form.
  expect(page.headers.get('referrer-policy')).toBe('same-origin');
});
