// What an exported run says besides what the browser tests play: the notes of its drawing.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { newDemo, runOf, START } from './support.ts';

test('the exported drawing has the notes of graph: what was turned down, and that the agent is gone', async () => {
  verifies('BOARD-5');
  const project = newDemo();
  const agent = await connectToProcess(project.root, { closeAfterTest: false });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  await agent.ok('finished_step', { outputs: { report: 'report.md' } });
  await agent.ok('finished_step', { outputs: { page: 'report.md' } });
  await agent.ok('finished_step', { outputs: { page: 'report.md' } });
  process.kill(agent.pid, 'SIGKILL');
  await until(async () => (await runOf(project, id)).state === 'orphaned');
  const at = { cwd: project.root, env: { LC_ALL: 'C.UTF-8' } };
  const { stdout: drawn } = await command(['graph', id], at);
  expect(await command(['export', id, '-o', 'run.html'], at)).toMatchObject({ code: 0 });
  const page = readFileSync(project.path('run.html'), 'utf8');
  for (const note of ['turned down twice', 'agent gone']) {
    expect(drawn).toContain(note);
    expect(page.slice(page.indexOf('<svg'), page.indexOf('</svg>'))).toContain(note);
  }
  expect(page).toContain('at step b, agent gone');
});

test('an aborted run is drawn as stopped where it was, not as turned down', async () => {
  verifies('BOARD-2');
  const project = newDemo();
  const agent = await connect(project.root);
  await agent.ok('start_workflow', START);
  await agent.ok('abort_workflow', { explanation: 'Not needed' });
  const { stdout } = await command(['graph', 'last'], {
    cwd: project.root,
    env: { LC_ALL: 'C.UTF-8' },
  });
  expect(stdout).toMatch(/○ Step a[\s\S]*stopped here[\s\S]*○ Step b[\s\S]*✗ aborted/);
});

test('an export replaces an earlier one and nothing else, and says in plain words what is wrong', async () => {
  verifies('BOARD-5');
  const project = newDemo();
  const agent = await connect(project.root);
  await agent.ok('start_workflow', START);
  const at = { cwd: project.root };
  const write = (file: string) => command(['export', 'last', '-o', file], at);
  for (let time = 0; time < 2; time += 1)
    expect(await write('run.html')).toMatchObject({ code: 0 });
  project.write('mine.html', 'precious');
  const taken = await write('mine.html');
  expect(taken.code).not.toBe(0);
  expect(taken.stderr).toContain('is not an export of deepwork');
  expect(readFileSync(project.path('mine.html'), 'utf8')).toBe('precious');
  const gone = await write('nowhere/x.html');
  expect(gone.stderr).toContain(`${project.path('nowhere')}: it does not exist`);
  expect(gone.stderr).not.toMatch(/ENOENT|\.tmp/);
  const below = await write('mine.html/x.html');
  expect(below.stderr).toContain(`${project.path('mine.html')}: it is not a folder`);
  expect((await write('.')).stderr).toContain('is not an export of deepwork');
});
