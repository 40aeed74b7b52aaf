// What is accepted is what was judged: content that changes while a check runs is detected, even
// if the file's times do not change.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { until } from '../support/until.ts';

/** Node cannot map files into memory. */
const hasPython = spawnSync('python3', ['-c', 'import mmap']).status === 0;

/** Writes to a page that is already dirty, which changes no time of the file. */
const WRITER = `
import mmap, os, time
with open('report.md', 'r+b') as file:
    page = mmap.mmap(file.fileno(), 0)
    page[0:1] = b'g'
    open('ready', 'w').close()
    while not os.path.exists('go'): time.sleep(0.01)
    page[0:3] = b'bad'
    open('done', 'w').close()
    time.sleep(60)
`;

test.skipIf(!hasPython)('a mapped file that changes during a check is not accepted', async () => {
  const project = newProject({ 'report.md': 'good, and long enough\n' });
  const run = 'grep -q good report.md && touch go && while [ ! -e done ]; do sleep 0.05; done';
  writeJob(
    project,
    'work',
    { write: { outputs: { report: 'file' }, checks: [{ name: 'good', run }] } },
    { main: ['write'] },
  );
  const writer = spawn('python3', ['-c', WRITER], { cwd: project.root, stdio: 'ignore' });
  onTestFinished(() => {
    writer.kill('SIGKILL');
  });
  await until(() => existsSync(project.path('ready')));
  const agent = await connect(project.root, { args: ['--trust'] });
  await agent.ok('start_workflow', { job_name: 'work', workflow_name: 'main', goal: 'g' });
  const answer = await agent.call('finished_step', { outputs: { report: 'report.md' } });
  expect(readRefusal(answer)).toMatchObject({
    code: 'outputs_changed',
    message: "Output file 'report.md' changed while it was judged",
  });
});
