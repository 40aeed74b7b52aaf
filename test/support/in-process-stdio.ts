// `deepwork serve` over stdio as the built binary does it, in the test's own process: for what a
// server of the library does not do. It works for a conversation that its client names, in a variable
// or with each call.

import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { logTo } from '../../src/server/log.ts';
import { openStdioConnection } from '../../src/server/stdio-connection.ts';
import { builtBundle } from './built-bundle.ts';
import { callsOf, newClient } from './calls.ts';
import {
  type InMemory,
  type InMemoryOptions,
  importLibrary,
  type ServerOptions,
} from './in-memory.ts';

type Engine = typeof import('../../src/bundles/engine.ts');

export async function connectToStdioHere(
  options: ServerOptions,
  { era, client: clientOptions, env = {} }: InMemoryOptions = {},
): Promise<InMemory> {
  const { openWorkspace, serveOverStdio, stdioCaller, TOOLSETS } = builtBundle<Engine>('engine');
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
