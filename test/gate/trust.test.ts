// Only what a person agreed to runs and applies: commands with the scripts that they run, in the
// repository that was shown, under settings that only a person loosens.

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
import { beyondNesting } from '../support/answers.ts';
import { connect } from '../support/connect.ts';
import { newHome, sendRaw, serveOverHttp, statusOf } from '../support/http.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { trust } from '../support/trust.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };
const GIT_OFF = 'git: {branch: off}\n';

interface Check {
  readonly name: string;
  readonly run: string;
}

function writeWork(project: Project, checks: readonly Check[], reviews: readonly unknown[] = []) {
  writeJob(
    project,
    'work',
    { write: { outputs: { report: 'file' }, checks, reviews }, after: {} },
    { main: ['write', 'after'] },
  );
}

function checked(...runs: string[]): Project {
  const project = newProject({ 'report.md': 'The report.\n' });
  writeWork(
    project,
    runs.map((run, index) => ({ name: `check${index + 1}`, run })),
  );
  return project;
}

describe('a command is trusted with what it runs', () => {
  test.each([
    ['a script', './check.sh', 'check.sh'],
    ['a script of a shell', 'bash -e scripts/check.sh', 'scripts/check.sh'],
    ['a program of an interpreter', 'cd tools && node --no-warnings check.mjs', 'tools/check.mjs'],
    ['what npm runs', 'npm run lint', 'package.json'],
    ['what make runs', 'make -C sub check', 'sub/Makefile'],
    ['a script in a shell line', 'sh -c "true; ./check.sh"', 'check.sh'],
    ['a makefile that an option names', 'make -fci.mk check', 'ci.mk'],
    ['a script that a shell reads', 'cat check.sh | bash -e', 'check.sh'],
    ['a script after a redirection', 'bash < out.md -e check.sh', 'check.sh'],
    ['a script in a folder that is asked for', '`pwd`/check.sh', 'check.sh'],
    ['a script that is copied', 'cp check.sh x.sh; bash x.sh', 'check.sh'],
    ['a script that is evaluated', 'eval "$(cat check.sh)"', 'check.sh'],
  ])('an edit of %s asks again, and names the file', async (_what, run, file) => {
    const project = checked(`${run} # the check`);
    project.write(file, 'exit 0\n');
    const home = newHome();
    expect((await trust(project.root, home, '--yes')).stdout).toContain(`runs ${file}`);
    const before = await trust(project.root, home);
    expect(before.stdout).toContain('trusted already');

    project.write(file, 'touch stolen; exit 0\n');
    const agent = await connect(project.root, { env: { HOME: home } });
    await agent.ok('start_workflow', START);
    const said = await agent.refused('finished_step', REPORT);
    expect(said).toContain(`${file} differs from what was trusted`);
    expect(said).toContain('Next: ask your user to look at');
    expect(existsSync(project.path('stolen'))).toBe(false);
    const shown = await trust(project.root, home);
    expect(shown.stdout).toMatch(new RegExp(`${file.replace('.', '\\.')} \\(changed\\)`));
  });

  test('a script that did not exist when its command was trusted asks again', async () => {
    const project = checked('sh ./later.sh');
    const home = newHome();
    await trust(project.root, home, '--yes');
    project.write('later.sh', 'touch stolen\n');
    const agent = await connect(project.root, { env: { HOME: home } });
    await agent.ok('start_workflow', START);
    expect(await agent.refused('finished_step', REPORT)).toContain(
      'later.sh differs from what was trusted',
    );
    expect(existsSync(project.path('stolen'))).toBe(false);
  });

  test('files that a command only reads may change', async () => {
    const project = checked('grep -q report report.md && test -s report.md');
    const home = newHome();
    await trust(project.root, home, '--yes');
    project.write('report.md', 'Another report.\n');
    const agent = await connect(project.root, { env: { HOME: home } });
    await agent.ok('start_workflow', START);
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
  });
});

test('another repository at the path of a trusted one is not trusted', async () => {
  const project = checked('touch ran.txt');
  mkdirSync(project.path('.git'));
  project.write('.git/config', '[remote "origin"]\n\turl = https://example.org/good.git\n');
  const home = newHome();
  await trust(project.root, home, '--yes');
  const aside = `${project.root}-aside`;
  renameSync(project.root, aside);
  cpSync(aside, project.root, { recursive: true });
  rmSync(aside, { recursive: true });
  const agent = await connect(project.root, { env: { HOME: home } });
  await agent.ok('start_workflow', START);
  const said = await agent.refused('finished_step', REPORT);
  expect(said).toContain('this folder is not the one that was trusted');
  expect(existsSync(project.path('ran.txt'))).toBe(false);
  expect((await trust(project.root, home, '--yes')).stdout).toContain('not the one');
  expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');

  project.write('.git/config', '[remote "origin"]\n\turl = https://example.org/evil.git\n');
  await agent.ok('go_to_step', { step_id: 'write' });
  expect(await agent.refused('finished_step', REPORT)).toContain('not the one that was trusted');
  // Posing as another repository is no way around a check either.
  writeWork(project, []);
  expect(await agent.refused('finished_step', REPORT)).toContain('not the one that was trusted');
});

describe('start_workflow asks for trust before the work is done', () => {
  test('in checks', async () => {
    const project = checked('exit 0');
    const home = newHome();
    const agent = await connect(project.root, { env: { HOME: home } });
    const { warnings } = await agent.ok('start_workflow', START);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The checks of step 'write' run commands, and this project has not been trusted/,
      ),
    ]);
    expect(warnings[0]).toContain(`deepwork trust --path ${project.root}`);
    await trust(project.root, home, '--yes');
    expect(beyondNesting((await agent.ok('start_workflow', START)).warnings)).toEqual([]);
    writeWork(project, [{ name: 'check1', run: 'exit 1' }]);
    const changed = (await agent.ok('start_workflow', START)).warnings.join('\n');
    expect(changed).toContain('is not what was trusted');
  });

  test('in a reviewer that the project names, if the workflow has reviews', async () => {
    const project = newProject({ 'report.md': 'The report.\n' });
    const gate = 'quality_gate: {agent_review_command: my-reviewer}\n';
    project.write('.deepwork/config.yml', `${GIT_OFF}${gate}`);
    const home = newHome();
    const agent = await connect(project.root, { env: { HOME: home } });
    const warningsOf = async () =>
      beyondNesting((await agent.ok('start_workflow', START)).warnings);
    writeWork(project, [], [REVIEW]);
    expect((await warningsOf()).join('\n')).toMatch(
      /names a command that reviews, and this project has not been trusted to run commands\. Until a person trusts this project's commands, no step that needs them can be finished: .*deepwork trust/,
    );
    writeWork(project, []);
    expect(await warningsOf()).toEqual([]);
    await trust(project.root, home, '--yes');
    writeWork(project, [], [REVIEW]);
    expect(await warningsOf()).toEqual([]);
  });
});

describe('a looser setting', () => {
  async function hostsOf(root: string, home: string) {
    const server = await serveOverHttp(root, { home });
    const ask = async (host: string) =>
      statusOf(
        await sendRaw(
          server.port,
          `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        ),
      );
    return { ask, server };
  }

  test('allowed hosts are those that a person trusted and the file still has', async () => {
    const config = (hosts: string) => `${GIT_OFF}team: {allowed_hosts: [${hosts}]}\n`;
    const project = newProject({ '.deepwork/config.yml': config('a.example') });
    const home = newHome();
    const { ask, server } = await hostsOf(project.root, home);
    expect(await ask('a.example')).toBe(403);
    expect(server.log()).toContain('team.allowed_hosts');
    expect(server.log()).toContain('deepwork trust');

    const shown = await trust(project.root, home);
    expect(shown.code).toBe(2);
    expect(shown.stdout).toContain('team.allowed_hosts: none → a.example');
    await trust(project.root, home, '--yes');
    expect(await ask('a.example')).toBe(200);

    project.write('.deepwork/config.yml', config('a.example, evil.example'));
    expect(await ask('evil.example')).toBe(403);
    expect(await ask('a.example')).toBe(200);
    project.write('.deepwork/config.yml', config(''));
    expect(await ask('a.example')).toBe(403);
  });

  test('--trust accepts the settings as they are', async () => {
    const project = newProject({
      '.deepwork/config.yml': `${GIT_OFF}team: {allowed_hosts: [a.example]}\n`,
    });
    const server = await serveOverHttp(project.root, { args: ['--trust'] });
    const request = 'GET /healthz HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n';
    expect(statusOf(await sendRaw(server.port, request))).toBe(200);
  });

  test('required tokens stay required until a person turns them off', async () => {
    const project = newProject({ '.deepwork/config.yml': `${GIT_OFF}team: {tokens: true}\n` });
    const home = newHome();
    expect((await trust(project.root, home, '--yes')).code).toBe(0);
    project.write('.deepwork/config.yml', `${GIT_OFF}team: {tokens: false}\n`);
    const held = await serveOverHttp(project.root, { home });
    expect((await fetch(`${held.url}/healthz`)).status).toBe(401);
    expect((await trust(project.root, home)).stdout).toContain('team.tokens: true → false');
    await trust(project.root, home, '--yes');
    const open = await serveOverHttp(project.root, { home });
    expect((await fetch(`${open.url}/healthz`)).status).toBe(200);
  });

  test('a trusted reviewer keeps reviewing when the config drops it', async () => {
    const project = newProject({ 'report.md': 'The report.\n' });
    writeWork(project, [], [REVIEW]);
    const gate = `quality_gate: {agent_review_command: ${JSON.stringify(REVIEW_COMMAND)}}\n`;
    project.write('.deepwork/config.yml', `${GIT_OFF}${gate}`);
    script(project, { answer: PASS });
    const home = newHome();
    await trust(project.root, home, '--yes');
    project.write('.deepwork/config.yml', GIT_OFF);
    const agent = await connect(project.root, { env: { HOME: home } });
    const { warnings } = await agent.ok('start_workflow', START);
    expect(warnings.join('\n')).toContain('quality_gate.agent_review_command');
    const listed = await agent.ok('get_workflows');
    expect(JSON.stringify(listed.warnings)).toContain('quality_gate.agent_review_command');
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
    expect(seen(project)).toHaveLength(1);

    const removed = await trust(project.root, home, '--yes');
    expect(removed.stdout).toContain('a\nreviewer keeps reviewing, until you agree');
    expect(removed.stdout).toMatch(
      /agent_review_command: .* → none \(removed; the reviewer you trusted keeps reviewing/,
    );
    expect(removed.stdout).not.toContain('looser');
    await agent.ok('go_to_step', { step_id: 'write' });
    const asked = await agent.ok('finished_step', REPORT);
    expect(asked.feedback).toContain('quality_review_');
    expect(seen(project)).toHaveLength(1);
  });

  test('another reviewer is shown as changed, not as looser', async () => {
    const gate = (command: string) => `quality_gate: {agent_review_command: ${command}}\n`;
    const project = newProject({ '.deepwork/config.yml': gate('one-reviewer') });
    const home = newHome();
    const first = await trust(project.root, home, '--yes');
    expect(first.stdout).toContain('none → one-reviewer (runs once you agree)');
    const again = await trust(project.root, home, '--yes');
    expect(again.stdout).not.toContain('runs once you agree');
    project.write('.deepwork/config.yml', gate('another-reviewer'));
    const { stdout } = await trust(project.root, home, '--yes');
    expect(stdout).toContain(
      'one-reviewer → another-reviewer (changed; the reviewer you trusted keeps reviewing until you agree)',
    );
    expect(stdout).not.toContain('looser');
  });

  test('a trusted check keeps running when its job drops it', async () => {
    const project = checked('echo x >> count.txt');
    const home = newHome();
    await trust(project.root, home, '--yes');
    writeWork(project, []);
    const agent = await connect(project.root, { env: { HOME: home } });
    const { warnings } = await agent.ok('start_workflow', START);
    expect(warnings.join('\n')).toMatch(/check 'check1' of step 'write' was removed.*still runs/);
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
    expect(readFileSync(project.path('count.txt'), 'utf8')).toBe('x\n');
    const shown = await trust(project.root, home, '--yes');
    expect(shown.stdout).toContain('(removed)');
    await agent.ok('go_to_step', { step_id: 'write' });
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
    expect(readFileSync(project.path('count.txt'), 'utf8')).toBe('x\n');
  });
});

const OUT = { outputs: { report: 'file' as const } };
const CHECK = { checks: [{ name: 'check1', run: 'exit 1' }] };
const RUNS = { main: ['write', 'after'] };
const NAMED_WORK = { name: 'work' };

describe('a trusted check is not lost', () => {
  test.each<[string, (project: Project) => void, string]>([
    [
      'with the name of its step',
      (project) => writeJob(project, 'work', { write2: OUT, after: {} }, { main: ['write2'] }),
      "Step 'write' was removed from 'work'",
    ],
    [
      'under a condition that never holds',
      (project) =>
        writeJob(
          project,
          'work',
          { write: { ...OUT, ...CHECK, when: { var: 'never_set', equals: true } }, after: {} },
          RUNS,
        ),
      "The condition of step 'write' of 'work' has changed",
    ],
    [
      'by a workflow that leaves its step out',
      (project) =>
        writeJob(project, 'work', { write: { ...OUT, ...CHECK }, after: {} }, { main: ['after'] }),
      "Step 'write' was taken out of workflow 'main' of 'work'",
    ],
    [
      'when its job moves to another folder',
      (project) => {
        rmSync(project.path('.deepwork/jobs/work'), { recursive: true });
        writeJob(project, 'other', { write2: OUT, after: {} }, { main: ['write2'] }, NAMED_WORK);
      },
      "Step 'write' was removed from 'work'",
    ],
  ])('%s', async (_how, change, problem) => {
    const project = checked('exit 1');
    const home = newHome();
    await trust(project.root, home, '--yes');
    change(project);
    const agent = await connect(project.root, { env: { HOME: home } });
    const { code, message } = readRefusal(await agent.call('start_workflow', START));
    expect(code).toBe('workspace_untrusted');
    expect(message).toBe(`${problem}, with its trusted check 'check1'`);
    const shown = await trust(project.root, home, '--yes');
    expect(shown.stdout).toMatch(/\(removed\)|its step has a different condition/);
    await agent.ok('start_workflow', START);
  });
});

test('trust can be revoked', async () => {
  const project = checked('touch ran.txt');
  const home = newHome();
  expect((await trust(project.root, home, '--revoke')).stdout).toContain('was not trusted');
  await trust(project.root, home, '--yes');
  const folder = `${home}/.deepwork/trust.d`;
  const [file = ''] = readdirSync(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(`${folder}/${file}`).mode & 0o777).toBe(0o600);
  const { code, stdout } = await trust(project.root, home, '--revoke');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Revoked') });
  expect(readdirSync(folder)).toEqual([]);
  const agent = await connect(project.root, { env: { HOME: home } });
  await agent.ok('start_workflow', START);
  expect(await agent.refused('finished_step', REPORT)).toContain('has not been trusted');
  expect(existsSync(project.path('ran.txt'))).toBe(false);
});

test('the output fits a terminal of 80 columns and hides nothing', async () => {
  const project = checked(`true ${'x'.repeat(300)}\u202e`, 'npm test');
  project.write('package.json', '{}');
  const { stdout } = await trust(project.root, newHome());
  expect(stdout).toContain('\\u202e');
  // A command is shown in full, however long it is.
  const own = stdout
    .split('\n')
    .filter((line) => !/xxx/.test(line) && !line.includes(project.root));
  expect(own.filter((line) => line.length > 80)).toEqual([]);
});
