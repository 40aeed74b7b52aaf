// The hints of a real server about what an agent in another process does.

import { get, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { serveOverHttp } from '../support/http.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { showProjectBy, startDemo } from './support.ts';

interface Listening {
  readonly res: IncomingMessage;
  text(): string;
  lastId(): string;
  readonly ended: Promise<void>;
}

function listen(url: string, lastId?: string): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
    const req = get(`${url}/api/events`, { headers, agent: false }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      const ended = new Promise<void>((over) => res.once('close', over));
      res.on('error', () => {});
      const ids = () => [...text.matchAll(/^id: (.*)$/gm)];
      resolve({ res, text: () => text, lastId: () => ids().at(-1)?.[1] ?? '', ended });
    });
    req.on('error', reject);
    onTestFinished(() => void req.destroy());
  });
}

test('what an agent does elsewhere is hinted, and again to a page that was away', async () => {
  verifies('BOARD-4');
  const { project, server, agent } = await showProjectBy(serveOverHttp);
  const page = await listen(server.url);
  expect(page.res.headers['content-type']).toBe('text/event-stream');
  const id = await startDemo(agent);
  await until(() => page.text().includes(`"stream":"session/${id}","seq":1`));
  page.res.destroy();
  project.write('plan.md', 'a plan\n');
  await agent.ok('finished_step', { outputs: { plan: 'plan.md' } });
  // Another page sees that the server knows of it.
  const other = await listen(server.url);
  await agent.ok('go_to_step', { step_id: 'plan' });
  await until(() => other.text().includes(`"stream":"session/${id}","seq":3`));
  const back = await listen(server.url, page.lastId());
  await until(() => back.text().includes('hello'));
  expect(back.text()).toContain(`"stream":"session/${id}","seq":3`);
  expect(back.text()).not.toContain('"stream":"*"');
});

test('a server that is stopped ends its streams and does not wait for them', async () => {
  const { server } = await showProjectBy(serveOverHttp);
  const page = await listen(server.url);
  await until(() => page.lastId() !== '');
  server.child.kill('SIGTERM');
  await page.ended;
  expect(await server.ended).toBe(0);
  // One that it had waited for would be cut in the end.
  expect(page.res.complete).toBe(true);
});
