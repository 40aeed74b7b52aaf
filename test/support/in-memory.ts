// A server of the built library, with a client in the same process.

import vm from 'node:vm';
import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { type Calls, callsOf, type Era, inEra } from './calls.ts';

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
  /** As with `deepwork serve --trust`. */
  readonly trusted?: boolean;
}

export interface InMemory extends Calls {
  readonly client: Client;
  close(): Promise<void>;
}

export async function connectInMemory(
  options: ServerOptions,
  { era, client: clientOptions, trusted = false }: InMemoryOptions = {},
): Promise<InMemory> {
  const { createServer, memoryTransport } = await importLibrary();
  const server = trusted ? trusting(() => createServer(options)) : createServer(options);
  const [ours, theirs] = memoryTransport();
  await server.connect(theirs);
  const client = new Client({ name: 'deepwork-tests', version: '1' }, inEra(era, clientOptions));
  // The library's transport type and the SDK's describe the same thing.
  await client.connect(ours as Transport);
  const close = async () => {
    await client.close();
    await server.close();
  };
  onTestFinished(close);
  return { client, close, ...callsOf(client) };
}

/** The library has no option for trust: it is the environment's, and read when a server is made. */
function trusting<T>(create: () => T): T {
  const before = process.env.DEEPWORK_TRUST;
  process.env.DEEPWORK_TRUST = '1';
  try {
    return create();
  } finally {
    if (before === undefined) delete process.env.DEEPWORK_TRUST;
    else process.env.DEEPWORK_TRUST = before;
  }
}
