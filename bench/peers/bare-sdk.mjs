// Only the MCP SDK: the protocol class that our server is based on, as many tools, without any
// work. Each tool answers with the JSON in the file named on the command line, so that both
// servers send the same bytes.

import { readFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const TOOLS = 7;

/** @type {import('@modelcontextprotocol/server').Tool[]} */
const tools = Array.from({ length: TOOLS }, (_, number) => ({
  name: `trivial_tool_${number + 1}`,
  description: 'Answers with what it was given to answer. Call it as often as you like.',
  inputSchema: {
    type: 'object',
    properties: {
      first: { type: 'string', description: 'Is not looked at' },
      second: { type: ['string', 'null'], description: 'Is not looked at either' },
    },
    additionalProperties: false,
  },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true, openWorldHint: false },
}));

let answer;

function readAnswer() {
  answer ??= process.argv[2] === undefined ? {} : JSON.parse(readFileSync(process.argv[2], 'utf8'));
  return answer;
}

serveStdio(() => {
  const server = new Server(
    { name: 'bare-sdk', version: '1' },
    { capabilities: { tools: {} }, instructions: 'Call any tool.' },
  );
  server.setRequestHandler('tools/list', async () => ({ tools }));
  server.setRequestHandler('tools/call', async () => ({
    content: [{ type: 'text', text: JSON.stringify(readAnswer()) }],
    structuredContent: readAnswer(),
  }));
  return server;
});
