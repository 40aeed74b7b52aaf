// Checks: commands that the server runs itself. They judge what was handed in, as it is, whatever its
// files are called, and what is accepted is what they judged.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkEnvironment } from '../../src/gate/check-command.ts';
import { type Run, startRun } from '../language/entries.ts';
import { BINARY } from '../support/connect.ts';
import { REVIEW, type StepSpec } from '../support/project.ts';
import { isRunning, PASS, seen } from '../support/reviewer.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { attempts, override, REPORT, startWork, type WorkSpec } from './support.ts';

/** A step whose checks are these commands, named `check1`, … */
const checked = (runs: readonly string[], step: StepSpec = {}, more: WorkSpec = {}) =>
  startWork({
    step: { checks: runs.map((run, at) => ({ name: `check${at + 1}`, run })), ...step },
    args: ['--trust'],
    scenes: [{ answer: PASS }],
    ...more,
  });

function read({ project }: Run, file: string): string {
  return existsSync(project.path(file)) ? readFileSync(project.path(file), 'utf8') : '';
}

describe('a check that fails', () => {
  test('is needs_work with its output, costs no attempt, and cannot be skipped', async () => {
    verifies('JOBS-X.9');
    const run = await checked(['echo one failed; echo why >&2; exit 3', 'true', 'exit 1'], {
      reviews: [REVIEW],
    });
    const answer = await run.finish(REPORT, override('I am sure'));
    expect(answer).toMatchObject({ status: 'needs_work', reason: 'checks', failed_reviews: null });
    expect(answer.failed_criteria).toEqual([
      { criterion: 'check1', passed: false, feedback: 'exit code 3' },
      { criterion: 'check3', passed: false, feedback: 'exit code 1' },
    ]);
    expect(answer.feedback).toMatch(/check1.*one failed\nwhy.*check3/s);
    expect(attempts(run)).toBe(0);
    expect(seen(run.project)).toEqual([]);
    expect(run.events('check_ran')[0]).toMatchObject({
      name: 'check1',
      passed: false,
      files: { 'report.md': expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
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
    const run = await checked(['cat build.log; exit 2']);
    run.project.write('build.log', log.join('\n'));
    const answer = await run.finish(REPORT);
    const shown: string[] = answer.feedback.slice(0, -1).split('\n');
    for (const line of [...log.slice(1999, 2003), ...log.slice(-20)]) {
      expect(shown).toContain(line);
    }
    expect(Buffer.byteLength(answer.feedback)).toBeLessThan(4200);
    expect(JSON.stringify(answer).split('TS2322')).toHaveLength(2);
  });

  test('and prints without end keeps only 4 KiB', async () => {
    verifies('JOBS-X.9');
    const run = await checked(['head -c 30000000 /dev/zero | tr "\\0" x; echo the end; exit 1']);
    const { feedback } = await run.finish(REPORT);
    expect(feedback.length).toBeLessThan(4200);
    expect(feedback).toContain('the end');
  });

  test('because it never ends is killed at its deadline, with its children', async () => {
    verifies('JOBS-X.9');
    const command = 'sleep 300 & echo $! > pid.txt; wait';
    const checks = [{ name: 'slow', run: command, timeout_seconds: 1 }];
    const run = await checked([], { checks });
    const answer = await run.finish(REPORT);
    expect(answer).toMatchObject({ reason: 'checks', failed_criteria: [{ criterion: 'slow' }] });
    expect(answer.feedback).toContain(command);
    await until(() => !isRunning(Number(read(run, 'pid.txt'))));
  });
});

test('a check that passed is not run again while its files are the same', async () => {
  verifies('JOBS-X.9');
  const run = await checked(['echo x >> count.txt'], { reviews: [REVIEW] });
  for (let times = 0; times < 2; times++) {
    expect((await run.finish(REPORT)).reason).toBe('self_review');
    expect(read(run, 'count.txt')).toBe('x\n');
  }
  run.project.write('report.md', 'Changed.\n');
  await run.finish(REPORT);
  expect((await run.finish(REPORT, override('read'))).status).toBe('next_step');
  expect(read(run, 'count.txt')).toBe('x\nx\n');
});

describe('a check', () => {
  test("ran in the project root, without agents' credentials", async () => {
    verifies('JOBS-X.9');
    const secrets = {
      ANTHROPIC_API_KEY: 'secret-of-anthropic',
      MY_TOKEN: 'secret-of-mine',
      DEEPWORK_X: 'secret-of-deepwork',
    };
    const options = { env: { ...secrets, KEEP_ME: 'yes' } };
    const run = await checked(['pwd > where.txt; env > env.txt'], {}, { options });
    await run.finish(REPORT);
    expect(read(run, 'where.txt')).toBe(`${run.project.root}\n`);
    expect(read(run, 'env.txt')).toContain('KEEP_ME=yes');
    expect(read(run, 'env.txt')).not.toMatch(/secret-of/);
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

  test('knows which files were handed in as which output, and which were not', async () => {
    const run = await checked(
      [
        '! grep -q TODO "$DEEPWORK_OUTPUT_REPORT" && test "$DEEPWORK_OUTPUT_A_B" = "x.md"',
        `test "\${DEEPWORK_OUTPUT_EXTRA-unset}" = unset`,
      ],
      { outputs: { report: 'file', 'a.b': 'file?', extra: 'file?' } },
      { files: { 'elsewhere/other.md': 'TODO\n', 'x.md': '' } },
    );
    const sloppy = { report: 'elsewhere/other.md', 'a.b': 'x.md' };
    expect((await run.finish(sloppy)).failed_criteria).toMatchObject([{ criterion: 'check1' }]);
    // The same files under other names are another question.
    const swapped = { report: 'x.md', 'a.b': 'elsewhere/other.md' };
    expect((await run.finish(swapped)).reason).toBe('checks');
    expect((await run.finish({ ...REPORT, 'a.b': 'x.md' })).status).toBe('next_step');
  });

  test('is given a file whose name looks like an option or an assignment as a path', async () => {
    verifies('JOBS-X.9');
    const names = ['-n', '-', '--', '-q', '--version', 'a=b'];
    const run = await checked(
      [
        '! grep -n TODO "$DEEPWORK_OUTPUT_REPORT"',
        `! awk '/TODO/ { print }' "$DEEPWORK_OUTPUT_REPORT" < /dev/null | grep TODO`,
      ],
      {},
      { files: Object.fromEntries(names.map((name) => [name, 'TODO'])) },
    );
    for (const report of names) {
      expect((await run.finish({ report })).failed_criteria, report).toHaveLength(2);
    }
    run.project.write('-n', 'done');
    expect((await run.finish({ report: '-n' })).status).toBe('next_step');
  });

  test('fails if the paths are too long to be given to it, each or all together', async () => {
    verifies('JOBS-X.9');
    const names = Array.from({ length: 40 }, (_, at) => `pages_${at}`);
    const run = await checked(['! grep -q BAD $DEEPWORK_OUTPUT_PAGES_0'], {
      outputs: Object.fromEntries(names.map((name) => [name, 'files?'])),
    });
    run.project.write('bad.md', 'BAD');
    const many = Array.from({ length: 600 }, (_, at) => `${'x'.repeat(230)}${at}.md`);
    for (const file of many) run.project.write(file, 'fine');
    const each = await run.finish({ pages_0: ['bad.md', ...many] });
    expect(each).toMatchObject({ status: 'needs_work', reason: 'checks' });
    expect(each.feedback).toContain('DEEPWORK_OUTPUT_PAGES_0');
    const all = Object.fromEntries(names.map((name) => [name, many.slice(0, 400)]));
    expect(await run.finish(all)).toMatchObject({ status: 'needs_work', reason: 'checks' });
    expect((await run.finish({ pages_0: many.slice(0, 200) })).status).toBe('next_step');
  });
});

test('an output path with control characters is refused, and shown escaped', async () => {
  verifies('JOBS-X.8');
  const run = await checked(['true']);
  for (const [name, shown] of [
    ['g.md\ng.md', 'g.md\\ng.md'],
    ['g.md\r', 'g.md\\r'],
    ['g.md\0', 'g.md\\u0000'],
    ['\u001b[2Jg.md', '\\u001b[2Jg.md'],
    ['g\u007f.md', 'g\\u007f.md'],
    ['g\u009b.md', 'g\\u009b.md'],
    ['g\u2028.md', 'g\\u2028.md'],
    ['a\nb/g.md', 'a\\nb/g.md'],
  ] as const) {
    if (!name.includes('\0')) run.project.write(name, 'BAD');
    const { code, message } = await run.refusal({ report: name });
    expect(code).toBe('outputs_invalid');
    expect(message.split('\n')).toHaveLength(1);
    expect(message).toContain(`'${shown}'`);
  }
});

const RULED = {
  type: 'file',
  description: 'd',
  required: true,
  rules: [{ type: 'contains', value: 'total', message: 'Name the total' }],
};

test('a file to fix is the reason of needs_work, rather than an open member', async () => {
  const outputs = (name: string, output: unknown = 'file') => ({ outputs: { [name]: output } });
  const run = await startRun({
    entries: [['one', 'two', 'three']],
    steps: { one: outputs('a', RULED), two: outputs('b'), three: outputs('c') },
    files: { 'a.md': 'no' },
  });
  expect((await run.finish({ b: 'a.md' })).reason).toBe('members_open');
  expect((await run.finish({ a: 'a.md' })).reason).toBe('rules');
});

test('an interrupted call from the terminal ends the check that it runs', async () => {
  const run = await checked(['echo $$ > pid; sleep 60']);
  await run.agent.close();
  const { root: cwd } = run.project;
  const env = { ...process.env, HOME: run.home, DEEPWORK_TRUST: '1' };
  const call = (...args: string[]) =>
    spawn(process.execPath, [BINARY, 'call', ...args], { cwd, env, stdio: 'ignore' });
  const start = ['--goal', 'g', '--job_name', 'work', '--workflow_name', 'main'];
  await new Promise((resolve) => call('start_workflow', ...start).on('exit', resolve));
  const finishing = call('finished_step', '--outputs', 'report=report.md');
  const ended = new Promise((resolve) => finishing.on('exit', resolve));
  await until(() => Number(read(run, 'pid')) > 0);
  finishing.kill('SIGINT');
  expect(await ended).toBe(130);
  await until(() => !isRunning(Number(read(run, 'pid'))));
});

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
  const run = await checked(
    ['grep -q good report.md && touch go && while [ ! -e done ]; do sleep 0.05; done'],
    {},
    { files: { 'report.md': 'good, and long enough\n' } },
  );
  const cwd = run.project.root;
  const writer = spawn('python3', ['-c', WRITER], { cwd, stdio: 'ignore' });
  onTestFinished(() => {
    writer.kill('SIGKILL');
  });
  await until(() => existsSync(run.project.path('ready')));
  expect((await run.refusal(REPORT)).code).toBe('outputs_changed');
});
