// MCP over stdio, in both eras, behind the front door.

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Face } from '../operations/faces.ts';
import type { Workspace } from '../operations/workspace.ts';
import { answerDirectly } from './direct.ts';
import { isDirect } from './direct-names.ts';
import type { FrontDoor } from './front-door.ts';
import { stderrLog } from './log.ts';
import { createMcpServer } from './mcp.ts';
import type { Message } from './message.ts';
import type { Speaker } from './speaker.ts';
import { GRACE_MS, pause, toldToStop } from './stop.ts';

export interface StdioOptions {
  readonly speaker: Speaker;
  readonly faces: readonly Face[];
}

/** Serves until the client closes the connection or the process is told to stop. */
export async function serveOverStdio(
  workspace: Workspace,
  door: FrontDoor,
  { speaker, faces }: StdioOptions,
): Promise<void> {
  const log = stderrLog();
  const running = new Set<Promise<unknown>>();
  const track = (call: Promise<unknown>) => {
    running.add(call);
    call.finally(() => running.delete(call)).catch(() => {});
  };
  const mcp = { workspace, speaker: () => speaker, faces, log, running: track };
  const handle = serveStdio(() => createMcpServer(mcp), {
    transport: transportOf(door, (message) => {
      const answering = answerDirectly(message, { workspace, faces, ...speaker }, log).then(
        (response) => response && door.send(response),
      );
      track(answering);
    }),
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

function transportOf(door: FrontDoor, direct: (message: Message) => void): Transport {
  const transport: Transport = {
    async start() {
      door.handOver((message) => {
        if (isDirect(message)) direct(message);
        else transport.onmessage?.(message as unknown as JSONRPCMessage);
      });
    },
    send: (message) => door.send(message as unknown as Message),
    async close() {
      transport.onclose?.();
    },
  };
  return transport;
}
