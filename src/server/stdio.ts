// MCP over stdio, in both eras.

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Workspace } from '../engine/workspace.ts';
import type { Toolset } from '../operations/toolsets.ts';
import type { CallerIdentity } from './caller-identity.ts';
import { type Deliveries, openDeliveries } from './deliveries.ts';
import { answerDirectly } from './direct.ts';
import { isDirect } from './direct-names.ts';
import { stderrLog } from './log.ts';
import { createMcpServer } from './mcp.ts';
import type { Message } from './message.ts';
import type { StdioConnection } from './stdio-connection.ts';
import { GRACE_MS, pause, toldToStop } from './stop.ts';

interface StdioOptions {
  readonly speaker: CallerIdentity;
  readonly faces: readonly Toolset[];
}

/** Serves until the client closes the connection or the process is told to stop. */
export async function serveOverStdio(
  workspace: Workspace,
  door: StdioConnection,
  { speaker, faces }: StdioOptions,
): Promise<void> {
  const log = stderrLog();
  const running = new Set<Promise<unknown>>();
  const track = (call: Promise<unknown>) => {
    running.add(call);
    call.finally(() => running.delete(call)).catch(() => {});
  };
  const deliveries = openDeliveries();
  const mcp = { workspace, speaker: () => speaker, faces, log, running: track, deliveries };
  const handle = serveStdio(() => createMcpServer(mcp), {
    transport: transportOf(door, deliveries, (message) => {
      const answering = answerDirectly(message, { workspace, faces, ...speaker }, log).then(
        (response) => response && door.send(response),
      );
      track(answering);
    }),
    onerror: (error) => process.stderr.write(`deepwork: ${error.message}\n`),
  });
  // Who has closed its side may still be reading; only a failed write says that it is gone.
  const stop = new AbortController();
  await Promise.race([door.closed, toldToStop(stop.signal)]);
  stop.abort();
  const enough = pause(GRACE_MS);
  await Promise.race([Promise.allSettled([...running]), enough]);
  workspace.stop();
  // One more turn, so that the answer of a call that just ended is on its way; and what is
  // to be done after answers is done.
  await pause(0);
  deliveries.close();
  await Promise.race([Promise.allSettled([...running]), enough]);
  await Promise.race([workspace.close(), enough]);
  await handle.close();
}

function transportOf(
  door: StdioConnection,
  deliveries: Deliveries,
  direct: (message: Message) => void,
): Transport {
  const transport: Transport = {
    async start() {
      door.handOver((message) => {
        if (isDirect(message)) direct(message);
        else transport.onmessage?.(message as unknown as JSONRPCMessage);
      });
    },
    async send(message) {
      const written = await door.send(message as unknown as Message);
      if ('result' in message) deliveries.settle(message.id, written);
    },
    async close() {
      transport.onclose?.();
    },
  };
  return transport;
}
