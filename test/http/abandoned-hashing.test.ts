// A huge output is hashed only as long as its call lives: a client that is gone must not keep the
// server reading. The kernel counts what the server reads (`/proc/<pid>/io`).

import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  truncateSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connectOverHttp, HTTP_ERAS, type HttpServer, serveOverHttp } from '../support/http.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { until } from '../support/until.ts';

/** As much as one call may hash, less one byte; it is sparse and takes no space. */
const HUGE = 1024 * 1024 * 1024 - 1;
const START = {
  name: 'start_workflow',
  arguments: { goal: 'g', job_name: 'demo', workflow_name: 'main' },
};
const FINISH = { name: 'finished_step', arguments: { outputs: { pages: 'huge.bin' } } };

function hugeProject(): Project {
  const project = newProject();
  writeJob(project, 'demo', { write: { outputs: { pages: 'file' } } }, { main: ['write'] });
  const handle = openSync(project.path('huge.bin'), 'w');
  ftruncateSync(handle, HUGE);
  closeSync(handle);
  return project;
}

function holds({ child }: HttpServer, file: string): boolean {
  const folder = `/proc/${child.pid}/fd`;
  return readdirSync(folder).some((name) => {
    try {
      return readlinkSync(`${folder}/${name}`) === file;
    } catch {
      // Closed since the folder was listed.
      return false;
    }
  });
}

function bytesRead({ child }: HttpServer): number {
  const io = readFileSync(`/proc/${child.pid}/io`, 'utf8');
  return Number(/^rchar: (\d+)$/m.exec(io)?.[1]);
}

describe.runIf(process.platform === 'linux')('hashing ends with its call', () => {
  /** Starts a call, ends it, and returns how much was read for it. */
  async function readFor(
    project: Project,
    server: HttpServer,
    begin: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<number> {
    const file = project.path('huge.bin');
    const before = bytesRead(server);
    const gone = new AbortController();
    const called = begin(gone.signal);
    called.catch(() => {});
    await until(() => holds(server, file));
    gone.abort();
    await expect(called).rejects.toThrow();
    await until(() => !holds(server, file));
    return bytesRead(server) - before;
  }

  // Clients of the handshake era send a cancellation, others disconnect.
  test.each(HTTP_ERAS)('in the era: %s', { timeout: 120_000 }, async (era) => {
    const project = hugeProject();
    const server = await serveOverHttp(project.root);
    const client = await connectOverHttp(server.url, { era });
    await client.callTool(START);
    const read = await readFor(project, server, (signal) => client.callTool(FINISH, { signal }));
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(HUGE);
    // An abandoned file can be submitted again.
    truncateSync(project.path('huge.bin'), 10);
    const { structuredContent } = await client.callTool(FINISH);
    expect(structuredContent).toMatchObject({ status: 'workflow_complete' });
  });
});
