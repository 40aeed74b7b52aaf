// The project that most of these tests use (a job of two steps, and a shorter workflow), its callers
// over HTTP, and servers that believe they run elsewhere, or at another time.

import { fileURLToPath } from 'node:url';
import { type Calls, callsOf } from '../support/calls.ts';
import { connectOverHttp, type HttpServer } from '../support/http.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';

export const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };

export function newDemo(): Project {
  const project = newProject({ 'a.md': 'A' });
  const outputs = { result: 'file' } as const;
  writeJob(
    project,
    'demo',
    { plan: { outputs }, build: { outputs } },
    { main: ['plan', 'build'], short: ['plan'] },
  );
  return project;
}

export async function callerOf(
  { url }: Pick<HttpServer, 'url'>,
  name = 'coordinator',
): Promise<Calls> {
  return callsOf(await connectOverHttp(url, { headers: { 'x-sgai-agent-identity': name } }));
}

const PRELOAD = fileURLToPath(new URL('./other-machine.cjs', import.meta.url));

export interface Elsewhere {
  readonly host?: string;
  /** Eight characters, as in the system's boot id. */
  readonly boot?: string;
  /** The number of its process namespace, as containers have one each. */
  readonly namespace?: string;
  /** Added to the clock. */
  readonly clockMs?: number;
}

/** The environment that makes a server believe it. */
export function elsewhere({ host, boot, namespace, clockMs }: Elsewhere): Record<string, string> {
  return {
    NODE_OPTIONS: `--require "${PRELOAD}"`,
    ...(host !== undefined && { TEST_HOST: host }),
    ...(boot !== undefined && { TEST_BOOT: boot }),
    ...(namespace !== undefined && { TEST_NAMESPACE: namespace }),
    ...(clockMs !== undefined && { TEST_CLOCK_MS: String(clockMs) }),
  };
}
