// MCP over stdio, in both eras, behind the front door.

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Workspace } from '../operations/workspace.ts';
import type { FrontDoor, Message } from './front-door.ts';
import { stderrLog } from './log.ts';
import { createMcpServer } from './mcp.ts';
import { stdioOwner } from './owner.ts';

/** How long a stop waits for calls that are running. */
const GRACE_MS = 2000;

/** Serves until the client closes the connection or the process is told to stop. */
export async function serveOverStdio(workspace: Workspace, door: FrontDoor): Promise<void> {
  const log = stderrLog();
  const running = new Set<Promise<unknown>>();
  const track = (call: Promise<unknown>) => {
    running.add(call);
    call.finally(() => running.delete(call)).catch(() => {});
  };
  const owner = stdioOwner(process.env);
  const handle = serveStdio(() => createMcpServer({ workspace, owner, log, running: track }), {
    transport: transportOf(door),
    onerror: (error) => process.stderr.write(`deepwork: ${error.message}\n`),
  });
  const stop = new AbortController();
  await Promise.race([door.closed, toldToStop(stop.signal)]);
  stop.abort();
  await Promise.race([Promise.allSettled([...running]), pause(GRACE_MS)]);
  workspace.stop();
  // One more turn, so that the answer of a call that just ended is on its way.
  await pause(0);
  await handle.close();
}

function transportOf(door: FrontDoor): Transport {
  const transport: Transport = {
    async start() {
      door.handOver((message) => transport.onmessage?.(message as unknown as JSONRPCMessage));
    },
    send: (message) => door.send(message as unknown as Message),
    async close() {
      transport.onclose?.();
    },
  };
  return transport;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

function toldToStop(enough: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) {
      const stop = () => resolve();
      process.once(signal, stop);
      enough.addEventListener('abort', () => process.off(signal, stop));
    }
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
