// Checks: commands that the server runs itself, once a person has agreed to them.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkEnvironment } from '../../src/gate/check-command.ts';
import { BINARY, connect, connectToProcess } from '../support/connect.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { isRunning, PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { deepwork, run } from '../support/run-command.ts';
import { readView } from '../support/saved.ts';
import { trust as trustWithHome } from '../support/trust.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };

interface Check {
  readonly name: string;
  readonly run: string;
  readonly timeout_seconds?: number;
}

function checked(checks: readonly Check[], step: Record<string, unknown> = {}): Project {
  const project = newProject({ 'report.md': 'The report.\n' });
  writeJob(
    project,
    'work',
    { write: { outputs: { report: 'file' }, checks, ...step }, after: {} },
    { main: ['write', 'after'] },
  );
  return project;
}

/** A separate home, so that no test touches what the user of this machine trusts. */
function ownHome(project: Project): { HOME: string } {
  const HOME = project.path('home');
  mkdirSync(HOME, { recursive: true });
  return { HOME };
}

function trust(project: Project, ...args: string[]) {
  return trustWithHome(project.root, ownHome(project).HOME, ...args);
}

test.each([
  ['abort_workflow', { explanation: 'no longer wanted' }],
  ['go_to_step', { step_id: 'before' }],
])('%s ends a check whose result can no longer count', async (tool, args) => {
  const project = newProject({ 'report.md': 'The report.\n' });
  const checks = [{ name: 'long', run: 'echo $$ > pid; exec sleep 600', timeout_seconds: 900 }];
  writeJob(
    project,
    'work',
    { before: {}, write: { outputs: { report: 'file' }, checks } },
    { main: ['before', 'write'] },
  );
  const agent = await connect(project.root, { args: ['--trust'], env: ownHome(project) });
  await agent.ok('start_workflow', START);
  await agent.ok('finished_step', { outputs: {} });
  const waiting = agent.call('finished_step', REPORT);
  const pid = () =>
    existsSync(project.path('pid')) ? Number(readFileSync(project.path('pid'), 'utf8')) : 0;
  await until(() => pid() > 0 && isRunning(pid()));

  await agent.ok(tool, args);
  await until(() => !isRunning(pid()));
  const answer = await waiting;
  expect(answer.isError).toBe(true);
  expect(answer.text).toContain("Step 'write' is no longer the current step of session");
});

describe('trust', () => {
  test.each(['SGAI_AGENT_IDENTITY', 'DEEPWORK_AGENT_TOKEN'])(
    'an agent, recognized by %s, cannot grant it',
    async (mark) => {
      const project = checked([{ name: 'any', run: 'true' }]);
      const { code, stdout, stderr } = await deepwork(['trust', '--path', project.root, '--yes'], {
        cwd: project.root,
        env: { ...ownHome(project), [mark]: 'helper' },
      });
      expect(code).toBe(4);
      expect(stdout).toBe('');
      expect(stderr).toBe(
        `deepwork: agents cannot trust commands (${mark} is set). Ask your user to do it, in a terminal that no agent has opened.\n`,
      );
      expect(existsSync(project.path('home/.deepwork/trust.d'))).toBe(false);
    },
  );

  test('nothing runs before a person has agreed; a changed list asks again', async () => {
    verifies('JOBS-X.25');
    const project = checked([{ name: 'leaves a mark', run: 'touch ran.txt' }]);
    const agent = await connect(project.root, { env: ownHome(project) });
    await agent.ok('start_workflow', START);
    const refusal = await agent.refused('finished_step', REPORT);
    expect(refusal).toContain("Step 'write' has checks that run commands");
    expect(refusal).toContain(`Next: ask your user to look at them and run: deepwork trust`);
    expect(existsSync(project.path('ran.txt'))).toBe(false);

    const unasked = await trust(project);
    expect(unasked.code).toBe(2);
    expect(unasked.stdout).toContain('touch ran.txt');
    expect((await trust(project, '--yes')).stdout).toContain('Trusted, until one of them changes.');
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
    expect(existsSync(project.path('ran.txt'))).toBe(true);

    await agent.ok('go_to_step', { step_id: 'write' });
    writeJob(
      project,
      'work',
      {
        write: { outputs: { report: 'file' }, checks: [{ name: 'other', run: 'touch other.txt' }] },
        after: {},
      },
      { main: ['write', 'after'] },
    );
    expect(await agent.refused('finished_step', REPORT)).toContain('not what was trusted');
    expect(existsSync(project.path('other.txt'))).toBe(false);
  });

  test('a workspace cannot trust itself, and trust is not kept in it', async () => {
    verifies('JOBS-X.25');
    const project = checked([{ name: 'x', run: 'true' }]);
    await trust(project, '--yes');
    const [kept = '', ...more] = readdirSync(project.path('home/.deepwork/trust.d'));
    expect(more).toEqual([]);
    const text = readFileSync(project.path(`home/.deepwork/trust.d/${kept}`), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ project: project.root });
    expect(existsSync(project.path('.deepwork/trust.d'))).toBe(false);
  });

  test('a command of many lines is shown on one line', async () => {
    verifies('JOBS-X.25');
    const lines = `touch hidden${'\n'.repeat(200)}true\n\nfalse`;
    const project = checked([{ name: 'x', run: lines }]);
    const { stdout } = await trust(project);
    expect(stdout).toContain('touch hidden [200 blanks] true↵↵false');
    expect(stdout.split('\n').length).toBeLessThan(10);
  });

  test('a person is asked at a terminal', async () => {
    verifies('JOBS-X.25');
    const project = checked([{ name: 'x', run: 'true' }]);
    const line = `${process.execPath} ${BINARY} trust --path ${project.root}`;
    const ask = async (answer: string) => {
      const input = `${answer}\n`;
      const asked = { cwd: project.root, input, env: ownHome(project) };
      return (await run('script', ['-qec', line, '/dev/null'], asked)).stdout;
    };
    for (const no of ['', 'yesterday']) {
      expect(await ask(no), no).toContain('Nothing was changed.');
    }
    expect(existsSync(project.path('home/.deepwork/trust.d'))).toBe(false);
    expect(await ask('y')).toContain('Trusted, until one of them changes.');
  });

  test.each([
    ['--trust', ['--trust'], {}],
    ['DEEPWORK_TRUST=1', [], { DEEPWORK_TRUST: '1' }],
  ])('automation can grant it: %s', async (_what, args, env) => {
    verifies('JOBS-X.25', 'JOBS-X.24');
    const project = checked([{ name: 'x', run: 'true' }]);
    const agent = await connectToProcess(project.root, {
      args,
      env: { ...ownHome(project), ...env },
    });
    await agent.ok('start_workflow', START);
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
  });
});

test('a reviewer that the project names needs trust, too', async () => {
  verifies('JOBS-X.25');
  const project = checked([], { reviews: [REVIEW] });
  const settings = {
    git: { branch: 'off' },
    quality_gate: { agent_review_command: REVIEW_COMMAND },
  };
  project.write('.deepwork/config.yml', JSON.stringify(settings));
  script(project, { answer: PASS });
  const agent = await connect(project.root, { env: ownHome(project) });
  const { begin_step } = await agent.ok('start_workflow', START);
  expect(await agent.refused('finished_step', REPORT)).toContain('has not been trusted');
  expect(seen(project)).toEqual([]);
  expect(readView(project, begin_step.session_id).step_progress.write.quality_attempts).toBe(0);
  expect((await trust(project, '--yes')).stdout).toContain('stand-in.cjs');
  expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
});

describe('a check that fails', () => {
  test('is needs_work with its output, costs no attempt, and cannot be skipped', async () => {
    verifies('JOBS-X.9');
    const project = checked(
      [
        { name: 'tests', run: 'echo one failed; echo why >&2; exit 3' },
        { name: 'style', run: 'true' },
        { name: 'types', run: 'exit 1' },
      ],
      { reviews: [REVIEW] },
    );
    script(project, { answer: PASS });
    const agent = await connect(project.root, { args: ['--trust', '--no-quality-gate'] });
    const { begin_step } = await agent.ok('start_workflow', START);
    const answer = await agent.ok('finished_step', {
      ...REPORT,
      quality_review_override_reason: 'I am sure',
    });
    expect(answer.status).toBe('needs_work');
    expect(answer.failed_reviews).toBeNull();
    expect(answer.failed_criteria).toEqual([
      { criterion: 'tests', passed: false, feedback: 'exit code 3' },
      { criterion: 'types', passed: false, feedback: 'exit code 1' },
    ]);
    expect(answer.feedback).toBe(
      'tests (exit code 3\none failed\nwhy); types (exit code 1\nNo output from: exit 1)',
    );
    const { step_progress, history } = readView(project, begin_step.session_id);
    expect(step_progress.write.quality_attempts).toBe(0);
    expect(history).toContainEqual(
      expect.objectContaining({
        event: 'check_ran',
        name: 'tests',
        passed: false,
        files: { 'report.md': expect.stringMatching(/^[0-9a-f]{64}$/) },
      }),
    );
  });

  test('shows the lines around its first error and the end of its output, once', async () => {
    verifies('JOBS-X.9');
    const log = [
      ...Array.from({ length: 2000 }, (_, index) => `ok ${index} - rejects an error é`),
      'compiling parser.ts',
      'parser.ts(7,3): error TS2322: a text is no number',
      '  7   const size: number = "seven";',
      ...Array.from({ length: 2000 }, (_, index) => `ok ${index} - it fails well é`),
      'error: 1 of 4001 targets',
    ];
    const project = checked([{ name: 'build', run: 'cat build.log; exit 2' }]);
    project.write('build.log', log.join('\n'));
    const agent = await connect(project.root, { args: ['--trust'] });
    await agent.ok('start_workflow', START);
    const answer = await agent.ok('finished_step', REPORT);
    expect(answer.failed_criteria).toEqual([
      { criterion: 'build', passed: false, feedback: 'exit code 2' },
    ]);
    const shown: string = answer.feedback.slice('build ('.length, -1);
    for (const line of [...log.slice(1999, 2003), ...log.slice(-20)]) {
      expect(shown.split('\n')).toContain(line);
    }
    expect(shown).toMatch(/^exit code 2\n/);
    expect(shown).toMatch(/\n\[… 18\d\d lines left out …\]\n/);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(4096 + 'exit code 2\n'.length);
    expect(JSON.stringify(answer).split('TS2322')).toHaveLength(2);
  });

  test('fails the step before any reviewer runs', async () => {
    verifies('JOBS-X.9');
    const project = checked([{ name: 'no', run: 'false' }], { reviews: [REVIEW] });
    script(project, { answer: PASS });
    const agent = await connect(project.root, {
      args: ['--trust', '--quality-gate', REVIEW_COMMAND],
    });
    await agent.ok('start_workflow', START);
    expect((await agent.ok('finished_step', REPORT)).status).toBe('needs_work');
    expect(seen(project)).toEqual([]);
  });

  test('because it never ends is killed at its deadline, with its children', async () => {
    verifies('JOBS-X.9');
    const run = 'sleep 300 & echo $! > pid.txt; wait';
    const project = checked([{ name: 'slow', run, timeout_seconds: 1 }]);
    const agent = await connect(project.root, { args: ['--trust'] });
    await agent.ok('start_workflow', START);
    const answer = await agent.ok('finished_step', REPORT);
    const silent = 'No output from: sleep 300 & echo $! > pid.txt; wait';
    expect(answer.feedback).toBe(`slow (timed out after 1 second\n${silent})`);
    const pid = Number(readFileSync(project.path('pid.txt'), 'utf8'));
    await until(() => !isRunning(pid));
  });

  test('and prints without end keeps only 4 KiB', async () => {
    verifies('JOBS-X.9');
    const project = checked([
      { name: 'loud', run: 'head -c 30000000 /dev/zero | tr "\\0" x; echo the end; exit 1' },
    ]);
    const agent = await connect(project.root, { args: ['--trust'] });
    await agent.ok('start_workflow', START);
    const { feedback } = await agent.ok('finished_step', REPORT);
    expect(feedback.length).toBeLessThan(4200);
    expect(feedback.endsWith('the end)')).toBe(true);
  });
});

describe('a check that passed', () => {
  test('is not run again while its files are the same', async () => {
    verifies('JOBS-X.9');
    const project = checked([{ name: 'count', run: 'echo x >> count.txt' }], { reviews: [REVIEW] });
    const agent = await connect(project.root, { args: ['--trust'] });
    await agent.ok('start_workflow', START);
    const count = () => readFileSync(project.path('count.txt'), 'utf8').trim().split('\n').length;
    expect((await agent.ok('finished_step', REPORT)).status).toBe('needs_work');
    expect((await agent.ok('finished_step', REPORT)).status).toBe('needs_work');
    expect(count()).toBe(1);
    project.write('report.md', 'Changed.\n');
    await agent.ok('finished_step', REPORT);
    expect(count()).toBe(2);
    const over = { ...REPORT, quality_review_override_reason: 'reviewed: PASSED' };
    expect((await agent.ok('finished_step', over)).status).toBe('next_step');
    expect(count()).toBe(2);
  });

  test('knows which files were handed in, whatever they are called', async () => {
    const run = '! grep -q TODO "$DEEPWORK_OUTPUT_REPORT" && test "$DEEPWORK_OUTPUT_A_B" = "x.md"';
    const outputs = { report: 'file', 'a.b': 'file?' };
    const project = checked([{ name: 'no TODO', run }], { outputs });
    project.write('elsewhere/other.md', 'TODO\n');
    project.write('x.md', '');
    const agent = await connect(project.root, { args: ['--trust'] });
    await agent.ok('start_workflow', START);
    const sloppy = { report: 'elsewhere/other.md', 'a.b': 'x.md' };
    expect((await agent.ok('finished_step', { outputs: sloppy })).reason).toBe('checks');
    // The same files under other names are another question.
    const swapped = { report: 'x.md', 'a.b': 'elsewhere/other.md' };
    expect((await agent.ok('finished_step', { outputs: swapped })).reason).toBe('checks');
    const sound = { report: 'report.md', 'a.b': 'x.md' };
    expect((await agent.ok('finished_step', { outputs: sound })).status).toBe('next_step');
  });

  test("ran in the project root, without agents' credentials", async () => {
    verifies('JOBS-X.9');
    const project = checked([{ name: 'look', run: 'pwd > where.txt; env > env.txt' }]);
    const secrets = {
      ANTHROPIC_API_KEY: 'secret-of-anthropic',
      MY_TOKEN: 'secret-of-mine',
      DEEPWORK_X: 'secret-of-deepwork',
      KEEP_ME: 'yes',
    };
    const agent = await connect(project.root, { args: ['--trust'], env: secrets });
    await agent.ok('start_workflow', START);
    await agent.ok('finished_step', REPORT);
    expect(readFileSync(project.path('where.txt'), 'utf8').trim()).toBe(project.root);
    const env = readFileSync(project.path('env.txt'), 'utf8');
    expect(env).toContain('KEEP_ME=yes');
    expect(env).not.toMatch(/secret-of/);
    // NODE_OPTIONS of an agent's client must not affect the tools of a check either.
    const given = { PATH: 'p', GITHUB_TOKEN: 't', NODE_OPTIONS: '--require=x' };
    expect(Object.keys(checkEnvironment(given))).toEqual(['PATH']);
  });

  test('got no variable that is named like a secret, and what tools need', () => {
    verifies('JOBS-X.9');
    const names = [
      ...['GPG_PASSPHRASE', 'DB_PASS', 'MYSQL_PWD', 'SIGNING_KEY', 'SSH_KEY', 'STRIPE_KEY'],
      ...['GH_PAT', 'NPM_AUTH', 'PGPASSWORD', 'API_KEY', 'apikey', 'AWS_SECRET_ACCESS_KEY'],
    ];
    const tools = ['PATH', 'PWD', 'OLDPWD', 'SSH_AUTH_SOCK', 'XAUTHORITY', 'KEYBOARD', 'COMPASS'];
    const env = Object.fromEntries([...names, ...tools].map((name) => [name, 'x']));
    expect(Object.keys(checkEnvironment(env))).toEqual(tools);
  });
});

test('an interrupted call from the terminal ends the check that it runs', async () => {
  const project = checked([{ name: 'slow', run: 'echo $$ > pid.txt; sleep 60' }]);
  const env = { ...process.env, ...ownHome(project) };
  await trust(project, '--yes');
  const call = (...args: string[]) =>
    spawn(process.execPath, [BINARY, 'call', ...args], { cwd: project.root, env, stdio: 'ignore' });
  const words = ['--goal', 'g', '--job_name', 'work', '--workflow_name', 'main'];
  await new Promise((resolve) => call('start_workflow', ...words).on('exit', resolve));
  const finishing = call('finished_step', '--outputs', 'report=report.md');
  const ended = new Promise((resolve) => finishing.on('exit', resolve));
  const pid = () => Number(readFileSync(project.path('pid.txt'), 'utf8'));
  await until(() => existsSync(project.path('pid.txt')) && pid() > 0);
  finishing.kill('SIGINT');
  expect(await ended).toBe(130);
  await until(() => !isRunning(pid()));
});
