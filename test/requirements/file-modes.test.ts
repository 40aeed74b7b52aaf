// What deepwork stores is private to its user, whatever the umask and its earlier mode.

import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { connectToProcess } from '../support/connect.ts';
import { serveOverHttp } from '../support/http.ts';
import { newProject, writeJob } from '../support/project.ts';
import { STATE } from '../team/support.ts';
import { verifies } from '../verifies.ts';

/** Names, with their modes, of what others can access. */
function shared(root: string): string[] {
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return ['.', ...all].flatMap((name) => {
    const mode = lstatSync(path.join(root, name)).mode & 0o777;
    return (mode & 0o077) === 0 ? [] : [`${name} ${mode.toString(8)}`];
  });
}

test('files are 0600 and folders 0700, under a umask of 0 and in a folder that others could access', async () => {
  verifies('JOBS-X.20');
  const project = newProject();
  writeJob(project, 'demo', { a: {}, b: {} }, { main: ['a', 'b'] });
  const journal = project.path('.deepwork/journal');
  mkdirSync(path.join(journal, 'session'), { recursive: true });
  chmodSync(journal, 0o755);
  chmodSync(path.join(journal, 'session'), 0o777);
  const before = process.umask(0);
  try {
    const server = await connectToProcess(project.root, { closeAfterTest: false });
    await server.ok('start_workflow', { goal: 'x', job_name: 'demo', workflow_name: 'main' });
    await server.ok('finished_step', { outputs: {} });
    await server.call('update_workflow_state', { status: 'working', task: 'one' });
    // Another program changes the state file in between.
    project.write(STATE, '{"status":"complete"}');
    await server.call('update_workflow_state', { status: 'working', task: 'two' });
    await server.close();
    const { home, child, ended } = await serveOverHttp(project.root);
    child.kill('SIGTERM');
    await ended;
    expect(shared(path.join(home, '.deepwork'))).toEqual([]);
  } finally {
    process.umask(before);
  }
  for (const folder of ['.deepwork/journal', '.deepwork/tmp', '.sgai']) {
    expect(shared(project.path(folder)), folder).toEqual([]);
  }
  expect(readdirSync(project.path('.sgai/foreign'))).toHaveLength(1);
});
