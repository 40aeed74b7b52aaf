// If tokens are on, a session is only for the token that opened it, and for no one once the launch
// is over.

import { expect, test } from 'vitest';
import { authorizationOf, newNonce } from '../../src/environment/process/launch-proof.ts';
import { openSession, openStream, post } from '../support/http.ts';
import { IN_PROCESS_PASS, serveInProcess } from '../support/in-process-http.ts';

const OWNER = 'the-owner-has-a-long-token-0123456789';
const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' };
const REPLY = { jsonrpc: '2.0', id: 0, result: { action: 'accept', content: {} } };
const NOTICE = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };

type Headers = Record<string, string>;
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

async function launchAgent(url: string, identity: string) {
  const lease = new AbortController();
  const attached = await fetch(`${url}/launches`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: authorizationOf(IN_PROCESS_PASS, newNonce()),
    },
    body: JSON.stringify({ identity }),
    signal: lease.signal,
  });
  const line = await attached.body?.getReader().read();
  const { token } = JSON.parse(Buffer.from(line?.value ?? []).toString('utf8')) as {
    token: string;
  };
  return { headers: bearer(token), end: () => lease.abort() };
}

const serveWithTokens = () => serveInProcess({ tokens: { on: true, owners: [OWNER] } });

test('only the token that opened a session can use, read or end it', async () => {
  const { url } = await serveWithTokens();
  const holders = [
    bearer(OWNER),
    (await launchAgent(url, 'ann')).headers,
    (await launchAgent(url, 'bob')).headers,
    // The same agent, launched again, has another token.
    (await launchAgent(url, 'ann')).headers,
  ];
  for (const holder of holders) {
    const session = await openSession(url, holder);
    for (const other of holders.filter((each) => each !== holder)) {
      const headers = { ...session, ...other };
      for (const message of [PING, REPLY, NOTICE]) {
        expect((await post(`${url}/mcp`, message, headers)).status).toBe(404);
      }
      const listening = { ...headers, accept: 'text/event-stream' };
      expect((await fetch(`${url}/mcp`, { headers: listening })).status).toBe(404);
      expect((await fetch(`${url}/mcp`, { method: 'DELETE', headers })).status).toBe(404);
    }
    const own = { ...session, ...holder };
    expect((await post(`${url}/mcp`, PING, own)).status).toBe(200);
    expect((await post(`${url}/mcp`, REPLY, own)).status).toBe(202);
    expect((await fetch(`${url}/mcp`, { method: 'DELETE', headers: own })).status).toBe(200);
  }
});

test('a stream of the oldest era accepts messages only from its holder', async () => {
  const { url } = await serveWithTokens();
  const ann = await launchAgent(url, 'ann');
  const { messages } = await openStream(url, { headers: ann.headers });
  expect((await post(messages, PING, bearer(OWNER))).status).toBe(404);
  expect((await post(messages, PING, ann.headers)).status).toBe(202);
});

test('streams of an agent end with its launch', async () => {
  const { url } = await serveWithTokens();
  const ann = await launchAgent(url, 'ann');
  const session = await openSession(url, ann.headers);
  const open = (path: string, headers: Headers) =>
    fetch(`${url}${path}`, { headers: { ...headers, accept: 'text/event-stream' } });
  const streams = [
    await open('/mcp', { ...session, ...ann.headers }),
    await open('/sse', ann.headers),
  ];
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  ann.end();
  // Each is read to its end, which must come.
  await Promise.all(streams.map((stream) => stream.text()));
  expect((await post(`${url}/mcp`, PING, { ...session, ...ann.headers })).status).toBe(401);
});
