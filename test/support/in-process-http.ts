// An HTTP server inside the test's own process: for tests that need their own clock, limit or tool.

import type { Server } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { openWorkspace } from '../../src/engine/workspace.ts';
import { TOOLSETS } from '../../src/operations/toolsets.ts';
import { type HttpLimits, LIMITS } from '../../src/server/http/limits.ts';
import { type HttpOptions, openHttpService } from '../../src/server/http/serve.ts';
import { openSocket } from '../../src/server/http/socket.ts';
import type { McpOptions } from '../../src/server/mcp.ts';
import { newProject } from './project.ts';

/** What a launch at such a server has to know. */
export const IN_PROCESS_PASS = 'test';

export interface InProcess {
  readonly limits?: Partial<HttpLimits>;
  readonly now?: () => number;
  readonly createServer?: (options: McpOptions) => Server;
  readonly tokens?: HttpOptions['tokens'];
  readonly allowedHosts?: readonly string[];
}

export async function serveInProcess(spec: InProcess = {}) {
  const limits = { ...LIMITS, ...spec.limits };
  const socket = await openSocket('127.0.0.1', 0, limits);
  const workspace = openWorkspace({ projectRoot: newProject().root });
  const service = openHttpService(socket.server, {
    workspace,
    toolsets: TOOLSETS,
    pass: IN_PROCESS_PASS,
    tokens: spec.tokens ?? { on: false, owners: [] },
    allowedHosts: async () => spec.allowedHosts ?? [],
    limits,
    log: { call() {}, fault: () => '' },
    ...(spec.now === undefined ? {} : { now: spec.now }),
    ...(spec.createServer === undefined ? {} : { createServer: spec.createServer }),
  });
  socket.handOver(service.handle);
  onTestFinished(() => service.stop());
  return { url: `http://127.0.0.1:${socket.port}`, port: socket.port, service };
}
