// An MCP server with everything that the conformance suite requests by name, made like ours:
// handlers on the protocol layer, from tables. It is behind our own HTTP wiring, with the same
// guard, sessions and streams that serve a workspace.

import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { ASKING_TOOLS, STATE } from './fixture/asking-tools.ts';
import { PROMPTS } from './fixture/prompts.ts';
import { RESOURCES, readResource, TEMPLATE } from './fixture/resources.ts';
import { enterHeaderTool, HEADER_TOOL, PLAIN_TOOLS } from './fixture/tools.ts';

const TOOLS = [...PLAIN_TOOLS, ...ASKING_TOOLS, HEADER_TOOL].sort((one, other) =>
  one.name < other.name ? -1 : 1,
);

export function createFixture(): Server {
  const registry = new McpServer(
    { name: 'deepwork-fixture', version: '1' },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { subscribe: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: STATE.verify },
    },
  );
  enterHeaderTool(registry);
  const { server } = registry;
  server.setRequestHandler('tools/list', async () => ({
    tools: TOOLS.map(({ run: _, ...listed }) => listed),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) throw unknown('tool', params.name);
    const capabilities = server.getClientCapabilities() ?? {};
    return tool.run({ given: params.arguments ?? {}, context, capabilities });
  });
  server.setRequestHandler('prompts/list', async () => ({
    prompts: PROMPTS.map(({ get: _, ...listed }) => listed),
  }));
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const prompt = PROMPTS.find(({ name }) => name === params.name);
    if (prompt === undefined) throw unknown('prompt', params.name);
    return prompt.get(params.arguments ?? {}, context);
  });
  server.setRequestHandler('completion/complete', async () => ({
    completion: { values: ['testing'], total: 1, hasMore: false },
  }));
  server.setRequestHandler('resources/list', async () => ({ resources: [...RESOURCES] }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [TEMPLATE],
  }));
  server.setRequestHandler('resources/read', async ({ params }) => readResource(params.uri));
  server.setRequestHandler('resources/subscribe', async () => ({}));
  server.setRequestHandler('resources/unsubscribe', async () => ({}));
  // The SDK accepts a registry as a server, only its types do not say so.
  return registry as unknown as Server;
}

function unknown(kind: string, name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown ${kind} "${name}"`);
}
