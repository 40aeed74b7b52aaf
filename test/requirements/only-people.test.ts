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

const GIT_OFF = 'git: {branch: off}\n';

const DEEDS: readonly (readonly string[])[] = [
  ['trust', '--yes'],
  ['answer', 'q-1', '--choose', 'yes'],
  ['messages', 'prune', '--through', '1'],
  ['repair'],
  ['abort', 'last', '--reason', 'x'],
  ['redo', 'last', 'a', '--reason', 'x'],
  ['stop', 'last'],
  ['call', 'get_workflows', '--agent', 'coordinator'],
  ['call', 'get_workflows', '--agent=|opus'],
  ['call', 'project_todowrite', '--todos', '[]'],
  ['call', 'send_message', '--toAgent', 'writer', '--body', 'Stop'],
];

function projectWithCheck(): Project {
  const project = newProject();
  const checks = [{ name: 'run', run: 'touch ran' }];
  writeJob(project, 'demo', { a: { outputs: { report: 'file' }, checks } }, { main: ['a'] });
  project.write('report.md', 'done\n');
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

test('an unnamed agent cannot take over work from a terminal, a person can', async () => {
  const project = newProject({ 'report.md': 'done\n', '.deepwork/config.yml': GIT_OFF });
  writeJob(project, 'demo', { a: { outputs: { report: 'file' } }, b: {} }, { main: ['a', 'b'] });
  const home = newHome();
  const call = (args: readonly string[], env = {}) =>
    deepwork(['call', ...args], { cwd: project.root, env: { HOME: home, ...env } });
  const start = ['start_workflow', '--goal', 'g', '--job_name', 'demo', '--workflow_name', 'main'];
  const started = await call([...start, '--agent', 'writer']);
  const id: string = JSON.parse(started.stdout).begin_step.session_id;
  const finish = ['finished_step', '--session_id', id, '--outputs', 'report=report.md'];
  const refused = await call(finish, { CLAUDECODE: '1' });
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain(`Session '${id}' not found in active stack`);
  const own = await call(start, { CLAUDECODE: '1' });
  expect(JSON.parse(own.stdout).stack).toHaveLength(1);
  expect(JSON.parse((await call(finish)).stdout).status).toBe('next_step');
});

describe('an agent is refused with exit code 4', () => {
  test.each(DEEDS.map((deed) => [deed.join(' '), deed] as const))('%s', async (_text, deed) => {
    const project = projectWithCheck();
    const env = { HOME: newHome(), CLAUDECODE: '1' };
    const ran = await command(deed, { cwd: project.root, env });
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 4, stdout: '' });
    expect(ran.stderr).toMatch(/^deepwork: agents cannot .* \(CLAUDECODE is set\)\. .+\n$/);
  });

  // All of them look for either sign in one of two places: what only people do, and what only the
  // coordinator does.
  test.each([
    ['trust', '--yes'],
    ['call', 'project_todowrite', '--todos', '[]'],
  ])('by its process: %s', async (...deed) => {
    const project = projectWithCheck();
    const byName = await below('claude', project, deed);
    expect({ code: byName.code, stdout: byName.stdout }).toEqual({ code: 4, stdout: '' });
    expect(byName.stderr).toMatch(/started by claude, process \d+/);
  });

  test.each(['CODEX_THREAD_ID', 'GEMINI_CLI', 'OPENCODE', 'CURSOR_AGENT', 'AI_AGENT'])(
    'by the mark %s',
    async (mark) => {
      const env = { HOME: newHome(), [mark]: '1' };
      const { code, stderr } = await command(['trust', '--yes'], { cwd: newProject().root, env });
      expect([code, stderr]).toEqual([4, expect.stringContaining(`(${mark} is set)`)]);
    },
  );

  test.each([
    ['codex', 'codex'],
    ['claude', 'node_modules/@anthropic-ai/claude-code/cli.js'],
  ])('below the process %s, run as %s', async (name, program) => {
    const { code, stderr } = await below(program, projectWithCheck(), ['trust', '--yes']);
    expect([code, stderr]).toEqual([4, expect.stringContaining(`started by ${name}`)]);
  });

  test('below our own launch, although it removes every mark', async () => {
    const project = projectWithCheck();
    endServersAfterTest(project.root);
    const bare = ['/usr/bin/env', '-i', `HOME=${newHome()}`, process.execPath, BINARY];
    const launched = (agent: string, ...deed: string[]) =>
      deepwork(['launch', '--agent', agent, '--', ...bare, ...deed], {
        cwd: project.root,
        env: { HOME: newHome() },
      });
    const trust = await launched('writer', 'trust', '--yes');
    expect([trust.code, trust.stderr]).toEqual([4, expect.stringContaining('deepwork launch')]);
    const write = ['call', 'project_todowrite', '--todos', '[]'];
    const posing = await launched('writer', ...write);
    const refusal =
      "deepwork: agents cannot speak as the coordinator (this one was started as 'writer'). Say who you are: --agent writer\n";
    expect([posing.code, posing.stderr]).toEqual([4, expect.stringContaining(refusal)]);
    const promoted = await launched('writer', 'launch', '--path', project.root, '--', 'true');
    expect([promoted.code, promoted.stderr]).toEqual([4, expect.stringContaining(refusal)]);
    expect(await launched('coordinator', ...write)).toMatchObject({ code: 0, stdout: '0 todos\n' });
  });
});

describe('other tools are open to agents', () => {
  test('the tools of jobs, and those of the team under a name of their own', async () => {
    const project = projectWithCheck();
    const asked = { cwd: project.root, env: { HOME: newHome(), CLAUDECODE: '1' } };
    expect((await command(['call', 'get_workflows'], asked)).code).toBe(0);
    expect((await command(['messages', 'list'], asked)).code).toBe(0);
    const status = ['call', 'update_workflow_state', '--status', 'working', '--agent', 'writer'];
    const { stderr } = await command(status, asked);
    expect(stderr).not.toContain('agents cannot');
  });
});

test('a person is accepted, also in the terminal of an editor that has agents', async () => {
  for (const program of ['cursor', 'code', 'tmux']) {
    const { code, stdout } = await below(program, projectWithCheck(), ['trust', '--yes']);
    expect([program, code]).toEqual([program, 0]);
    expect(stdout).toContain('touch ran');
  }
});

test('an agent cannot grant itself trust by DEEPWORK_TRUST; automation can', async () => {
  const project = projectWithCheck();
  const finish = (env: Record<string, string>) =>
    deepwork(['call', 'finished_step', '--outputs', 'report=report.md'], {
      cwd: project.root,
      env: { HOME: newHome(), DEEPWORK_TRUST: '1', ...env },
    });
  const start = ['--job_name', 'demo', '--workflow_name', 'main', '--goal', 'Try it'];
  const callers: Record<string, string>[] = [{ CLAUDECODE: '1' }, {}];
  for (const env of callers) {
    await deepwork(['call', 'start_workflow', ...start], { cwd: project.root, env });
  }
  const refused = await finish({ CLAUDECODE: '1' });
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain('deepwork trust');
  expect(refused.stderr).toContain('DEEPWORK_TRUST is ignored');
  const allowed = await finish({});
  expect(allowed.code).toBe(0);
  expect(allowed.stderr).not.toContain('DEEPWORK_TRUST');
});
