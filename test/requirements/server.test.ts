// What a client gets when it connects, and what all answers have in common.

import { expect, test } from 'vitest';
import { ERAS } from '../support/calls.ts';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { verifies } from '../verifies.ts';

/** Two steps; the first has a rule on its output. */
function projectWithJob(): Project {
  const project = newProject({ 'notes.md': 'All done\n', 'draft.md': 'Not yet\n' });
  const rules = [{ type: 'contains', value: 'done', message: 'Say that it is done.' }];
  const notes = { type: 'file', description: 'Notes', required: true, rules };
  writeJob(project, 'demo', { a: { outputs: { notes } }, b: {} }, { main: ['a', 'b'] });
  return project;
}

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };

/** The keys of each tool's answer, `stack` included. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  get_workflows: ['jobs', 'errors', 'warnings', 'stack'],
  start_workflow: ['begin_step', 'warnings', 'stack'],
  finished_step: [
    'status',
    'reason',
    'feedback',
    'failed_reviews',
    'failed_criteria',
    'begin_step',
    'summary',
    'all_outputs',
    'warnings',
    'stack',
  ],
  abort_workflow: [
    'aborted_workflow',
    'aborted_step',
    'explanation',
    'resumed_workflow',
    'resumed_step',
    'begin_step',
    'warnings',
    'stack',
  ],
  go_to_step: ['begin_step', 'invalidated_steps', 'stack'],
  get_active_workflow: [
    'active',
    'session_id',
    'goal',
    'begin_step',
    'completed_steps',
    'last_feedback',
    'orphans',
    'truncated',
    'warnings',
    'stack',
  ],
  validate_step_outputs: ['valid', 'problems', 'not_run', 'stack'],
};

test.each(ERAS)('the server introduces itself (%s)', async (era) => {
  verifies('JOBS-REQ-001.1.10', 'JOBS-REQ-001.1.11');
  const { client } = await connect(newProject().root, { era });

  expect(client.getServerVersion()?.name).toBe('deepwork');
  const instructions = client.getInstructions() ?? '';
  const stages = ['Discover', 'Start', 'Execute', 'Checkpoint', 'Iterate', 'Continue', 'Complete'];
  const places = stages.map((stage) => instructions.indexOf(stage));
  expect(places, 'every stage is named, in the order of the work').toEqual(
    [...places].filter((place) => place >= 0).sort((a, b) => a - b),
  );
  // Clients truncate longer texts.
  expect(Buffer.byteLength(instructions)).toBeLessThan(2048);
});

test.each(ERAS)('tools are listed with input and output schemas (%s)', async (era) => {
  verifies('JOBS-REQ-001.7.1');
  const { client } = await connect(newProject().root, { era, args: ['--tools', 'jobs'] });
  const { tools } = await client.listTools();

  expect(tools.map(({ name }) => name)).toEqual(Object.keys(ANSWERS).toSorted());
  for (const { name, description, inputSchema, outputSchema } of tools) {
    expect(name).toMatch(/^[a-z0-9_]{1,30}$/);
    expect(description, name).toBeTruthy();
    expect(Buffer.byteLength(description ?? ''), name).toBeLessThan(2048);
    expect(inputSchema.type, name).toBe('object');
    expect(outputSchema?.type, name).toBe('object');
    const required = expect.arrayContaining([...(ANSWERS[name] ?? [])]);
    expect(outputSchema?.anyOf, name).toMatchObject([{ required }, {}]);
  }
});

test.each(ERAS)('text and structured content say the same, with every key (%s)', async (era) => {
  verifies('JOBS-REQ-001.7.1', 'JOBS-REQ-001.7.2');
  const project = projectWithJob();
  const server = await connect(project.root, { era });

  async function call(tool: string, args: Record<string, unknown> = {}) {
    const answer = await server.call(tool, args);
    expect(answer.isError, answer.text).toBe(false);
    expect(answer.text, 'compact JSON, the same as the structured part').toBe(
      JSON.stringify(answer.data),
    );
    expect(Object.keys(answer.data).toSorted(), tool).toEqual(ANSWERS[tool]?.toSorted());
    return answer.data;
  }

  await call('get_workflows');
  await call('get_active_workflow');
  await call('start_workflow', START);
  await call('validate_step_outputs', { outputs: { notes: 'notes.md' } });
  const failed = await call('finished_step', { outputs: { notes: 'draft.md' } });
  const next = await call('finished_step', { outputs: { notes: 'notes.md' } });
  await call('get_active_workflow');
  await call('go_to_step', { step_id: 'b' });
  const last = await call('finished_step', { outputs: {} });
  await call('start_workflow', START);
  await call('abort_workflow', { explanation: 'Enough' });

  expect([failed.status, next.status, last.status]).toEqual([
    'needs_work',
    'next_step',
    'workflow_complete',
  ]);
  const refused = await server.call('abort_workflow', { explanation: 'Nothing is left' });
  expect(readRefusal(refused)).toMatchObject({
    code: 'no_session',
    message: 'No active workflow session. Use start_workflow to begin a workflow.',
  });
});

test('the log names agent, session and outcome of every call in one form', async () => {
  verifies('JOBS-REQ-001.1.12');
  const project = projectWithJob();
  const server = await connect(project.root, { args: ['--agent', 'writer|opus'] });
  const {
    begin_step: { session_id: id },
  } = await server.ok('start_workflow', START);
  await server.ok('finished_step', { outputs: { notes: 'draft.md' } });
  await server.ok('validate_step_outputs', { outputs: { notes: 'draft.md' } });
  await server.ok('finished_step', { outputs: { notes: 'notes.md' } });
  await server.refused('finished_step', { outputs: {}, session_id: 'ghost' });
  await server.ok('abort_workflow', { explanation: 'Enough' });
  await server.call('check_inbox');
  await server.call('check_inbox', { surplus: 1 });
  await server.client.callTool({ name: 'no tool' }).catch(() => {});
  const form =
    /^\S+Z deepwork (\S+|"no tool") (\S+) [\d.]+ms agent=writer\|opus session=(\S+) stack=\[.*\]$/;
  await expect.poll(() => server.log().split('\n').length).toBeGreaterThan(9);
  const lines = server.log().trimEnd().split('\n');
  expect(lines.map((line) => form.exec(line)?.slice(1) ?? line)).toEqual([
    ['start_workflow', 'ok', id],
    ['finished_step', 'needs_work', id],
    ['validate_step_outputs', 'invalid', id],
    ['finished_step', 'next_step', id],
    ['finished_step', 'session_not_found', 'ghost'],
    ['abort_workflow', 'ok', id],
    ['check_inbox', 'ok', '-'],
    ['check_inbox', 'invalid_arguments', '-'],
    ['"no tool"', '-32602', '-'],
  ]);
});

test('every call is logged on stderr with its tool and the stack', async () => {
  verifies('JOBS-REQ-001.1.12');
  const server = await connect(projectWithJob().root);
  await server.ok('get_workflows');
  await server.ok('start_workflow', START);
  await server.ok('start_workflow', START);
  await server.refused('start_workflow', { ...START, job_name: 'ghost' });

  await expect.poll(() => server.log().split('\n').length).toBeGreaterThan(4);
  const lines = server.log().trimEnd().split('\n');
  expect(lines).toHaveLength(4);
  const [listed, first, second, refused] = lines as [string, string, string, string];
  const levels = (line: string) => line.match(/demo\/main\S*\ba\b/g)?.length ?? 0;
  expect(listed).toContain('get_workflows');
  expect([levels(listed), levels(first), levels(second)]).toEqual([0, 1, 2]);
  expect(first).toContain('start_workflow');
  expect(second).toContain('start_workflow');
  expect(refused).toMatch(/start_workflow.*job_not_found/);
  expect(levels(refused)).toBe(2);
});
