// The MCP server object, made afresh for each connection from one workspace. Handlers
// are set on the protocol layer itself, because answers and errors have promised forms
// that the SDK's tool registry would rephrase.

import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Refused } from '../core/refusal.ts';
import { type Caller, identityOf, isCoordinator } from '../core/team/caller.ts';
import type { Workspace } from '../engine/workspace.ts';
import { rpcCodeOf } from '../operations/guides/rpc-codes.ts';
import { findOperation } from '../operations/table.ts';
import type { Toolset } from '../operations/toolsets.ts';
import { VERSION } from '../version.ts';
import type { CallerIdentity } from './caller-identity.ts';
import type { AfterAnswer, Deliveries } from './deliveries.ts';
import { askForInput, openClientForms } from './forms/client-forms.ts';
import { formTokensOf } from './forms/form-tokens.ts';
import { INSTRUCTIONS, SERVER_NAME } from './instructions.ts';
import type { Log } from './log.ts';
import { PlainServer } from './plain-errors.ts';
import { callTool, listTools, stackOf } from './tools.ts';

export interface McpOptions {
  readonly workspace: Workspace;
  /** Who speaks; over HTTP each request may say something else. */
  readonly speaker: (context: ServerContext) => CallerIdentity;
  readonly faces: readonly Toolset[];
  readonly log: Log;
  /** Told of each call, so that a stop can wait for what runs. */
  readonly running?: (call: Promise<unknown>) => void;
  /**
   * What became of answers: by the id of the request, or told for each request. With
   * neither, an answer that is given counts as written.
   */
  readonly deliveries?: Deliveries;
  readonly delivered?: (context: ServerContext) => Promise<boolean>;
}

export function createMcpServer(options: McpOptions): Server {
  const { workspace, speaker, faces, log, running, deliveries, delivered } = options;
  const server = new PlainServer(
    { name: SERVER_NAME, version: VERSION },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      requestState: {
        verify: (state, context) => formTokensOf(workspace).verify(state, speaker(context).caller),
      },
    },
  );
  server.onFault = log.fault;
  const formsOf = openClientForms(server);
  const audienceOf = (caller: Caller) => ({ faces, coordinator: isCoordinator(caller) });
  server.setRequestHandler('tools/list', async (_request, context) => ({
    tools: listTools(audienceOf(speaker(context).caller)),
  }));
  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: given } = request.params;
    const { caller, owner } = speaker(context);
    const operation = findOperation(name, audienceOf(caller));
    if (operation === undefined) {
      const outcome = String(ProtocolErrorCode.InvalidParams);
      const agent = identityOf(caller);
      const stack = await stackOf(workspace, owner);
      log.call({ tool: name, agent, session: null, outcome, milliseconds: 0, stack });
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `unknown tool "${name.slice(0, 100)}"`,
      );
    }
    const { tell, settled } = progressOf(context);
    const { id, signal } = context.mcpReq;
    const after: AfterAnswer[] = [];
    const afterAnswer = (work: AfterAnswer) => void after.push(work);
    const call = callTool(
      operation,
      given,
      {
        workspace,
        owner,
        caller,
        signal,
        progress: tell,
        afterAnswer,
        forms: operation.toolset === 'team' ? formsOf(context) : undefined,
      },
      log,
    );
    running?.(call);
    const result = await call.catch(throwAsProtocolError);
    await settled();
    if (result.forms !== undefined) {
      return askForInput(result.forms, formTokensOf(workspace), caller);
    }
    if (after.length > 0) {
      const done =
        deliveries?.expect(id, signal, after) ?? afterwards(after, delivered?.(context) ?? true);
      done.catch((error) => log.fault(`after ${name}`, error));
      running?.(done);
    }
    return result;
  });
  return server;
}

/** What the protocol itself has a code for is no answer of a tool. */
function throwAsProtocolError(error: unknown): never {
  const code = error instanceof Refused ? rpcCodeOf(error.refusal) : null;
  if (code === null) throw error;
  throw new ProtocolError(code, (error as Refused).message);
}

async function afterwards(
  after: readonly AfterAnswer[],
  delivered: boolean | Promise<boolean>,
): Promise<void> {
  const written = await delivered;
  for (const each of after) await each(written);
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
