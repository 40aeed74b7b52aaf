// What an agent gets when `deepwork launch` starts it: the address of the server in
// SGAI_MCP_URL, and its own name in SGAI_AGENT_IDENTITY. Every exchange is reported to the
// demo, line by line, so that it can be shown.

import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const { SGAI_MCP_URL, SGAI_AGENT_IDENTITY, DEEPWORK_AGENT_TOKEN } = process.env;
const LONG_ENOUGH_MS = 60_000;

export async function takeSeat() {
  const headers = {
    'X-SGAI-Agent-Identity': SGAI_AGENT_IDENTITY,
    ...(DEEPWORK_AGENT_TOKEN ? { Authorization: `Bearer ${DEEPWORK_AGENT_TOKEN}` } : {}),
  };
  const client = new Client({ name: SGAI_AGENT_IDENTITY, version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(SGAI_MCP_URL), { requestInit: { headers } }),
  );

  async function call(tool, input) {
    const result = await client.callTool(
      { name: tool, arguments: input },
      { timeout: LONG_ENOUGH_MS },
    );
    return { refused: result.isError === true, text: result.content[0].text };
  }

  return {
    /** Calls, expects success, and shows the exchange. */
    async says(tool, input = {}) {
      const { refused, text } = await call(tool, input);
      tell({ tool, input, text, refused });
      if (refused) throw new Error(`${tool}: ${text}`);
      return text;
    },

    /** Calls and expects to be refused. */
    async isRefused(tool, input) {
      const { refused, text } = await call(tool, input);
      tell({ tool, input, text, refused });
      if (!refused) throw new Error(`${tool} was not refused: ${text}`);
      return text;
    },

    /** Checks the inbox until there is a message. */
    async waitForMail() {
      const until = Date.now() + LONG_ENOUGH_MS;
      while (Date.now() < until) {
        const { refused, text } = await call('check_inbox', {});
        if (refused) throw new Error(text);
        if (text !== 'You have no messages.') {
          tell({ tool: 'check_inbox', input: {}, text, refused });
          return text;
        }
        await pause(50);
      }
      throw new Error('There was no message.');
    },

    leave: () => client.close(),
  };
}

function tell(exchange) {
  process.stdout.write(`${JSON.stringify(exchange)}\n`);
}
