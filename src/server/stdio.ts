// Serves MCP over stdio, to clients with and without a handshake, until the client closes it or a signal
// arrives.

import { setTimeout as pause } from 'node:timers/promises';
import type { JSONRPCMessage, ServerContext, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { openRunningCalls } from '../async/running-calls.ts';
import type { Workspace } from '../engine/workspace.ts';
import type { Signals } from '../environment/process/signals.ts';
import type { Toolset } from '../operations/toolsets.ts';
import { type CallerIdentity, inConversation } from './caller-identity.ts';
import { type Deliveries, openDeliveries } from './deliveries.ts';
import { answerDirectly } from './direct-methods.ts';
import { isDirect } from './direct-names.ts';
import { type Log, stderrLog } from './log.ts';
import { createMcpServer } from './mcp.ts';
import type { RpcMessage } from './rpc-message.ts';
import type { StdioConnection } from './stdio-connection.ts';
import { GRACE_MS, stopRequested } from './stop.ts';

interface StdioOptions {
  readonly identity: CallerIdentity;
  readonly toolsets: readonly Toolset[];
  /** Default: those of this process. */
  readonly signals?: Signals;
  /** Default: stderr. */
  readonly log?: Log;
}

/** Serves until the client closes the connection or the process gets a signal. */
export async function serveOverStdio(
  workspace: Workspace,
  connection: StdioConnection,
  { identity, toolsets, signals = process, log = stderrLog(workspace.stderr) }: StdioOptions,
): Promise<void> {
  const running = openRunningCalls();
  const deliveries = openDeliveries();
  const mcp = {
    workspace,
    identity: ({ mcpReq }: ServerContext) => inConversation(identity, mcpReq._meta),
    toolsets,
    log,
    running: running.add,
    deliveries,
  };
  const handle = serveStdio(() => createMcpServer(mcp), {
    transport: transportOf(connection, deliveries, (message) => {
      const answering = answerDirectly(message, { workspace, toolsets, ...identity }, log).then(
        (response) => response && connection.send(response),
      );
      running.add(answering);
    }),
    onerror: (error) => workspace.stderr.write(`deepwork: ${error.message}\n`),
  });
  // A client that has closed its side may still be reading; only a failed write shows that it
  // is gone.
  const stop = new AbortController();
  await Promise.race([connection.closed, stopRequested(signals, workspace.env, stop.signal)]);
  stop.abort();
  const enough = pause(GRACE_MS);
  await Promise.race([running.ended(), enough]);
  workspace.stop();
  // One more turn, so that the answer of a call that just ended is sent; then the work that
  // depends on delivery runs.
  await pause(0);
  deliveries.close();
  await Promise.race([running.ended(), enough]);
  await Promise.race([workspace.close(), enough]);
  await handle.close();
}

function transportOf(
  connection: StdioConnection,
  deliveries: Deliveries,
  direct: (message: RpcMessage) => void,
): Transport {
  const transport: Transport = {
    async start() {
      connection.handOver((message) => {
        if (isDirect(message)) direct(message);
        else transport.onmessage?.(message as unknown as JSONRPCMessage);
      });
    },
    async send(message) {
      const reportOutcome = 'result' in message ? deliveries.take(message.id) : () => {};
      reportOutcome(await connection.send(message as unknown as RpcMessage));
    },
    async close() {
      transport.onclose?.();
    },
  };
  return transport;
}
