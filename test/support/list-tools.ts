// Runs before the tests of behavior: refuses a build that is older than the sources, and requests the
// tool list of the built binary once. Every answer that a test client gets is validated against these
// schemas (`output-schemas.ts`).

import { spawnSync } from 'node:child_process';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { newerThanBuild } from '../../scripts/stale.mjs';

const BINARY = fileURLToPath(new URL('../../dist/main.cjs', import.meta.url));

const params = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'tests', version: '1' },
};
const LINES = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
];

export interface ListedTool {
  readonly name: string;
  /** A success, or a failure. */
  readonly outputSchema?: { readonly anyOf: readonly [object, object] };
}

declare module 'vitest' {
  interface ProvidedContext {
    listedTools: ListedTool[];
  }
}

export function setup(project: TestProject): void {
  const newer = newerThanBuild(fileURLToPath(new URL('../..', import.meta.url)));
  if (newer !== null) throw new Error(`dist is older than ${newer}. Build it: npm run build`);
  project.provide('listedTools', listTools());
}

function listTools(): ListedTool[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [BINARY, 'serve', '--path', os.tmpdir(), '--agent', 'coordinator'],
    { input: LINES.map((line) => `${JSON.stringify(line)}\n`).join(''), encoding: 'utf8' },
  );
  const replies = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const tools = replies.find(({ id }) => id === 2)?.result?.tools;
  if (tools === undefined) throw new Error(`The binary lists no tools: ${stdout}${stderr}`);
  return tools;
}
