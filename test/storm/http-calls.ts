// Calls over HTTP with plain fetch, in either era of the protocol: a handshake with every new
// server process, or everything in each request. A call without an answer is unknown, and only a
// server that died may leave one unanswered.

import { INITIALIZE, stateless } from '../support/http.ts';
import type { Answered } from './history.ts';

export interface HttpCaller {
  readonly agent: string;
  readonly era: 'handshake' | 'stateless';
  /** The sessions it has, by server process. */
  readonly sessions: Map<string, string>;
}

const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

export async function callOverHttp(
  url: string,
  label: string,
  caller: HttpCaller,
  tool: string,
  args: object,
  gone: Promise<void>,
): Promise<Answered | null> {
  try {
    const headers = await headersFor(url, label, caller, tool);
    const params = { name: tool, arguments: args };
    const message =
      caller.era === 'stateless'
        ? stateless('tools/call', params)
        : { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const response = await send(url, headers, message);
    const text = await response.text();
    return answerIn(response, text);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    await ended(gone, `${label} dropped ${tool}: ${error.cause ?? error}`);
    return null;
  }
}

async function headersFor(
  url: string,
  label: string,
  { agent, era, sessions }: HttpCaller,
  tool: string,
): Promise<Record<string, string>> {
  const identity = { ...JSON_HEADERS, 'x-sgai-agent-identity': agent };
  if (era === 'stateless') {
    const version = { 'mcp-protocol-version': '2026-07-28' };
    return { ...identity, ...version, 'mcp-method': 'tools/call', 'mcp-name': tool };
  }
  const version = { 'mcp-protocol-version': INITIALIZE.params.protocolVersion };
  let session = sessions.get(label);
  if (session === undefined) {
    const response = await send(url, identity, INITIALIZE);
    await response.text();
    session = response.headers.get('mcp-session-id') ?? '';
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const headers = { ...identity, ...version, 'mcp-session-id': session };
    await (await send(url, headers, initialized)).text();
    sessions.clear();
    sessions.set(label, session);
  }
  return { ...identity, ...version, 'mcp-session-id': session };
}

function send(url: string, headers: Record<string, string>, message: object): Promise<Response> {
  return fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) });
}

function answerIn(response: Response, text: string): Answered {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const json = isStream ? text.split('\n').findLast((line) => line.startsWith('data:')) : text;
  const { result, error } = JSON.parse(json?.replace(/^data:/, '') ?? '');
  if (result === undefined) {
    return { isError: true, text: `${response.status} ${JSON.stringify(error)}`, data: null };
  }
  const { isError, content, structuredContent } = result;
  return { isError: isError === true, text: content[0].text, data: structuredContent };
}

/** A connection breaks only because its server is gone. */
async function ended(gone: Promise<void>, otherwise: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(otherwise)), 10_000);
  });
  await Promise.race([gone, late]).finally(() => clearTimeout(timer));
}
