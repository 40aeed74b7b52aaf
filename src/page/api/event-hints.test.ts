import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { type EventHintsOptions, openEventHints } from './event-hints.ts';

interface Page {
  readonly res: IncomingMessage;
  text(): string;
  /** The hints so far. */
  hints(): { id: string; stream: string; seq: number | null }[];
  /** The last id that was sent, with or without a hint. */
  lastId(): string;
}

/** Hints over a real socket; `change` stands for the journal. */
async function opened(options: Omit<EventHintsOptions, 'watch'> = {}) {
  let change: (stream: string, seq: number | null) => void = () => {};
  let watching = 0;
  const hints = openEventHints({
    ...options,
    watch(onChange) {
      change = onChange;
      watching += 1;
      return () => {
        watching -= 1;
      };
    },
  });
  const server = createServer((req, res) => {
    const lastId = (req.headers['last-event-id'] as string | undefined) ?? null;
    const refused = hints.open(lastId, res, req.headers['x-is-agent'] === 'yes');
    if (refused !== null) res.writeHead(refused.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    hints.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const connect = (lastId?: string, isAgent = false): Promise<Page> =>
    new Promise((resolve) => {
      const headers = {
        ...(lastId !== undefined && { 'last-event-id': lastId }),
        ...(isAgent && { 'x-is-agent': 'yes' }),
      };
      const req = get({ port, host: '127.0.0.1', headers, agent: false }, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        res.on('error', () => {});
        resolve({
          res,
          text: () => text,
          hints: () =>
            [...text.matchAll(/^data: (\{"id.*)$/gm)].map(([, data = '']) => JSON.parse(data)),
          lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '',
        });
      });
      req.on('error', () => {});
    });
  return {
    hints,
    connect,
    change: (stream: string, seq: number | null) => change(stream, seq),
    watching: () => watching,
  };
}

const streams = (page: Page) => page.hints().map(({ stream, seq }) => [stream, seq]);

test('a change is hinted to every page, and again to one that was away, once for each stream', async () => {
  const { connect, change, watching } = await opened({ heartbeatMs: 20 });
  const [first, other] = [await connect(), await connect()];
  change('a', 1);
  for (const page of [first, other]) {
    await until(() => page.hints().length === 1);
    expect(streams(page)).toEqual([['a', 1]]);
  }
  expect(watching()).toBe(1);
  // When nothing happens, heartbeats are sent.
  await until(() => first.text().includes(': alive'));
  first.res.destroy();
  for (const seq of [2, 3, 4]) change('a', seq);
  change('b', 1);
  const back = await connect(first.lastId());
  await until(() => back.text().includes('hello'));
  expect(streams(back)).toEqual([
    ['a', 4],
    ['b', 1],
  ]);
  expect(back.lastId()).toMatch(/-5$/);
});

test('an unknown id leads to one hint about everything', async () => {
  const { connect, change } = await opened();
  const first = await connect();
  change('a', 1);
  await until(() => first.hints().length === 1);
  const own = first.lastId();
  for (let seq = 2; seq < 2500; seq++) change('a', seq);
  const unknown = [own, `${'0'.repeat(12)}-1`, 'x', own.replace(/-\d+$/, '-999999')];
  for (const id of unknown) {
    const page = await connect(id);
    await until(() => page.hints().length > 0);
    expect(streams(page), id).toEqual([['*', null]]);
  }
});

test('the number of connections is limited', async () => {
  const { connect } = await opened({ maxConnections: 2 });
  const [one] = [await connect(), await connect()];
  expect((await connect()).res.statusCode).toBe(503);
  one?.res.destroy();
  await until(async () => (await connect()).res.statusCode === 200);
});

test('agents cannot take all connections', async () => {
  const { connect } = await opened();
  const agents = await Promise.all(Array.from({ length: 20 }, () => connect(undefined, true)));
  const statuses = agents.map(({ res }) => res.statusCode);
  expect(statuses.filter((status) => status === 200)).toHaveLength(16);
  expect(statuses.filter((status) => status === 503)).toHaveLength(4);
  expect((await connect()).res.statusCode).toBe(200);
});

test('a client that does not read is disconnected', async () => {
  const { connect, change } = await opened();
  const slow = await connect();
  slow.res.pause();
  let closed = false;
  slow.res.on('close', () => {
    closed = true;
  });
  for (let batch = 0; batch < 2000 && !closed; batch++) {
    for (let seq = 0; seq < 200; seq++) change('session/0000000a', seq);
    await new Promise((resolve) => setImmediate(resolve));
    // More than the buffers of the kernel.
    if (batch === 1999) slow.res.resume();
  }
  slow.res.resume();
  await until(() => closed);
});
