// validate_step_outputs: what finished_step would report about outputs, as far as possible without
// running or changing anything.

import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { refusedUnchanged } from '../support/refusal.ts';
import { verifies } from '../verifies.ts';

const RULES = [
  { type: 'contains', value: 'yes', message: 'Must say yes' },
  { type: 'regex', pattern: '^#', message: 'Must have a title' },
];

/** `main` has rules, checks and reviews, `shape` none; in `side`, x and y share a name. */
function newDemo(): Project {
  const project = newProject({ 'good.md': '# yes\n', 'bad.md': 'no\n' });
  const report = { type: 'file', description: 'd', required: true, rules: RULES };
  const complete = { run_each: 'step', quality_criteria: { complete: 'All is there' } };
  const short = { run_each: 'pages', quality_criteria: { short: 'It is short' } };
  writeJob(
    project,
    'demo',
    {
      one: {
        outputs: { report, pages: 'files?' },
        reviews: [complete, short],
        checks: [{ name: 'compiles', run: 'touch ran' }],
      },
      plain: { outputs: { report: 'file', pages: 'files?' } },
      x: { outputs: { log: 'file', only_x: 'file?' } },
      y: { outputs: { log: 'file' }, reviews: [REVIEW] },
    },
    { main: ['one'], shape: ['plain', 'y'], side: [['x', 'y']] },
  );
  return project;
}

async function running(workflow_name: string, project = newDemo()) {
  const server = await connect(project.root);
  const start = { goal: 'g', job_name: 'demo', workflow_name };
  const { begin_step } = await server.ok('start_workflow', start);
  const tried = (outputs: unknown, more: object = {}) =>
    server.ok('validate_step_outputs', { outputs, ...more });
  return { project, server, tried, id: begin_step.session_id as string };
}

test('shape and rules are checked, and nothing runs or changes', async () => {
  verifies('JOBS-X.23');
  const { project, tried } = await running('main');
  const before = keptState(project);
  // The next temporary file is created when the server is idle.
  const files = () =>
    readdirSync(project.root, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.endsWith('.tmp'))
      .sort();
  const beside = files();
  expect(await tried({ report: 'good.md' })).toEqual({
    valid: true,
    problems: [],
    not_run: ['compiles', 'complete'],
    stack: [expect.objectContaining({ workflow: 'demo/main', step: 'one' })],
  });
  const more = await tried({ report: 'good.md', pages: ['bad.md'] });
  expect(more.not_run).toEqual(['compiles', 'complete', 'short']);
  const { valid, problems } = await tried({ report: 'bad.md' });
  expect([valid, ...problems]).toEqual([
    false,
    ...RULES.map(({ message }) => expect.stringContaining(message)),
  ]);
  expect(await tried({})).toMatchObject({
    valid: false,
    problems: [expect.stringContaining('report')],
    not_run: [],
  });
  expect(keptState(project)).toEqual(before);
  expect(files()).toEqual(beside);
});

test('problems of the shape are those of finished_step, word for word', async () => {
  verifies('JOBS-X.23');
  const { project, server, tried } = await running('shape');
  for (const outputs of [
    {},
    { other: 'good.md' },
    { report: ['good.md'], pages: 'good.md' },
    { report: 'gone.md', pages: ['good.md', 'lost.md', '', '..'] },
    { report: '/etc/hostname', pages: [1] },
    ['good.md'],
  ]) {
    const { message } = await refusedUnchanged(project, server, 'finished_step', { outputs });
    const { valid, problems } = await tried(outputs);
    expect([valid, problems.join('\n')]).toEqual([false, message]);
  }
  expect((await tried({ report: 'gone.md', pages: ['lost.md'] })).problems).toHaveLength(2);
});

test('the current step is meant, whatever was accepted before; of an entry the members that are named', async () => {
  verifies('JOBS-X.23', 'JOBS-X.10', 'JOBS-X.13');
  const first = await running('shape');
  const outputs = { report: 'good.md' };
  await first.server.ok('finished_step', { outputs });
  const late = await first.tried(outputs);
  expect(late.valid).toBe(false);
  expect(late.problems).toEqual([expect.stringContaining('report')]);

  const { tried } = await running('side');
  expect(await tried({ 'x.log': 'bad.md' })).toMatchObject({ valid: true, not_run: [] });
  expect(await tried({ 'y.log': 'bad.md' })).toMatchObject({ valid: true, not_run: ['good'] });
  for (const [wrong, step_id, named] of [
    [{ log: 'bad.md' }, null, 'x.log, y.log'],
    [{ only_x: 'bad.md' }, 'x', 'x.log'],
    [{}, 'nowhere', 'nowhere'],
  ] as const) {
    const { valid, problems } = await tried(wrong, { step_id });
    expect([valid, ...problems]).toEqual([false, expect.stringContaining(named)]);
  }
});

test('the named session is meant, or the one on top', async () => {
  verifies('JOBS-X.23');
  const lower = await running('shape');
  await lower.server.ok('start_workflow', { goal: 'g', job_name: 'demo', workflow_name: 'side' });
  const outputs = { report: 'good.md' };
  expect((await lower.tried(outputs)).valid).toBe(false);
  const named = await lower.tried(outputs, { session_id: lower.id });
  expect(named).toMatchObject({ valid: true, stack: { length: 2 } });
});
