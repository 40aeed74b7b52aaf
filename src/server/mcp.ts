// The MCP server object, made afresh for each connection from one workspace. Handlers
// are set on the protocol layer itself, because answers and errors have promised forms
// that the SDK's tool registry would rephrase.

import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { findOperation } from '../operations/table.ts';
import type { Workspace } from '../operations/workspace.ts';
import { VERSION } from '../version.ts';
import { INSTRUCTIONS, SERVER_NAME } from './instructions.ts';
import type { Log } from './log.ts';
import { callTool, listTools } from './tools.ts';
import type { Owner } from '../core/session/state.ts';

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
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool "${name.slice(0, 100)}"`);
    }
    const call = callTool(
      operation,
      given,
      { workspace, owner, signal: context.mcpReq.signal, progress: () => {} },
      log,
    );
    running?.(call);
    return call;
  });
  return server;
}
