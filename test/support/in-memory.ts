// A server made by the library, with a client in the same process.

import vm from 'node:vm';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { Answer, Connection } from './connect.ts';
import { expectListedShape } from './output-schemas.ts';

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

export type InMemory = Pick<Connection, 'client' | 'call' | 'ok'>;

export async function connectInMemory(options: ServerOptions): Promise<InMemory> {
  const { createServer } = await importLibrary();
  const server = createServer(options);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: 'deepwork-tests', version: '1' });
  await client.connect(ours);
  onTestFinished(() => client.close());

  async function call(tool: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const result = await client.callTool({ name: tool, arguments: args });
    expectListedShape(tool, result.structuredContent);
    const [block] = result.content as { text: string }[];
    return {
      isError: result.isError === true,
      text: block?.text ?? '',
      data: result.structuredContent,
    };
  }
  return {
    client,
    call,
    async ok(tool, args) {
      const answer = await call(tool, args);
      if (answer.isError) throw new Error(`${tool} was refused: ${answer.text}`);
      return answer.data;
    },
  };
}
