// The MCP server object, made afresh for each connection from one workspace. Handlers
// are set on the protocol layer itself, because answers and errors have promised forms
// that the SDK's tool registry would rephrase.

import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Owner } from '../core/session/state.ts';
import { findOperation } from '../operations/table.ts';
import type { Workspace } from '../operations/workspace.ts';
import { VERSION } from '../version.ts';
import { INSTRUCTIONS, SERVER_NAME } from './instructions.ts';
import type { Log } from './log.ts';
import { callTool, listTools } from './tools.ts';

export interface McpOptions {
  readonly workspace: Workspace;
  readonly owner: Owner;
  readonly log: Log;
  /** Told of each call, so that a stop can wait for what runs. */
  readonly running?: (call: Promise<unknown>) => void;
}

export function createMcpServer({ workspace, owner, log, running }: McpOptions): Server {
  const server = new Server(
    { name: SERVER_NAME, version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: listTools() }));
  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: given } = request.params;
    const operation = findOperation(name);
    if (operation === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `unknown tool "${name.slice(0, 100)}"`,
      );
    }
    const { tell, settled } = progressOf(context);
    const call = callTool(
      operation,
      given,
      { workspace, owner, signal: context.mcpReq.signal, progress: tell },
      log,
    );
    running?.(call);
    const result = await call;
    await settled();
    return result;
  });
  return server;
}

/** Progress goes only to clients that asked for it, counted up as the protocol demands. */
function progressOf(context: ServerContext) {
  const progressToken = context.mcpReq._meta?.progressToken;
  let progress = 0;
  return {
    tell(message: string) {
      if (progressToken === undefined) return;
      progress += 1;
      const params = { progressToken, progress, message };
      context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
    },
    /** Clients drop a notification that comes in one breath with the result. */
    async settled() {
      if (progress > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
}
