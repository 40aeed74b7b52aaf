// deepwork call: every tool from a terminal, with a stack that persists from one command to the
// next.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { deepwork, type Ran } from '../support/run-command.ts';
import { verifies } from '../verifies.ts';

function projectWithJob(): Project {
  const project = newProject({ 'notes.md': 'Notes\n', 'a=b.md': 'Odd\n', 'two.md': 'Two\n' });
  project.write('a,b.md', 'Both\n');
  const outputs = { notes: 'file', more: 'files?' };
  const steps = { a: { outputs }, b: {}, image: { outputs: { image: 'file' } } };
  const workflows = { main: ['a', 'b'], other: ['b'], both: [['a', 'image']] };
  writeJob(project, 'demo', steps, workflows);
  return project;
}

interface Called {
  readonly code: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  readonly data: any;
}

/** The one line of JSON that it prints. */
function lineOf({ code, stdout, stderr }: Ran): Called {
  expect(stdout.split('\n'), stderr).toHaveLength(2);
  return { code, data: JSON.parse(stdout) };
}

/** Calls a tool in a project. */
async function call({ root: cwd }: Project, ...args: string[]): Promise<Called> {
  return lineOf(await command(['call', ...args], { cwd }));
}

/** The same in a process of its own, which has ended afterwards. */
async function callAndEnd({ root: cwd }: Project, ...args: string[]): Promise<Called> {
  return lineOf(await deepwork(['call', ...args], { cwd }));
}

const startOf = (workflow: string) =>
  `start_workflow --job_name demo --workflow_name ${workflow} --goal`.split(' ').concat('Try it');
const START = startOf('main');
const FINISH = ['finished_step', '--outputs'];

test('runs a workflow, one command after the other, on a stack apart from that of an agent', async () => {
  verifies('JOBS-REQ-001.7.1', 'JOBS-REQ-001.3.8', 'JOBS-X.5');
  const project = projectWithJob();
  const server = await connect(project.root);
  await server.ok('start_workflow', { goal: 'g', job_name: 'demo', workflow_name: 'other' });
  const listed = await callAndEnd(project, 'get_workflows');
  expect(listed).toMatchObject({ code: 0, data: { jobs: [{ name: 'demo' }, {}], stack: [] } });

  const started = await callAndEnd(project, ...START, '--instance_id=acme');
  const branch_name = 'deepwork/demo-main-acme';
  expect(started).toMatchObject({ code: 0, data: { begin_step: { step_id: 'a', branch_name } } });
  expect(started.data.stack).toMatchObject([{ workflow: 'demo/main', step: 'a' }]);
  const refused = await callAndEnd(project, ...FINISH, 'notes=ghost.md');
  expect(refused).toMatchObject({ code: 1, data: { error: { code: 'outputs_invalid' } } });
  const hand = [...FINISH, 'notes=notes.md', '--outputs', 'more=two.md'];
  for (const _ of ['once', 'again, because the answer was lost']) {
    const next = { status: 'next_step', begin_step: { step_id: 'b' } };
    expect(await callAndEnd(project, ...hand)).toMatchObject({ code: 0, data: next });
  }
  // A beginning of an id is enough, as for all commands.
  const { session_id } = started.data.begin_step;
  const named = ['--session_id', session_id.slice(0, 7)];
  const { data } = await call(project, 'get_active_workflow', ...named);
  expect(data.completed_steps[0].outputs).toEqual({ notes: 'notes.md', more: ['two.md'] });
  const last = await callAndEnd(project, ...FINISH, '{}', '--notes', 'All done');
  expect(last).toMatchObject({ code: 0, data: { status: 'workflow_complete', stack: [] } });
  // No nulls are printed into a pipe.
  const none = await call(project, 'get_active_workflow');
  expect(none.data).toMatchObject({ active: false, stack: [] });
  expect(Object.values(none.data)).not.toContain(null);
  expect((await server.ok('get_workflows')).stack).toMatchObject([{ workflow: 'demo/other' }]);
});

test("the coordinator's tools do not exist for others, however they name themselves", async () => {
  verifies('TEAM-3');
  const cwd = projectWithJob().root;
  const write = ['call', 'project_todowrite', '--todos', '[]'];
  expect(await command(write, { cwd })).toMatchObject({ code: 0, stdout: '0 todos\n' });
  for (const [args, env] of [
    [[...write, '--agent', 'writer'], {}],
    [[...write, '--agent=writer'], {}],
    [write, { SGAI_AGENT_IDENTITY: 'writer|opus' }],
  ] as const) {
    const { code, stdout, stderr } = await command([...args], { cwd, env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('coordinator');
    expect(stderr).not.toContain('peek_message_bus');
  }
});

test('exits with 0 while other members of an entry are open: nothing has to be fixed', async () => {
  verifies('JOBS-X.13');
  const project = projectWithJob();
  await call(project, ...startOf('both'));
  const { code, data } = await call(project, ...FINISH, 'notes=notes.md');
  expect({ code, data }).toMatchObject({ code: 0, data: { reason: 'members_open' } });
});

test.each<[...string[]]>([
  ['notes=notes.md', 'more=two.md'],
  ['notes=notes.md', 'more=two.md, notes.md'],
  ['notes=notes.md', 'more=["a,b.md", "two.md"]'],
  ['notes=notes.md', 'more=two.md', 'more=a=b.md'],
  ['notes=a=b.md'],
  ['{"notes": "notes.md", "more": ["two.md", "a=b.md"]}'],
  ['{"more": ["two.md"]}', 'notes=notes.md'],
])('takes outputs as pairs and as JSON: %s %s', async (...outputs) => {
  verifies('JOBS-REQ-001.7.1');
  const project = projectWithJob();
  await call(project, ...START);
  const given = outputs.flatMap((each) => ['--outputs', each]);
  const { code, data } = await call(project, 'validate_step_outputs', ...given);
  expect([code, data.valid, data.problems]).toEqual([0, true, []]);
});

test('outputs that are wrong, and other arguments that are, change nothing', async () => {
  verifies('JOBS-REQ-001.7.1', 'JOBS-X.4');
  const project = projectWithJob();
  await call(project, ...START);
  const before = keptState(project);
  for (const [args, code, error] of [
    [[...FINISH, 'notes=notes.md', '--outputs', 'notes=two.md'], 1, 'outputs_invalid'],
    [[...FINISH, 'notes=x,y.md'], 1, 'outputs_invalid'],
    [[...FINISH, 'ghost=x.md'], 1, 'outputs_unknown'],
    [[...FINISH, '["notes.md", "two.md"]'], 1, 'outputs_unmatched'],
    [['start_workflow'], 2, 'invalid_arguments'],
    [['get_workflows', '--surplus', 'x'], 2, 'invalid_arguments'],
    [['get_workflows', '--json', '[]'], 2, 'invalid_arguments'],
  ] as const) {
    const called = await call(project, ...args);
    expect(called, args.join(' ')).toMatchObject({ code, data: { error: { code: error } } });
  }
  expect(keptState(project)).toEqual(before);
});

test('takes arguments as one JSON object, and options before the tool', async () => {
  verifies('JOBS-REQ-001.7.1', 'JOBS-X.3');
  const project = projectWithJob();
  const args = { goal: 'Try it', job_name: 'demo', workflow_name: 'main', context: { size: 3 } };
  const started = await call(project, 'start_workflow', '--json', JSON.stringify(args));
  expect(started.data.stack).toMatchObject([{ workflow: 'demo/main', step: 'a' }]);
  const outputs = { notes: 'notes.md', more: ['two.md'] };
  const next = await call(project, 'finished_step', `--json=${JSON.stringify({ outputs })}`);
  expect(next.data.status).toBe('next_step');
  for (const options of [
    ['--agent', 'writer'],
    ['--path=.', '--agent=writer'],
    ['--json', '{}'],
  ]) {
    expect(await call(project, ...options, 'workflow_list')).toMatchObject({ code: 0 });
  }
  const bare = await command(['call', '--agent', 'writer'], { cwd: project.root });
  expect(bare).toMatchObject({ code: 2, stdout: expect.stringContaining('workflow_list') });
});
