// deepwork call: every tool from a terminal, with a stack that persists from one command to the
// next.

import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { deepwork, type Ran } from '../support/run-command.ts';
import { verifies } from '../verifies.ts';

function projectWithJob(): Project {
  const project = newProject({ 'notes.md': 'Notes\n', 'a=b.md': 'Odd\n', 'two.md': 'Two\n' });
  const outputs = { notes: 'file', more: 'files?' };
  writeJob(project, 'demo', { a: { outputs }, b: {} }, { main: ['a', 'b'], other: ['b'] });
  return project;
}

interface Called {
  readonly code: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  readonly data: any;
  readonly stderr: string;
}

/** Calls a tool in a project and reads the one line of JSON that it prints. */
async function call(project: Project, ...args: string[]): Promise<Called> {
  return lineOf(await command(['call', ...args], { cwd: project.root }));
}

/** The same in a process of its own, which has ended afterwards. */
async function callAndEnd(project: Project, ...args: string[]): Promise<Called> {
  return lineOf(await deepwork(['call', ...args], { cwd: project.root }));
}

function lineOf({ code, stdout, stderr }: Ran): Called {
  expect(stdout.split('\n'), stderr).toHaveLength(2);
  return { code, data: JSON.parse(stdout), stderr };
}

const START = [
  'start_workflow',
  '--job_name',
  'demo',
  '--workflow_name',
  'main',
  '--goal',
  'Try it',
];

describe('deepwork call', () => {
  test('a list for one output can be JSON, and no nulls are printed into a pipe', async () => {
    const project = projectWithJob();
    project.write('a,b.md', 'Both\n');
    const none = await call(project, 'get_active_workflow');
    expect(Object.values(none.data)).not.toContain(null);
    expect(none.data).toMatchObject({ active: false, stack: [] });
    await call(project, ...START);
    const paths = ['--outputs', 'notes=notes.md', '--outputs', 'more=["a,b.md", "two.md"]'];
    const next = await call(project, 'finished_step', ...paths);
    expect(next).toMatchObject({ code: 0, data: { status: 'next_step' } });
  });

  test('runs a workflow, one command after the other', async () => {
    verifies('JOBS-REQ-001.7.1', 'JOBS-REQ-001.3.8');
    const project = projectWithJob();
    const listed = await callAndEnd(project, 'get_workflows');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.data.jobs[0].name).toBe('demo');

    const started = await callAndEnd(project, ...START, '--instance_id=acme');
    expect(started.code).toBe(0);
    expect(started.data.begin_step).toMatchObject({
      step_id: 'a',
      branch_name: 'deepwork/demo-main-acme',
    });
    const refused = await callAndEnd(project, 'finished_step', '--outputs', 'notes=ghost.md');
    expect(refused.code).toBe(1);
    expect(refused.data.error.message).toBe("Output 'notes': file not found at 'ghost.md'");
    const next = await callAndEnd(project, 'finished_step', '--outputs', 'notes=notes.md');
    expect(next.data).toMatchObject({ status: 'next_step', begin_step: { step_id: 'b' } });
    const last = await callAndEnd(
      project,
      'finished_step',
      '--outputs',
      '{}',
      '--notes',
      'All done',
    );
    expect(last).toMatchObject({ code: 0, data: { status: 'workflow_complete', stack: [] } });
  });

  test("the coordinator's tools do not exist for others, however they name themselves", async () => {
    verifies('TEAM-3');
    const project = projectWithJob();
    const write = ['call', 'project_todowrite', '--todos', '[]'];
    const asked = { cwd: project.root };
    expect(await command(write, asked)).toMatchObject({ code: 0, stdout: '0 todos\n' });
    for (const [args, env] of [
      [[...write, '--agent', 'writer'], {}],
      [[...write, '--agent=writer'], {}],
      [write, { SGAI_AGENT_IDENTITY: 'writer|opus' }],
    ] as const) {
      const { code, stdout, stderr } = await command([...args], { ...asked, env });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(
        /unknown tool "project_todowrite" for agent 'writer': it is for the coordinator only\. Tools:\n/,
      );
      expect(stderr).not.toContain('peek_message_bus');
    }
    const help = await command(['help', 'call'], asked);
    expect(help.stdout).toContain('--agent NAME');
    const about = await command(['call', 'project_todowrite', '--help'], asked);
    const todos = 'JSON: [{id?, content, status?, priority?, agent?}, …]';
    expect(about.stdout.replace(/\s+/g, ' ')).toContain(todos);
    expect(about.stdout).toMatch(/status +pending, in_progress, completed, cancelled\n/);
    expect(about.stdout).toMatch(/priority +high, medium, low\n/);
    const state = await command(['call', 'update_workflow_state', '--help'], asked);
    expect(state.stdout).toMatch(/--status [^-]*one of: working, agent-done,\s+complete\n/);
  });

  test('exits with 0 while other members of an entry are open: nothing has to be fixed', async () => {
    verifies('JOBS-X.13');
    const project = newProject({ 'notes.md': 'Notes\n' });
    const draft = { outputs: { notes: 'file' } };
    const images = { outputs: { image: 'file' } };
    writeJob(project, 'demo', { draft, images }, { main: [['draft', 'images']] });
    await call(project, ...START);
    const { code, data } = await call(project, 'finished_step', '--outputs', 'notes=notes.md');
    expect(data).toMatchObject({ status: 'needs_work', reason: 'members_open' });
    expect(data.feedback).toMatch(/^'draft' is accepted\. Still to be submitted: images /);
    expect(code).toBe(0);
  });

  test('takes arguments as one JSON object', async () => {
    verifies('JOBS-REQ-001.7.1');
    const project = projectWithJob();
    const args = { goal: 'Try it', job_name: 'demo', workflow_name: 'main', context: { size: 3 } };
    const started = await call(project, 'start_workflow', '--json', JSON.stringify(args));
    expect(started.data.stack).toMatchObject([{ workflow: 'demo/main', step: 'a' }]);
    const outputs = { notes: 'notes.md', more: ['two.md'] };
    const next = await call(project, 'finished_step', `--json=${JSON.stringify({ outputs })}`);
    expect(next.data.status).toBe('next_step');
    const active = await call(project, 'get_active_workflow', '--json', '{}');
    expect(active.data.completed_steps[0].outputs).toEqual(outputs);
  });

  test.each([
    [
      'pairs, one path for a list of files',
      ['--outputs', 'notes=notes.md', '--outputs', 'more=two.md'],
      null,
    ],
    [
      'a list of files with commas',
      ['--outputs', 'notes=notes.md', '--outputs', 'more=two.md, notes.md'],
      null,
    ],
    [
      'a list of files, one by one',
      ['--outputs', 'notes=notes.md', '--outputs', 'more=two.md', '--outputs', 'more=a=b.md'],
      null,
    ],
    [
      'two paths for one file, which is refused',
      ['--outputs', 'notes=notes.md', '--outputs', 'notes=two.md'],
      /'notes' is declared as type 'file' and must be a single string path, got list/,
    ],
    [
      'a path with a comma for one file',
      ['--outputs', 'notes=a,b.md'],
      /'notes': file not found at 'a,b.md'/,
    ],
    ['an output that no step declares', ['--outputs', 'ghost=x.md'], /Unknown output names: ghost/],
    ['a pair with = in its path', ['--outputs', 'notes=a=b.md'], null],
    ['JSON', ['--outputs', '{"notes": "notes.md", "more": ["two.md", "a=b.md"]}'], null],
    ['JSON after =', ['--outputs={"notes":"notes.md"}'], null],
    [
      'pairs and JSON together',
      ['--outputs', '{"more": ["two.md"]}', '--outputs', 'notes=notes.md'],
      null,
    ],
    ['a list', ['--outputs', '["notes.md"]'], /list/],
  ])('takes outputs as %s', async (_form, args, problem) => {
    verifies('JOBS-REQ-001.7.1');
    const project = projectWithJob();
    await call(project, ...START);
    const { data, code } = await call(project, 'validate_step_outputs', ...args);
    if (problem === null) expect({ code, data }).toMatchObject({ code: 0, data: { valid: true } });
    else expect(JSON.stringify(data.problems ?? data.error.message)).toMatch(problem);
  });

  test('submits a list of files as the help says, and again if the answer was lost', async () => {
    verifies('JOBS-REQ-001.7.1');
    const project = projectWithJob();
    await callAndEnd(project, ...START);
    const hand = ['finished_step', '--outputs', 'notes=notes.md', '--outputs', 'more=two.md'];
    const { data } = await callAndEnd(project, ...hand);
    expect(data).toMatchObject({ status: 'next_step', begin_step: { step_id: 'b' } });
    expect((await callAndEnd(project, ...hand)).data).toMatchObject({
      begin_step: { step_id: 'b' },
    });
    const active = await call(project, 'get_active_workflow');
    expect(active.data.completed_steps[0].outputs).toEqual({ notes: 'notes.md', more: ['two.md'] });
    const help = await command(['call', 'finished_step', '--help'], { cwd: project.root });
    expect(help.stdout.replace(/\s+/g, ' ')).toContain('name=a,b for a list of files');
  });

  test('takes a beginning of an id that no other run has, as all commands do', async () => {
    verifies('JOBS-X.13');
    const project = projectWithJob();
    const ids: string[] = [];
    // Of seventeen ids two begin with the same digit.
    const server = await connect(project.root, { args: ['--agent', 'other'] });
    const start = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };
    for (let nth = 0; nth < 16; nth++) {
      ids.push((await server.ok('start_workflow', start)).begin_step.session_id);
    }
    const id: string = (await call(project, ...START)).data.begin_step.session_id;
    ids.push(id);
    const isUnique = (cut: string) => ids.filter((each) => each.startsWith(cut)).length === 1;
    const cut = [1, 2, 3, 4, 5, 6, 7].map((size) => id.slice(0, size)).find(isUnique) ?? id;
    const hand = ['finished_step', '--outputs', 'notes=notes.md', '--session_id', cut];
    expect((await call(project, ...hand)).data).toMatchObject({ begin_step: { step_id: 'b' } });
    const active = await call(project, 'get_active_workflow', '--session_id', 'last');
    expect(active.data).toMatchObject({ session_id: id });
    const first = ids.map((each) => each[0] ?? '');
    const shared = first.find((digit, at) => first.indexOf(digit) !== at) ?? '';
    const unclear = ['call', 'get_active_workflow', '--session_id', shared];
    const ran = await command(unclear, { cwd: project.root });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(`Several runs begin with '${shared}'`);
    const none = await call(project, 'finished_step', '--outputs', '{}', '--session_id', 'nope');
    expect(none.data.error.message).toContain("Session 'nope' not found in active stack");
  });

  test('addresses the person who calls, and mentions no user', async () => {
    verifies('JOBS-X.25');
    const project = newProject();
    const checks = [{ name: 'tests', run: 'true' }];
    writeJob(project, 'demo', { a: { checks } }, { main: ['a'] });
    await call(project, ...START);
    const trust = `look at them and run: deepwork trust --path ${project.root}`;
    const person = await call(project, 'finished_step', '--outputs', '{}');
    expect(person.data.error.next).toBe(trust);
    const asAgent = { cwd: project.root, env: { AI_AGENT: '1' } };
    await command(['call', ...START, '--agent', 'writer'], asAgent);
    const hand = ['call', 'finished_step', '--outputs', '{}', '--agent', 'writer'];
    const { stdout } = await command(hand, asAgent);
    expect(JSON.parse(stdout).error.next).toBe(`ask your user to ${trust}`);
  });

  test('reports a refusal as JSON and by exit code, and changes nothing', async () => {
    verifies('JOBS-REQ-001.7.1', 'JOBS-X.4');
    const project = projectWithJob();
    await call(project, ...START);
    const before = keptState(project);
    const none = await call(project, ...START.slice(0, 1));
    expect(none.code).toBe(2);
    expect(none.data.error).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringMatching(/^Invalid arguments for start_workflow: goal: is required/),
      next: expect.any(String),
    });
    const surplus = await call(project, 'get_workflows', '--surplus', 'x');
    expect(surplus.code).toBe(2);
    expect(surplus.data.error.message).toBe(
      'Invalid arguments for get_workflows: surplus: is not a parameter',
    );
    const list = await call(project, 'get_workflows', '--json', '[]');
    expect([list.code, list.data.error.code]).toEqual([2, 'invalid_arguments']);
    expect(keptState(project)).toEqual(before);
  });

  test('works in the project that --path names', async () => {
    verifies('JOBS-X.24');
    const project = projectWithJob();
    const elsewhere = newProject();
    const started = await call(elsewhere, ...START, '--path', project.root);
    expect(started.data.begin_step.job_dir).toBe(project.path('.deepwork/jobs/demo'));
    expect(readdirSync(elsewhere.path('.deepwork'))).toEqual(['config.yml']);
    expect(existsSync(project.path('.deepwork/journal'))).toBe(true);
  });

  test('has a separate stack from that of an agent', async () => {
    verifies('JOBS-X.5');
    const project = projectWithJob();
    const server = await connect(project.root);
    await server.ok('start_workflow', { goal: 'Agent', job_name: 'demo', workflow_name: 'other' });
    const started = await callAndEnd(project, ...START);
    expect(started.data.stack).toMatchObject([{ workflow: 'demo/main', step: 'a' }]);
    expect((await server.ok('get_workflows')).stack).toMatchObject([
      { workflow: 'demo/other', step: 'b' },
    ]);
  });

  test('lists the tools in its help', async () => {
    verifies('JOBS-X.24');
    const project = newProject();
    const server = await connect(project.root);
    const { tools } = await server.client.listTools();
    const { stdout } = await command(['call', '--help'], { cwd: project.root });
    for (const { name } of tools) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
    expect(stdout).toMatch(/^Exit codes:\n {2}0 {2}done/m);
  });
});
