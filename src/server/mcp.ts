// The MCP server object, created for each connection from one workspace. Handlers are set on
// the protocol layer itself, because answers and errors have promised forms that the SDK's
// tool registry would change.

import { ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { type Caller, isCoordinator } from '../core/team/caller.ts';
import type { Workspace } from '../engine/workspace.ts';
import type { DeliveryWork } from '../environment/answer-delivery.ts';
import { RPC_CODES } from '../operations/rpc-codes.ts';
import { findOperation } from '../operations/table.ts';
import type { Toolset } from '../operations/toolsets.ts';
import { VERSION } from '../version.ts';
import type { CallerIdentity } from './caller-identity.ts';
import type { Deliveries } from './deliveries.ts';
import { askForInput, openClientForms } from './forms/client-forms.ts';
import { formTokensOf } from './forms/form-tokens.ts';
import { INSTRUCTIONS, SERVER_NAME } from './instructions.ts';
import type { Log } from './log.ts';
import { PlainServer } from './plain-errors.ts';
import { offerPrompts } from './prompts.ts';
import { callTool, listTools, logUnknown } from './tools.ts';

export interface McpOptions {
  readonly workspace: Workspace;
  /** Who calls; over HTTP it may differ for each request. */
  readonly identity: (context: ServerContext) => CallerIdentity;
  readonly toolsets: readonly Toolset[];
  readonly log: Log;
  /** False: no person uses its clients, so they get no forms. */
  readonly forms?: boolean;
  /** Called with each call, so that a stop can wait for running ones. */
  readonly running?: (call: Promise<unknown>) => void;
  /**
   * Whether answers were delivered: by request id, or by a function for each request. Without
   * either, an answer counts as written once it is returned.
   */
  readonly deliveries?: Deliveries;
  readonly delivered?: (context: ServerContext) => Promise<boolean>;
  /** Whether the client is still there. Asked before the answer is sent. */
  readonly connected?: (context: ServerContext) => Promise<boolean>;
}

export function createMcpServer(options: McpOptions): Server {
  const { workspace, identity, toolsets, log, running, deliveries, delivered } = options;
  const { forms: showsForms = true } = options;
  const server = new PlainServer(
    { name: SERVER_NAME, version: VERSION },
    {
      capabilities: { tools: {}, prompts: {} },
      instructions: INSTRUCTIONS,
      requestState: {
        verify: (state, context) => formTokensOf(workspace).verify(state, identity(context).caller),
      },
    },
  );
  server.onFault = log.fault;
  const formsOf = openClientForms(server);
  const audienceOf = (caller: Caller) => ({ toolsets, coordinator: isCoordinator(caller) });
  offerPrompts(server, workspace);
  server.setRequestHandler('tools/list', async (_request, context) => ({
    tools: listTools(audienceOf(identity(context).caller)),
  }));
  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: given } = request.params;
    const { caller, owner } = identity(context);
    const operation = findOperation(name, audienceOf(caller));
    if (operation === undefined) {
      const code = RPC_CODES.invalid_params;
      await logUnknown(name, code, { workspace, owner, caller }, log);
      throw new ProtocolError(code, `unknown tool "${name.slice(0, 100)}"`);
    }
    const { report, separate } = progressOf(context);
    const { id, signal } = context.mcpReq;
    const after: DeliveryWork[] = [];
    const afterAnswer = (work: DeliveryWork) => void after.push(work);
    const called = callTool(
      operation,
      given,
      {
        workspace,
        owner,
        caller,
        signal,
        progress: report,
        afterAnswer,
        forms: showsForms && operation.toolset === 'team' ? formsOf(context) : undefined,
      },
      log,
    );
    // Part of the call, so that a stop that waits for calls does not close the connection meanwhile.
    const call = called.then(async ({ result }) => {
      const isConnected = after.length === 0 || ((await options.connected?.(context)) ?? true);
      return { result, isConnected };
    });
    running?.(call);
    const { result, isConnected } = await call;
    await separate();
    const { forms, protocolError } = result;
    if (protocolError) throw new ProtocolError(protocolError.code, protocolError.message);
    if (forms) return askForInput(forms, formTokensOf(workspace), caller);
    if (after.length > 0) {
      const done =
        deliveries?.expect(id, signal, after) ??
        afterwards(after, isConnected ? (delivered?.(context) ?? true) : false);
      done.catch((error) => log.fault(`after ${name}`, error));
      running?.(done);
    }
    return result;
  });
  return server;
}

async function afterwards(
  after: readonly DeliveryWork[],
  delivered: boolean | Promise<boolean>,
): Promise<void> {
  const written = await delivered;
  for (const each of after) await each(written);
}

/** Sends progress only to clients that asked for it, with increasing numbers. */
function progressOf(context: ServerContext) {
  const progressToken = context.mcpReq._meta?.progressToken;
  let progress = 0;
  return {
    report(message: string) {
      if (progressToken === undefined) return;
      progress += 1;
      const params = { progressToken, progress, message };
      context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
    },
    /** Some clients drop a notification sent in the same tick as the result. */
    async separate() {
      if (progress > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
}
