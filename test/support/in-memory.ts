// A server of the built library, with a client in the same process.

import vm from 'node:vm';
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { type Calls, callsOf, type Era, newClient } from './calls.ts';

type Library = typeof import('../../src/index.ts');
export type ServerOptions = Parameters<Library['createServer']>[0];

/** Node's own import: the test runner's would transform the built file. */
const importAsBuilt: (url: string) => Promise<Library> = vm.runInThisContext(
  '(url) => import(url)',
  { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
);

/** The built library: what `import 'deepwork'` gives to its users. */
export function importLibrary(): Promise<Library> {
  return importAsBuilt(new URL('../../dist/index.js', import.meta.url).href);
}

export interface InMemoryOptions {
  readonly era?: Era;
  readonly client?: ClientOptions;
  /** Variables that a server reads when it is made. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface InMemory extends Calls {
  readonly client: Client;
  close(): Promise<void>;
}

export async function connectInMemory(
  options: ServerOptions,
  { era, client: clientOptions, env = {} }: InMemoryOptions = {},
): Promise<InMemory> {
  const { createServer, memoryTransport } = await importLibrary();
  const server = withVariables(env, () => createServer(options));
  const [ours, theirs] = memoryTransport();
  await server.connect(theirs);
  const client = newClient(era, clientOptions);
  // The library's transport type and the SDK's describe the same thing.
  await client.connect(ours);
  const close = async () => {
    await client.close();
    await server.close();
  };
  onTestFinished(close);
  return { client, close, ...callsOf(client) };
}

/** Only while it runs: other servers in this process must not find them. */
function withVariables<T>(variables: Readonly<Record<string, string>>, run: () => T): T {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return run();
  } finally {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}
