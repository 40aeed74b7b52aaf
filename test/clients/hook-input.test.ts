// Whatever a hook is given and whatever is wrong here: the client is not disturbed.

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BINARY, connect } from '../support/connect.ts';
import { claudeInput, hook, hookProcess, runHook } from '../support/hook.ts';
import { newProject, writeJob } from '../support/project.ts';
import { run } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const MOMENTS = ['start', 'stop', 'tool'];

async function openRun() {
  const project = newProject();
  writeJob(project, 'demo', { a: { outputs: { report: 'file' } } }, { main: ['a'] });
  const agent = await connect(project.root, { env: { CLAUDE_CODE_SESSION_ID: 'c' } });
  const start = { goal: 'G', job_name: 'demo', workflow_name: 'main' };
  const { begin_step } = await agent.ok('start_workflow', start);
  await agent.close();
  return { project, id: begin_step.session_id as string };
}

const INPUTS = {
  garbage: 'not { json',
  nothing: '',
  'an array': '[]',
  'a number': '7',
  null: 'null',
  'members of other types': '{"session_id":7,"cwd":[],"tool_input":"x","tool_name":{}}',
  '10 MB': JSON.stringify({ session_id: 'c', transcript: 'x'.repeat(10 * 1024 * 1024) }),
};

test('given anything but its input, a hook exits with 0 and prints nothing', async () => {
  verifies('CLIENT-5');
  const { project } = await openRun();
  const empty = tempFolder();
  for (const [what, input] of Object.entries(INPUTS)) {
    for (const moment of MOMENTS) {
      expect(await hook(moment, input, { cwd: empty }), `${moment}: ${what}`).toBeNull();
      const ask = moment === 'stop' ? hookProcess : hook;
      const said = await ask(moment, input, { cwd: project.root });
      // In the project itself, input that is sound but says little may still be answered.
      if (said !== null) expect(typeof said, `${moment}: ${what}`).toBe('object');
    }
  }
});

test('clients and moments that there are not are noted in the log of hooks, which stays small', async () => {
  verifies('CLIENT-5');
  const home = tempFolder('.deepwork');
  const log = path.join(home, '.deepwork', 'hook.log');
  writeFileSync(log, 'x'.repeat(300 * 1024));
  const options = { cwd: tempFolder(), env: { HOME: home }, input: '{}' };
  for (const args of [['nobody', 'stop'], ['claude', 'never'], ['claude']]) {
    const { code, stdout } = await runHook(args, options);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  }
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain("nobody stop: there is no client 'nobody'");
});

test('a damaged journal, a project that cannot be written to and a missing home disturb no client', async () => {
  verifies('CLIENT-5');
  const { project, id } = await openRun();
  const input = claudeInput('c', project.root);
  const stream = project.path(`.deepwork/journal/session/${id}.jsonl`);
  expect(existsSync(stream)).toBe(true);
  const sound = readFileSync(stream);
  writeFileSync(stream, `x${sound.toString('utf8')}`);
  for (const moment of MOMENTS) await hook(moment, input, { cwd: project.root });
  writeFileSync(stream, sound);
  for (const moment of MOMENTS) {
    await hook(moment, input, { cwd: project.root, env: { HOME: '/nowhere/at/all' } });
  }
  chmodSync(project.path('.deepwork/journal/session'), 0o500);
  for (const moment of MOMENTS) await hook(moment, input, { cwd: project.root });
  chmodSync(project.path('.deepwork/journal/session'), 0o700);
});

test('a hook whose stdin is never closed ends by itself', async () => {
  verifies('CLIENT-5');
  // The reader of the pipe ends first; whoever holds it open is not waited for.
  const script = 'sleep 60 & "$0" "$1" hook claude stop < /dev/fd/3; kill $!';
  const open = `mkfifo pipe; exec 3<>pipe; ${script}`;
  const ran = run('/bin/sh', ['-c', open, process.execPath, BINARY], { cwd: tempFolder() });
  expect(await ran).toMatchObject({ code: 0, stdout: '' });
});
