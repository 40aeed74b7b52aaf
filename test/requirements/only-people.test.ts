// What only a person may do is refused to agents: by the variables that clients set, and by the
// parent processes of the command.

import { chmodSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { BINARY } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { endServersAfterTest } from '../support/launch.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { deepwork, type Ran, run } from '../support/run-command.ts';
import { verifies } from '../verifies.ts';

const START = 'start_workflow --goal g --job_name demo --workflow_name main'.split(' ');
const FINISH = ['finished_step', '--outputs', 'report=report.md'];
const WRITE = ['call', 'project_todowrite', '--todos', '[]'];
const AGENT = { CLAUDECODE: '1' };

function newDemo(checks: readonly object[] = [{ name: 'run', run: 'touch ran' }]): Project {
  const project = newProject({ 'report.md': 'done\n' });
  const steps = { a: { outputs: { report: 'file' }, checks }, b: {} };
  writeJob(project, 'demo', steps, { main: ['a', 'b'] });
  return project;
}

/** Runs the command below a program of this name, which is a script of node or the shell. */
function below(name: string, project: Project, args: readonly string[]): Promise<Ran> {
  const words = [process.execPath, BINARY, ...args];
  const isScript = name.endsWith('.js');
  const text = isScript
    ? `process.exitCode = require('child_process').spawnSync(${JSON.stringify(words[0])}, ${JSON.stringify(words.slice(1))}, { stdio: 'inherit' }).status;`
    : `#!/bin/sh\n${words.map((word) => `'${word}'`).join(' ')}\nexit $?\n`;
  const file = newProject().write(name, text);
  chmodSync(file, 0o755);
  const options = { cwd: project.root, env: { HOME: newHome() } };
  return isScript ? run(process.execPath, [file], options) : run(file, [], options);
}

/** Refused, and says by which sign the agent was recognized. */
function expectRefused({ code, stdout, stderr }: Ran, sign: string): void {
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toContain(sign);
}

test('an unnamed agent cannot take over work from a terminal, a person can', async () => {
  const project = newDemo([]);
  const HOME = newHome();
  const call = async (args: readonly string[], env = {}) => {
    const asked = { cwd: project.root, env: { HOME, ...env } };
    return JSON.parse((await deepwork(['call', ...args], asked)).stdout);
  };
  const { session_id } = (await call([...START, '--agent', 'writer'])).begin_step;
  const finish = [...FINISH, '--session_id', session_id];
  expect((await call(finish, AGENT)).error.code).toBe('session_not_found');
  expect((await call(START, AGENT)).stack).toHaveLength(1);
  expect((await call(finish)).status).toBe('next_step');
});

describe('an agent is refused with exit code 4', () => {
  test.each([
    ['trust', '--yes'],
    ['answer', 'q-1', '--choose', 'yes'],
    ['messages', 'prune', '--through', '1'],
    ['repair'],
    ['abort', 'last', '--reason', 'x'],
    ['redo', 'last', 'a', '--reason', 'x'],
    ['stop', 'last'],
    ['call', 'get_workflows', '--agent', 'coordinator'],
    ['call', 'get_workflows', '--agent=|opus'],
    WRITE,
    ['call', 'send_message', '--toAgent', 'writer', '--body', 'Stop'],
  ])('%s %s', async (...deed) => {
    const env = { HOME: newHome(), ...AGENT };
    expectRefused(await command(deed, { cwd: newDemo().root, env }), 'CLAUDECODE');
  });

  test.each(['CODEX_THREAD_ID', 'GEMINI_CLI', 'OPENCODE', 'CURSOR_AGENT', 'AI_AGENT'])(
    'by the mark %s',
    async (mark) => {
      const env = { HOME: newHome(), [mark]: '1' };
      expectRefused(await command(['trust', '--yes'], { cwd: newProject().root, env }), mark);
    },
  );

  // What only people do and what only the coordinator does look for the signs in two places.
  test.each<[program: string, name: string, deed: readonly string[]]>([
    ['claude', 'claude', ['trust', '--yes']],
    ['claude', 'claude', WRITE],
    ['codex', 'codex', ['trust', '--yes']],
    ['node_modules/@anthropic-ai/claude-code/cli.js', 'claude', ['trust', '--yes']],
  ])('by its process %s, which is %s: %s', async (program, name, deed) => {
    expectRefused(await below(program, newDemo(), deed), `started by ${name}`);
  });

  test('below our own launch, although it removes every mark', async () => {
    const project = newDemo();
    endServersAfterTest(project.root);
    const bare = ['/usr/bin/env', '-i', `HOME=${newHome()}`, process.execPath, BINARY];
    const launched = (agent: string, ...deed: string[]) =>
      deepwork(['launch', '--agent', agent, '--', ...bare, ...deed], {
        cwd: project.root,
        env: { HOME: newHome() },
      });
    expectRefused(await launched('writer', 'trust', '--yes'), 'deepwork launch');
    expectRefused(await launched('writer', ...WRITE), "'writer'");
    const promote = ['launch', '--path', project.root, '--', 'true'];
    expectRefused(await launched('writer', ...promote), "'writer'");
    expect(await launched('coordinator', ...WRITE)).toMatchObject({ code: 0, stdout: '0 todos\n' });
  });
});

test('the tools of jobs, and those of the team under a name of their own, are open to agents', async () => {
  const asked = { cwd: newDemo().root, env: { HOME: newHome(), ...AGENT } };
  const status = 'call update_workflow_state --status working --task x --agent writer'.split(' ');
  for (const args of [['call', 'get_workflows'], ['messages', 'list'], status]) {
    expect((await command(args, asked)).code, args.join(' ')).not.toBe(4);
  }
});

test('a person is accepted, also in the terminal of an editor that has agents', async () => {
  for (const program of ['cursor', 'code', 'tmux']) {
    const { code, stdout } = await below(program, newDemo(), ['trust', '--yes']);
    expect([program, code]).toEqual([program, 0]);
    expect(stdout).toContain('touch ran');
  }
});

test('an agent cannot grant itself trust by DEEPWORK_TRUST; automation can', async () => {
  verifies('JOBS-X.25');
  const { root: cwd } = newDemo();
  const callers: Record<string, string>[] = [AGENT, {}];
  for (const env of callers) await deepwork(['call', ...START], { cwd, env });
  const finish = (env: Record<string, string>) =>
    deepwork(['call', ...FINISH], { cwd, env: { HOME: newHome(), DEEPWORK_TRUST: '1', ...env } });
  const refused = await finish(AGENT);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain('deepwork trust');
  expect(refused.stderr).toContain('DEEPWORK_TRUST');
  const allowed = await finish({});
  expect(allowed.code).toBe(0);
  expect(allowed.stderr).not.toContain('DEEPWORK_TRUST');
});
