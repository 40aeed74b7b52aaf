// Only what a person agreed to runs and applies: commands with what they name, in the repository
// that was shown, under settings that only a person loosens.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Run, type RunSpec, startRun } from '../language/entries.ts';
import { beyondNesting } from '../support/answers.ts';
import { BINARY, connect, connectToProcess } from '../support/connect.ts';
import { newHome, sendRaw, serveOverHttp, statusOf } from '../support/http.ts';
import { newProject, type Project, REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { deepwork, run } from '../support/run-command.ts';
import { trust } from '../support/trust.ts';
import { verifies } from '../verifies.ts';
import { override, REPORT } from './support.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const GIT_OFF = 'git: {branch: off}\n';
const UNTRUSTED = { code: 'workspace_untrusted' };
const REPORTED = { outputs: { report: 'file' as const } };

const checkedBy = (...runs: string[]): StepSpec => ({
  ...REPORTED,
  checks: runs.map((command, index) => ({ name: `check${index + 1}`, run: command })),
});

function write(project: Project, step: StepSpec, after: StepSpec = {}): void {
  writeJob(project, 'work', { write: step, after }, { main: ['write', 'after'] });
}

/** A run that no one has agreed to anything of. */
function begun(step: StepSpec, more: Partial<RunSpec> = {}): Promise<Run> {
  return startRun({
    entries: ['write', 'after'],
    steps: { write: step, after: {} },
    files: { 'report.md': 'The report.\n' },
    args: [],
    ...more,
  });
}

const agree = ({ project, home }: Run, ...args: string[]) =>
  trust(project.root, home, '--yes', ...args);
const ran = ({ project }: Run, mark: string) => existsSync(project.path(mark));

describe('before a person has agreed', () => {
  test('nothing runs before, whatever the flags and reasons, and a changed list asks again', async () => {
    verifies('JOBS-X.25');
    const HOME = newHome();
    for (const args of [[], ['--no-quality-gate'], ['--quality-gate', 'true']]) {
      const run = await begun(checkedBy('touch ran.txt'), { args, options: { env: { HOME } } });
      for (const more of [{}, override('It is urgent')]) {
        const refusal = await run.refusal(REPORT, more);
        expect(refusal).toMatchObject(UNTRUSTED);
        expect(refusal.next).toContain(`deepwork trust --path ${run.project.root}`);
      }
      expect((await run.agent.ok('validate_step_outputs', { outputs: REPORT })).valid).toBe(true);
      const shown = await trust(run.project.root, run.home);
      expect([shown.code, shown.stdout.includes('touch ran.txt')]).toEqual([2, true]);
      expect(ran(run, 'ran.txt')).toBe(false);
    }
    const run = await begun(checkedBy('touch ran.txt'), { options: { env: { HOME } } });
    expect((await agree(run)).code).toBe(0);
    expect((await run.finish(REPORT)).status).toBe('next_step');
    expect(ran(run, 'ran.txt')).toBe(true);
    await run.agent.ok('go_to_step', { step_id: 'write' });
    write(run.project, checkedBy('touch other.txt'));
    expect(await run.refusal(REPORT)).toMatchObject(UNTRUSTED);
    expect(ran(run, 'other.txt')).toBe(false);
  });

  test('a reviewer that the project names needs trust, too', async () => {
    verifies('JOBS-X.25');
    const gate = { agent_review_command: REVIEW_COMMAND };
    const run = await begun({ ...REPORTED, reviews: [REVIEW] }, { gate });
    script(run.project, { answer: PASS });
    expect(await run.refusal(REPORT)).toMatchObject(UNTRUSTED);
    expect(seen(run.project)).toEqual([]);
    expect(run.view().step_progress.write.quality_attempts).toBe(0);
    expect((await agree(run)).stdout).toContain('stand-in.cjs');
    expect((await run.finish(REPORT)).status).toBe('next_step');
  });

  test.each(['SGAI_AGENT_IDENTITY', 'DEEPWORK_AGENT_TOKEN'])(
    'an agent, recognized by %s, cannot grant it',
    async (mark) => {
      const project = newProject();
      write(project, checkedBy('true'));
      const HOME = newHome();
      const env = { HOME, [mark]: 'helper' };
      const args = ['trust', '--path', project.root, '--yes'];
      const { code, stdout, stderr } = await deepwork(args, { cwd: project.root, env });
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toContain(mark);
      expect(existsSync(`${HOME}/.deepwork/trust.d`)).toBe(false);
    },
  );

  test('a person is asked at a terminal', async () => {
    verifies('JOBS-X.25');
    const project = newProject();
    write(project, checkedBy('true'));
    const HOME = newHome();
    const line = `${process.execPath} ${BINARY} trust --path ${project.root}`;
    const isTrustedAfter = async (answer: string) => {
      const asked = { cwd: project.root, input: `${answer}\n`, env: { HOME } };
      await run('script', ['-qec', line, '/dev/null'], asked);
      return existsSync(`${HOME}/.deepwork/trust.d`);
    };
    for (const no of ['', 'yesterday']) expect(await isTrustedAfter(no), no).toBe(false);
    expect(await isTrustedAfter('y')).toBe(true);
  });

  test.each([
    ['--trust', ['--trust'], {}],
    ['DEEPWORK_TRUST=1', [], { DEEPWORK_TRUST: '1' }],
  ])('automation can grant it: %s', async (_what, args, env) => {
    verifies('JOBS-X.25', 'JOBS-X.24');
    const project = newProject({ 'report.md': 'R' });
    write(project, checkedBy('true'));
    const agent = await connectToProcess(project.root, { args, env: { HOME: newHome(), ...env } });
    await agent.ok('start_workflow', START);
    expect((await agent.ok('finished_step', { outputs: REPORT })).status).toBe('next_step');
  });

  test('start_workflow says so before the work is done', async () => {
    const project = newProject();
    const HOME = newHome();
    const agent = await connect(project.root, { env: { HOME } });
    const warned = async () => {
      const warnings = beyondNesting((await agent.ok('start_workflow', START)).warnings);
      for (const warning of warnings) expect(warning).toContain('deepwork trust --path');
      return warnings.length;
    };
    write(project, checkedBy('exit 0'));
    expect(await warned()).toBe(1);
    await trust(project.root, HOME, '--yes');
    expect(await warned()).toBe(0);
    write(project, checkedBy('exit 1'));
    expect(await warned()).toBe(1);
    const gate = 'quality_gate: {agent_review_command: my-reviewer}\n';
    project.write('.deepwork/config.yml', `${GIT_OFF}${gate}`);
    write(project, REPORTED);
    await trust(project.root, HOME, '--revoke');
    expect(await warned()).toBe(0);
    write(project, { ...REPORTED, reviews: [REVIEW] });
    expect(await warned()).toBe(1);
  });
});

describe('a command is trusted with what it runs', () => {
  test.each([
    ['a script', './check.sh', 'check.sh'],
    ['a script of a shell', 'bash -e scripts/check.sh', 'scripts/check.sh'],
    ['a script in a shell line', 'sh -c "true; ./check.sh"', 'check.sh'],
    ['what npm runs', 'npm run lint', 'package.json'],
  ])('an edit of %s asks again, and names the file', async (_what, command, file) => {
    const run = await begun(checkedBy(`${command} # the check`));
    run.project.write(file, 'exit 0\n');
    await agree(run);
    expect((await trust(run.project.root, run.home)).stdout).toContain('trusted already');
    run.project.write(file, 'touch stolen; exit 0\n');
    const refusal = await run.refusal(REPORT);
    expect(refusal).toMatchObject(UNTRUSTED);
    expect(refusal.message).toContain(`${file} differs`);
    expect(ran(run, 'stolen')).toBe(false);
    const shown = await trust(run.project.root, run.home);
    expect([shown.code, shown.stdout.includes(`${file} (changed)`)]).toEqual([2, true]);
  });

  test('a script that did not exist then asks again, and a file that is only read may change', async () => {
    const run = await begun(checkedBy('sh ./later.sh', 'grep -q report report.md'));
    await agree(run);
    run.project.write('later.sh', 'touch stolen\n');
    expect(await run.refusal(REPORT)).toMatchObject(UNTRUSTED);
    expect(ran(run, 'stolen')).toBe(false);
    await agree(run);
    run.project.write('report.md', 'Another report.\n');
    expect((await run.finish(REPORT)).status).toBe('next_step');
  });

  test.each([
    ['another command under its name', checkedBy('touch new.txt')],
    ['another check after it', checkedBy('touch old.txt', 'touch new.txt')],
    ['another check before it', checkedBy('touch new.txt', 'touch old.txt')],
  ])('%s runs nothing until a person agrees again', async (_what, changed) => {
    verifies('JOBS-X.25');
    const run = await begun(checkedBy('touch old.txt'));
    await agree(run);
    write(run.project, changed);
    for (const more of [{}, override('It is urgent')]) {
      expect(await run.refusal(REPORT, more)).toMatchObject(UNTRUSTED);
    }
    expect([ran(run, 'old.txt'), ran(run, 'new.txt')]).toEqual([false, false]);
    await agree(run);
    expect((await run.finish(REPORT)).status).toBe('next_step');
    expect(ran(run, 'new.txt')).toBe(true);
  });

  test('a trusted check that is copied to another step does not run there', async () => {
    verifies('JOBS-X.25');
    const run = await begun(checkedBy('touch old.txt'));
    await agree(run);
    write(run.project, checkedBy('touch old.txt'), { checks: checkedBy('touch old.txt').checks });
    await run.finish(REPORT);
    expect(ran(run, 'old.txt')).toBe(true);
    rmSync(run.project.path('old.txt'));
    expect(await run.refusal({})).toMatchObject(UNTRUSTED);
    expect(ran(run, 'old.txt')).toBe(false);
  });

  test('another repository at the path of a trusted one is not trusted', async () => {
    const run = await begun(checkedBy('touch ran.txt'));
    const { project } = run;
    const origin = (name: string) =>
      project.write('.git/config', `[remote "origin"]\n\turl = https://example.org/${name}.git\n`);
    mkdirSync(project.path('.git'));
    origin('good');
    await agree(run);
    const aside = `${project.root}-aside`;
    renameSync(project.root, aside);
    cpSync(aside, project.root, { recursive: true });
    rmSync(aside, { recursive: true });
    expect(await run.refusal(REPORT)).toMatchObject(UNTRUSTED);
    expect(ran(run, 'ran.txt')).toBe(false);
    await agree(run);
    expect((await run.finish(REPORT)).status).toBe('next_step');
    origin('evil');
    await run.agent.ok('go_to_step', { step_id: 'write' });
    expect(await run.refusal(REPORT)).toMatchObject(UNTRUSTED);
    // Posing as another repository is no way around a check either.
    write(project, REPORTED);
    expect(await run.refusal(REPORT)).toMatchObject(UNTRUSTED);
  });
});

describe('a looser setting waits for a person', () => {
  const config = (project: Project, text: string) =>
    project.write('.deepwork/config.yml', `${GIT_OFF}${text}`);

  test('allowed hosts are those that a person trusted and the file still has', async () => {
    const project = newProject();
    const allow = (hosts: string) => config(project, `team: {allowed_hosts: [${hosts}]}\n`);
    const ask = async (port: number, host: string) =>
      statusOf(
        await sendRaw(port, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
      );
    allow('a.example');
    const home = newHome();
    const { port, log } = await serveOverHttp(project.root, { home });
    expect(await ask(port, 'a.example')).toBe(403);
    expect(log()).toContain('team.allowed_hosts');
    await trust(project.root, home, '--yes');
    expect(await ask(port, 'a.example')).toBe(200);
    allow('a.example, evil.example');
    expect(await ask(port, 'evil.example')).toBe(403);
    expect(await ask(port, 'a.example')).toBe(200);
    allow('');
    expect(await ask(port, 'a.example')).toBe(403);
  });

  test('a trusted reviewer keeps reviewing when the config drops it', async () => {
    const project = newProject({ 'report.md': 'The report.\n' });
    const HOME = newHome();
    write(project, { ...REPORTED, reviews: [REVIEW] });
    const reviewer = JSON.stringify(REVIEW_COMMAND);
    config(project, `quality_gate: {agent_review_command: ${reviewer}}\n`);
    script(project, { answer: PASS });
    await trust(project.root, HOME, '--yes');
    config(project, '');
    const agent = await connect(project.root, { env: { HOME } });
    const { warnings } = await agent.ok('start_workflow', START);
    expect(warnings.join('\n')).toContain('quality_gate.agent_review_command');
    expect((await agent.ok('finished_step', { outputs: REPORT })).status).toBe('next_step');
    expect(seen(project)).toHaveLength(1);
    await trust(project.root, HOME, '--yes');
    await agent.ok('go_to_step', { step_id: 'write' });
    expect((await agent.ok('finished_step', { outputs: REPORT })).reason).toBe('self_review');
    expect(seen(project)).toHaveLength(1);
  });

  test('a trusted check keeps running when its job drops it', async () => {
    const project = newProject({ 'report.md': 'The report.\n' });
    const HOME = newHome();
    write(project, checkedBy('echo x >> count.txt'));
    await trust(project.root, HOME, '--yes');
    write(project, REPORTED);
    const agent = await connect(project.root, { env: { HOME } });
    const { warnings } = await agent.ok('start_workflow', START);
    expect(warnings.join('\n')).toContain("'check1'");
    expect((await agent.ok('finished_step', { outputs: REPORT })).status).toBe('next_step');
    expect(readFileSync(project.path('count.txt'), 'utf8')).toBe('x\n');
  });
});

test('trust is kept in the home of its user, for this project, until it is revoked', async () => {
  verifies('JOBS-X.25');
  const run = await begun(checkedBy('touch ran.txt'));
  await agree(run);
  const folder = `${run.home}/.deepwork/trust.d`;
  const [file = '', ...more] = readdirSync(folder);
  expect(more).toEqual([]);
  expect(JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))).toMatchObject({
    project: run.project.root,
  });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(`${folder}/${file}`).mode & 0o777).toBe(0o600);
  expect(ran(run, '.deepwork/trust.d')).toBe(false);
  expect((await trust(run.project.root, run.home, '--revoke')).code).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
  expect(await run.refusal(REPORT)).toMatchObject(UNTRUSTED);
  expect(ran(run, 'ran.txt')).toBe(false);
});

test('what is shown hides nothing of a command: no lines, no columns, no invisible characters', async () => {
  verifies('JOBS-X.25');
  const hidden = `touch hidden${'\n'.repeat(200)}true\n\nfalse`;
  const { project, home } = await begun(checkedBy(hidden, `true ${'x'.repeat(300)}\u202e`));
  const { stdout } = await trust(project.root, home);
  expect(stdout).toContain('touch hidden [200 blanks] true↵↵false');
  expect(stdout).toContain('x'.repeat(300));
  expect(stdout).toContain('\\u202e');
});
