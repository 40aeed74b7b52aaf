// Asking the client something in the middle of a call, in every era that can: the tool answers with
// what it needs, the client is asked, and the call continues with the answer.

import { acceptedContent, inputRequired, Server } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { connectOverHttp, HTTP_ERAS } from '../support/http.ts';
import { serveInProcess } from '../support/in-process-http.ts';

const COLOURS = {
  type: 'object',
  properties: {
    colour: {
      type: 'string',
      oneOf: [
        { const: 'red', title: 'Red' },
        { const: 'blue', title: 'Blue' },
      ],
    },
  },
  required: ['colour'],
} as const;

/** One tool, which needs a colour before it answers. */
function askingServer(): Server {
  const server = new Server({ name: 'asking', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', async (_request, context) => {
    const { inputResponses } = context.mcpReq;
    if (inputResponses === undefined) {
      return inputRequired({
        inputRequests: {
          q: inputRequired.elicit({ message: 'Which colour?', requestedSchema: COLOURS as never }),
        },
      });
    }
    const content = acceptedContent<{ colour: string }>(inputResponses, 'q');
    return { content: [{ type: 'text', text: `It is ${content?.colour}` }] };
  });
  return server;
}

test.each(HTTP_ERAS)('a tool can ask the client: %s', async (era) => {
  const { url } = await serveInProcess({ createServer: askingServer });
  const client = await connectOverHttp(url, {
    era,
    options: { capabilities: { elicitation: {} } },
  });
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { colour: 'blue' } };
  });
  const result = await client.callTool({ name: 'ask', arguments: {} });
  expect(result.content).toEqual([{ type: 'text', text: 'It is blue' }]);
  expect(asked).toEqual(['Which colour?']);
});

test('a client that accepts no streams is not left waiting', async () => {
  const { url } = await serveInProcess({ createServer: askingServer });
  const send = (message: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'plain', version: '1' },
  };
  const opened = await send({ id: 1, method: 'initialize', params });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string };
  const answer = await send({ id: 2, method: 'tools/call', params: { name: 'ask' } }, session);
  expect(await answer.json()).toMatchObject({ result: { isError: true } });
});
