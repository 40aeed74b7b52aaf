// Sessions whose owner is gone: found by their id, or without one if there is no doubt which is
// meant; reading without an id takes nothing over.

import os from 'node:os';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { cleanEnv } from '../support/http.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, writeJob } from '../support/project.ts';
import { readRefusal, refusedUnchanged } from '../support/refusal.ts';
import { historyOf, readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const SIDE = { goal: 'On its own', job_name: 'demo', workflow_name: 'side' };
const FINISH = { outputs: {} };

/** A project with stacks of sessions `Left <workflow>` of servers that were killed, and a new one. */
async function foundWith(...stacks: readonly (readonly string[])[]) {
  const project = newProject({ 'a.md': 'A' });
  const steps = { a: {}, b: { outputs: { report: 'file' } }, c: {} };
  writeJob(project, 'demo', steps, { main: ['a', 'b', 'c'], side: ['c', 'a'] });
  const ids: string[] = [];
  for (const workflows of stacks) {
    const server = await connectToProcess(project.root, { closeAfterTest: false });
    for (const workflow_name of workflows) {
      const args = { goal: `Left ${workflow_name}`, job_name: 'demo', workflow_name };
      ids.push((await server.ok('start_workflow', args)).begin_step.session_id);
    }
    process.kill(server.pid, 'SIGKILL');
    await server.close();
  }
  const [first = '', second = '', third = ''] = ids;
  return { project, first, second, third, server: await connect(project.root) };
}

const naming = (...parts: string[]) => expect.stringMatching(parts.join('.*'));

test('the only one is meant if no id is given, and its whole stack is taken over', async () => {
  verifies('JOBS-X.19', 'JOBS-X.22', 'JOBS-X.23');
  const { project, server, first: lower, second: upper } = await foundWith(['main', 'side']);
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
  expect(seen.warnings).toEqual([naming(upper)]);
  expect((await server.ok('get_workflows')).stack).toEqual(seen.stack);
  for (const session_id of [null, lower]) {
    await server.ok('validate_step_outputs', { ...FINISH, session_id });
  }
  expect(keptState(project)).toEqual(before);

  const answer = await server.ok('finished_step', FINISH);
  expect(answer.begin_step).toMatchObject({ session_id: upper, step_id: 'a' });
  expect(answer.stack).toMatchObject([{ session_id: lower }, { session_id: upper }]);
  for (const id of [lower, upper]) expect(historyOf(project, id)).toContain('adopted');
  const own = await server.ok('get_active_workflow');
  expect(own).toMatchObject({ orphans: [], warnings: [] });
});

test('naming one takes its stack over, whichever of it is named and whatever else is the own work', async () => {
  verifies('JOBS-X.19', 'JOBS-X.22', 'JOBS-REQ-001.4.5');
  const { project, server, first: lower, second: upper } = await foundWith(['main', 'side']);
  const seen = await server.ok('get_active_workflow', { session_id: lower });
  expect(seen).toMatchObject({ session_id: lower, orphans: [], warnings: [naming(upper)] });
  expect(seen.stack).toMatchObject([{ session_id: lower }, { session_id: upper }]);
  for (const id of [lower, upper]) expect(historyOf(project, id)).toContain('adopted');
  const inner = await server.ok('start_workflow', SIDE);
  expect(inner.warnings).toEqual([naming(upper)]);
  expect(readView(project, inner.begin_step.session_id).parent_session_id).toBe(upper);

  const other = await foundWith(['main', 'side']);
  await other.server.ok('start_workflow', SIDE);
  const went = await other.server.ok('go_to_step', { step_id: 'a', session_id: other.first });
  expect(went).toMatchObject({ begin_step: { session_id: other.first }, stack: { length: 3 } });
  const abort = { explanation: 'Not needed', session_id: other.second };
  expect(await other.server.ok('abort_workflow', abort)).toMatchObject({
    aborted_workflow: 'demo/side',
    stack: { length: 2 },
  });
});

test('a person who reads from a terminal takes nothing over', async () => {
  verifies('JOBS-X.19', 'JOBS-X.22');
  const { project, first } = await foundWith(['main']);
  const before = keptState(project);
  const env = cleanEnv(os.homedir());
  for (const named of [[], ['--session_id', first]]) {
    const args = ['call', 'get_active_workflow', '--path', project.root, ...named];
    const { code, stdout, stderr } = await command(args, { cwd: project.root, env });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ active: true, session_id: first });
  }
  expect(keptState(project)).toEqual(before);
});

test('a start is not nested in one, and start and end name what is left unfinished', async () => {
  verifies('JOBS-X.19');
  const { project, server, first: lower, second: upper } = await foundWith(['main', 'side']);
  const begun = await server.ok('start_workflow', SIDE);
  const { session_id } = begun.begin_step;
  expect(readView(project, session_id).parent_session_id).toBeNull();
  expect(begun.stack).toMatchObject([{ session_id }]);
  const unfinished = naming(upper, 'Left side', lower, `session_id "${upper}"`);
  expect(begun.warnings).toContainEqual(unfinished);
  // A start nested in its own work reports no unfinished work.
  expect((await server.ok('start_workflow', SIDE)).warnings).toEqual([naming(session_id)]);
  await server.ok('abort_workflow', { explanation: 'Enough' });
  await server.ok('finished_step', FINISH);
  const end = await server.ok('finished_step', FINISH);
  expect(end).toMatchObject({ status: 'workflow_complete', begin_step: null });
  // In the stack, since the next call without an id would act on it; this is reported.
  expect(end.stack).toMatchObject([{ session_id: lower }, { session_id: upper }]);
  expect(end.warnings).toEqual([unfinished, naming(upper, 'finished_step')]);
  for (const id of [lower, upper]) expect(readView(project, id).revision).toBe(1);
  const went = await server.ok('finished_step', { ...FINISH, step_id: 'c' });
  expect(went.begin_step).toMatchObject({ session_id: upper, step_id: 'a' });
});

test('several are listed, none is guessed, and none is next when work ends', async () => {
  verifies('JOBS-X.19');
  const { project, server, first, second, third } = await foundWith(['main'], ['side', 'main']);
  const before = keptState(project);
  const seen = await server.ok('get_active_workflow');
  expect(seen).toMatchObject({ active: false, session_id: null, begin_step: null, stack: [] });
  expect(seen.orphans).toHaveLength(2);
  const { started_at } = readView(project, third);
  expect(seen.orphans).toContainEqual({
    session_id: third,
    workflow: 'demo/main',
    step: 'a',
    goal: 'Left main',
    started_at,
    last_activity_at: started_at,
    left_by: expect.stringMatching(/^process \d+ \(gone\)$/),
    nested_in: 'demo/side',
  });
  const alone = seen.orphans.find((each: { session_id: string }) => each.session_id === first);
  expect(alone).not.toHaveProperty('nested_in');
  for (const [tool, args] of [
    ['finished_step', FINISH],
    ['abort_workflow', { explanation: 'x' }],
    ['go_to_step', { step_id: 'a' }],
    ['validate_step_outputs', FINISH],
  ] as const) {
    const { code, next } = await refusedUnchanged(project, server, tool, args);
    expect(code, tool).toBe('no_session');
    for (const id of [first, third]) expect(next, tool).toContain(id);
    // Stacks are named by their tops.
    expect(next).not.toContain(second);
  }
  expect(keptState(project)).toEqual(before);

  await server.ok('start_workflow', SIDE);
  await server.ok('finished_step', FINISH);
  const end = await server.ok('finished_step', FINISH);
  expect(end).toMatchObject({ status: 'workflow_complete', begin_step: null, stack: [] });
  expect(end.warnings).toHaveLength(2);
  await server.ok('finished_step', { ...FINISH, session_id: first });
  const { orphans } = await server.ok('get_active_workflow');
  expect(orphans).toMatchObject([{ session_id: third }]);
});

test('calls that arrive together take it over once, and of two servers only one gets it', async () => {
  verifies('JOBS-X.19', 'JOBS-X.10');
  const { project, server, first } = await foundWith(['main']);
  const call = { ...FINISH, step_id: 'a' };
  for (const { begin_step } of await Promise.all(
    [1, 2, 3, 4].map(() => server.ok('finished_step', call)),
  )) {
    expect(begin_step.step_id).toBe('b');
  }
  expect(readView(project, first)).toMatchObject({ current_step_id: 'b', status: 'active' });

  const other = await foundWith(['main']);
  const servers = [1, 2].map(() => connectToProcess(other.project.root));
  const answers = await Promise.all(
    (await Promise.all(servers)).map((each) =>
      each.call('finished_step', { ...FINISH, session_id: other.first }),
    ),
  );
  const refused = answers.filter(({ isError }) => isError);
  expect(refused.map((answer) => readRefusal(answer).code)).toEqual(['session_not_found']);
  expect(readView(other.project, other.first)).toMatchObject({ current_step_id: 'b' });
});
