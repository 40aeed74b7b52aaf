// Only the MCP SDK over HTTP: its own transport with sessions, on hono, as in its
// documentation; as many tools as we have, without any work. Each answers with the JSON in the
// file named on the command line.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { Hono } from 'hono';

const [, , answerFile, count] = process.argv;
const answer = JSON.parse(readFileSync(answerFile, 'utf8'));

/** @type {import('@modelcontextprotocol/server').Tool[]} */
const tools = Array.from({ length: Number(count) }, (_, number) => ({
  name: `trivial_tool_${number + 1}`,
  description: 'Answers with what it was given to answer. Call it as often as you like.',
  inputSchema: { type: 'object', properties: { first: { type: 'string' } } },
  outputSchema: { type: 'object' },
}));

function createServer() {
  const server = new Server({ name: 'bare-sdk', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({ tools }));
  server.setRequestHandler('tools/call', async () => ({
    content: [{ type: 'text', text: JSON.stringify(answer) }],
    structuredContent: answer,
  }));
  return server;
}

const transports = new Map();

async function openSession() {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void transports.set(id, transport),
    onsessionclosed: (id) => void transports.delete(id),
  });
  await createServer().connect(transport);
  return transport;
}

const app = new Hono();
app.all('/mcp', async (c) => {
  const transport = transports.get(c.req.header('mcp-session-id')) ?? (await openSession());
  return transport.handleRequest(c.req.raw);
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
});
