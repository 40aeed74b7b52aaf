// Sessions whose owner is gone: found by their id, or without one if there is no doubt which is
// meant; reading without an id takes nothing over.

import { cpSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/answers.ts';
import { command } from '../support/command.ts';
import { connect, connectToProcess, type ProcessConnection } from '../support/connect.ts';
import { cleanEnv } from '../support/http.ts';
import { keptState } from '../support/kept-state.ts';
import { makeTempFolder } from '../support/make-temp-folder.ts';
import { newProject, type Project, projectAt, writeJob } from '../support/project.ts';
import { historyOf, readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const NO_SESSION = 'No active workflow session. Use start_workflow to begin a workflow.';

function newDemo(): Project {
  const project = newProject({ 'a.md': 'A' });
  writeDemo(project);
  return project;
}

function writeDemo(project: Project): void {
  writeJob(
    project,
    'demo',
    { a: {}, b: { outputs: { report: 'file' } }, c: {} },
    { main: ['a', 'b', 'c'], side: ['c', 'a'] },
  );
}

interface Left {
  readonly project: Project;
  readonly ids: string[];
}

const left = new Map<string, Left>();
let templates: string;

beforeAll(() => {
  templates = makeTempFolder('orphans');
});

afterAll(() => rmSync(templates, { recursive: true, force: true }));

/**
 * Sessions left behind, bottom to top, by a server that was killed. It was killed in another project
 * once for all tests, whose journal and views are copied.
 */
async function leaveBehind(project: Project, ...workflows: string[]): Promise<string[]> {
  const name = workflows.join('-');
  const known = left.get(name) ?? (await leaveIn(path.join(templates, name), workflows));
  left.set(name, known);
  for (const folder of ['.deepwork/journal', '.deepwork/tmp']) {
    cpSync(known.project.path(folder), project.path(folder), { recursive: true });
  }
  return known.ids;
}

async function leaveIn(root: string, workflows: readonly string[]): Promise<Left> {
  const project = projectAt(root);
  project.write('.deepwork/config.yml', 'git: {branch: off}\n');
  writeDemo(project);
  const server = await connectToProcess(root, { closeAfterTest: false });
  const ids: string[] = [];
  for (const workflow_name of workflows) {
    const args = { goal: `Left ${workflow_name}`, job_name: 'demo', workflow_name };
    ids.push((await server.ok('start_workflow', args)).begin_step.session_id);
  }
  await kill(server);
  return { project, ids };
}

async function kill(server: ProcessConnection): Promise<void> {
  process.kill(server.pid, 'SIGKILL');
  await server.close();
}

describe('orphans', () => {
  test('the only one is meant if no id is given', async () => {
    verifies('JOBS-X.19', 'JOBS-X.22');
    const project = newDemo();
    const [lower, upper] = (await leaveBehind(project, 'main', 'side')) as [string, string];
    const server = await connect(project.root);
    const before = keptState(project);
    const seen = await server.ok('get_active_workflow');
    expect(seen).toMatchObject({
      active: true,
      session_id: upper,
      goal: 'Left side',
      begin_step: { step_id: 'c' },
      orphans: [{ session_id: upper, workflow: 'demo/side', step: 'c' }],
      // Exactly what the next call will act on.
      stack: [
        { workflow: 'demo/main', step: 'a', session_id: lower },
        { workflow: 'demo/side', step: 'c', session_id: upper },
      ],
    });
    expect(seen.warnings.join()).toMatch(new RegExp(`${upper}.*not yours yet.*session_id`));
    expect((await server.ok('get_workflows')).stack).toEqual(seen.stack);
    await server.ok('validate_step_outputs', { outputs: {} });
    expect(keptState(project)).toEqual(before);

    const answer = await server.ok('finished_step', { outputs: {} });
    expect(answer.begin_step).toMatchObject({ session_id: upper, step_id: 'a' });
    // The whole stack was adopted, in its order.
    expect(answer.stack).toMatchObject([
      { workflow: 'demo/main', step: 'a' },
      { workflow: 'demo/side', step: 'a' },
    ]);
    for (const id of [lower, upper]) expect(historyOf(project, id)).toContain('adopted');
    const own = await server.ok('get_active_workflow');
    expect(own).toMatchObject({ orphans: [], warnings: [] });
  });

  test('is taken over by being named in get_active_workflow, and nested in from then on', async () => {
    verifies('JOBS-X.19', 'JOBS-X.22');
    const project = newDemo();
    const [lower, upper] = (await leaveBehind(project, 'main', 'side')) as [string, string];
    const server = await connect(project.root);
    const seen = await server.ok('get_active_workflow', { session_id: lower });
    expect(seen).toMatchObject({ session_id: lower, orphans: [] });
    expect(seen.warnings).toEqual([
      `Session ${upper} (demo/side, step 'c') is nested in this one and comes first: a call without session_id acts on that one.`,
    ]);
    expect(seen.stack).toMatchObject([{ session_id: lower }, { session_id: upper }]);
    for (const id of [lower, upper]) expect(historyOf(project, id)).toContain('adopted');

    const start = { goal: 'Nested', job_name: 'demo', workflow_name: 'side' };
    const inner = await server.ok('start_workflow', start);
    expect(inner.warnings).toEqual([expect.stringContaining(`Nested in session ${upper} `)]);
    const id = inner.begin_step.session_id;
    expect(readView(project, id).parent_session_id).toBe(upper);
    await server.ok('finished_step', { outputs: {} });
    const end = await server.ok('finished_step', { outputs: {} });
    expect(end).toMatchObject({ status: 'workflow_complete', begin_step: { session_id: upper } });
  });

  test('a person who reads from a terminal takes nothing over', async () => {
    verifies('JOBS-X.19', 'JOBS-X.22');
    const project = newDemo();
    const [left] = (await leaveBehind(project, 'main')) as [string];
    const before = keptState(project);
    for (const named of [[], ['--session_id', left]]) {
      const read = await command(
        ['call', 'get_active_workflow', '--path', project.root, ...named],
        {
          cwd: project.root,
          env: cleanEnv(os.homedir()),
        },
      );
      expect(read.code, read.stderr).toBe(0);
      expect(JSON.parse(read.stdout)).toMatchObject({ active: true, session_id: left });
    }
    expect(keptState(project)).toEqual(before);
  });

  test('is not nested in automatically: start and completion name unfinished work and how to continue', async () => {
    verifies('JOBS-X.19');
    const project = newDemo();
    const [lower, upper] = (await leaveBehind(project, 'main', 'side')) as [string, string];
    const server = await connect(project.root);
    const start = { goal: 'On its own', job_name: 'demo', workflow_name: 'side' };
    const begun = await server.ok('start_workflow', start);
    const id = begun.begin_step.session_id;
    expect(readView(project, id).parent_session_id).toBeNull();
    expect(begun.stack).toMatchObject([{ session_id: id }]);
    const left = new RegExp(
      `Left unfinished: session ${upper} \\(demo/side.*Left side.*nested in ${lower} .*get_active_workflow with session_id "${upper}"`,
    );
    expect(begun.warnings.join('\n')).toMatch(left);
    // A start nested in its own work reports no unfinished work.
    const nested = await server.ok('start_workflow', start);
    expect(nested.warnings).toEqual([expect.stringContaining(`Nested in session ${id} `)]);
    await server.ok('abort_workflow', { explanation: 'Enough' });

    await server.ok('finished_step', { outputs: {} });
    const call = { outputs: {}, step_id: 'a', session_id: id };
    const end = await server.ok('finished_step', call);
    expect(end).toMatchObject({ status: 'workflow_complete', begin_step: null });
    expect(end.warnings.join('\n')).toMatch(left);
    // In the stack, since the next call without an id would act on it; this is reported.
    expect(end.stack).toMatchObject([{ session_id: lower }, { session_id: upper }]);
    expect(end.warnings.at(-1)).toMatch(
      new RegExp(
        `${upper} was left behind and is not yours yet. The next finished_step, .*takes it`,
      ),
    );
    expect(await server.ok('finished_step', call), 'once more').toEqual(end);
    for (const each of [lower, upper]) expect(readView(project, each).revision).toBe(1);
    const gone = await server.ok('start_workflow', start);
    expect(gone.warnings.join()).not.toContain('not yours yet');
    const aborted = await server.ok('abort_workflow', { explanation: 'Enough' });
    expect(aborted.stack).toEqual(end.stack);
    expect(aborted.warnings.at(-1)).toBe(end.warnings.at(-1));
    const went = await server.ok('finished_step', { outputs: {} });
    expect(went.begin_step).toMatchObject({ session_id: upper, step_id: 'a' });
  });

  test('several are in no stack when work ends, and no warning names one as next', async () => {
    verifies('JOBS-X.19');
    const project = newDemo();
    await leaveBehind(project, 'main');
    await leaveBehind(project, 'side');
    const server = await connect(project.root);
    await server.ok('start_workflow', { goal: 'g', job_name: 'demo', workflow_name: 'side' });
    await server.ok('finished_step', { outputs: {} });
    const end = await server.ok('finished_step', { outputs: {} });
    expect(end).toMatchObject({ status: 'workflow_complete', begin_step: null, stack: [] });
    expect(end.warnings).toHaveLength(2);
    expect(end.warnings.join()).not.toContain('not yours yet');
  });

  test('is taken over by id, whichever of its stack is named', async () => {
    verifies('JOBS-X.19', 'JOBS-REQ-001.4.5');
    const project = newDemo();
    const [lower, upper] = (await leaveBehind(project, 'main', 'side')) as [string, string];
    const server = await connect(project.root);
    await server.ok('start_workflow', { goal: 'g', job_name: 'demo', workflow_name: 'main' });
    const answer = await server.ok('go_to_step', { step_id: 'a', session_id: lower });
    expect(answer.begin_step.session_id).toBe(lower);
    expect(answer.stack).toHaveLength(3);
    expect(answer.stack).toContainEqual({
      workflow: 'demo/side',
      step: 'c',
      session_id: upper,
    });
    const { agent } = readView(project, upper);
    expect(agent).toEqual(readView(project, lower).agent);
    const done = await server.ok('finished_step', { outputs: {}, session_id: upper });
    expect(done.begin_step).toMatchObject({ session_id: upper, step_id: 'a' });
  });

  test('several are listed, none is guessed', async () => {
    verifies('JOBS-X.19');
    const project = newDemo();
    const [first] = (await leaveBehind(project, 'main')) as [string];
    const [lower, second] = (await leaveBehind(project, 'side', 'main')) as [string, string];
    const server = await connect(project.root);
    const before = keptState(project);
    const seen = await server.ok('get_active_workflow');
    expect(seen).toMatchObject({ active: false, session_id: null, begin_step: null, stack: [] });
    expect(seen.orphans).toHaveLength(2);
    expect(seen.warnings).toEqual([
      'No session is active for you. 2 sessions were left behind, listed in "orphans". To go on with one, call get_active_workflow with its session_id; without a session_id none is chosen. Otherwise start a workflow.',
    ]);
    expect(seen.orphans).toContainEqual({
      session_id: second,
      workflow: 'demo/main',
      step: 'a',
      goal: 'Left main',
      started_at: readView(project, second).started_at,
      last_activity_at: readView(project, second).started_at,
      left_by: expect.stringMatching(/^process \d+ \(gone\)$/),
      nested_in: 'demo/side',
    });
    expect(
      seen.orphans.find(({ session_id }: { session_id: string }) => session_id === first),
    ).not.toHaveProperty('nested_in');
    for (const [tool, args] of [
      ['finished_step', { outputs: {} }],
      ['abort_workflow', { explanation: 'x' }],
      ['go_to_step', { step_id: 'a' }],
      ['validate_step_outputs', { outputs: {} }],
    ] as const) {
      const next = expectRefusal(await server.call(tool, args), NO_SESSION);
      expect(next, tool).toMatch(/^continue one that was left behind by giving its session_id: /);
      for (const id of [first, second]) expect(next, tool).toContain(id);
      expect(next, tool).toMatch(
        new RegExp(`${second} \\([^)]*\\(gone\\)[^)]*\\), nested in demo/side`),
      );
      // Stacks are named by their tops.
      expect(next).not.toContain(lower);
    }
    expect(keptState(project)).toEqual(before);

    await server.ok('finished_step', { outputs: {}, session_id: first });
    expect((await server.ok('get_active_workflow')).orphans).toMatchObject([
      { session_id: second },
    ]);
  });

  test('is not taken over by a caller with its own work, unless named', async () => {
    verifies('JOBS-X.19');
    const project = newDemo();
    const [left] = (await leaveBehind(project, 'main')) as [string];
    const server = await connect(project.root);
    const start = { goal: 'g', job_name: 'demo', workflow_name: 'side' };
    const { begin_step, stack } = await server.ok('start_workflow', start);
    expect(stack).toMatchObject([{ workflow: 'demo/side', step: 'c' }]);
    const done = await server.ok('finished_step', { outputs: {} });
    expect(done.begin_step.session_id).toBe(begin_step.session_id);
    expect(readView(project, left)).toMatchObject({ revision: 1, current_step_id: 'a' });
  });

  test('can be aborted, and the session below it resumes', async () => {
    verifies('JOBS-X.19', 'JOBS-REQ-001.6.8');
    const project = newDemo();
    const [, upper] = (await leaveBehind(project, 'main', 'side')) as [string, string];
    const server = await connect(project.root);
    const args = { explanation: 'Not needed', session_id: upper };
    expect(await server.ok('abort_workflow', args)).toMatchObject({
      aborted_workflow: 'demo/side',
      resumed_workflow: 'demo/main',
      resumed_step: 'a',
    });
  });

  test('calls that arrive together take it over once', async () => {
    verifies('JOBS-X.19', 'JOBS-X.10');
    const project = newDemo();
    const [left] = (await leaveBehind(project, 'main')) as [string];
    const server = await connectToProcess(project.root, { closeAfterTest: false });
    await server.ok('finished_step', { outputs: {}, session_id: left });
    await kill(server);

    const next = await connect(project.root);
    const call = { outputs: { report: 'a.md' }, step_id: 'b' };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => next.call('finished_step', call)),
    );
    for (const { text, data } of answers) expect(data.status, text).toBe('next_step');
    expect(readView(project, left)).toMatchObject({ current_step_id: 'c', status: 'active' });
  });

  test('of two servers that want the same one, only one gets it', async () => {
    verifies('JOBS-X.19');
    const project = newDemo();
    const [left] = (await leaveBehind(project, 'main')) as [string];
    const servers = await Promise.all([
      connectToProcess(project.root),
      connectToProcess(project.root),
    ]);
    const answers = await Promise.all(
      servers.map((server) => server.call('finished_step', { outputs: {}, session_id: left })),
    );
    const refused = answers.filter(({ isError }) => isError);
    expect(refused).toHaveLength(1);
    expectRefusal(refused[0] as (typeof answers)[0], `Session '${left}' not found in active stack`);
    expect(readView(project, left)).toMatchObject({ current_step_id: 'b' });
  });
});
