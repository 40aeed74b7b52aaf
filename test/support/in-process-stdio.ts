// `deepwork serve` over stdio as the built binary does it, in the test's own process: for what a
// server of the library does not do. It works for a conversation that its client names, in a variable
// or with each call.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { onTestFinished } from 'vitest';
import { logTo } from '../../src/server/log.ts';
import { openStdioConnection } from '../../src/server/stdio-connection.ts';
import { callsOf, newClient } from './calls.ts';
import {
  type InMemory,
  type InMemoryOptions,
  importLibrary,
  type ServerOptions,
} from './in-memory.ts';

type Engine = typeof import('../../src/bundles/engine.ts');

let engine: Engine | null = null;

/** As src/bundles/load-bundle.ts loads it, without its code cache: that one is for whole processes. */
function builtEngine(): Engine {
  if (engine !== null) return engine;
  const file = fileURLToPath(new URL('../../dist/engine.cjs', import.meta.url));
  const script = new vm.Script(readFileSync(file, 'latin1'), { filename: file });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
  engine = module.exports as Engine;
  return engine;
}

export async function connectToStdioHere(
  options: ServerOptions,
  { era, client: clientOptions, env = {} }: InMemoryOptions = {},
): Promise<InMemory> {
  const { openWorkspace, serveOverStdio, stdioCaller, TOOLSETS } = builtEngine();
  const { stdioTransport } = await importLibrary();
  const { projectRoot, standardJobsDir, standardGuidesDir, agent, log, ...overrides } = options;
  const take = log ?? (() => {});
  const variables = { ...process.env, ...env };
  const workspace = openWorkspace({
    projectRoot,
    overrides,
    env: variables,
    standardJobsDir: standardJobsDir ?? null,
    standardGuidesDir: standardGuidesDir ?? null,
    ...(agent !== undefined && { agent }),
    onProblem: (line) => take(`deepwork: ${line}`),
  });
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const served = serveOverStdio(workspace, openStdioConnection(toServer, toClient), {
    identity: stdioCaller(variables, agent),
    toolsets: TOOLSETS,
    log: logTo(take),
  });
  const client = newClient(era, clientOptions);
  await client.connect(stdioTransport(toClient, toServer));
  const close = async () => {
    await client.close();
    toServer.end();
    await served;
  };
  onTestFinished(close);
  return { client, close, ...callsOf(client) };
}
