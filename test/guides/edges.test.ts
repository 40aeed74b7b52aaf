// Edges of reading workflow files: what is counted, what is named by which id, and what is not
// reported twice.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { verifies } from '../verifies.ts';
import { FOLDER, guideProject, step, workflow } from './guide-project.ts';
import { openGuides } from './ways.ts';

test('a duplicate id counts as a problem also where a hundred others are shown already', async () => {
  verifies('GUIDE-8');
  const guidance = Array.from({ length: 100 }, (_, at) => at);
  const project = guideProject({
    'a-first': workflow({ id: 'twice' }),
    'b-second': workflow({ id: 'twice', steps: [step({ guidance })] }),
  });
  const { stdout } = await command(['lint', FOLDER], { cwd: project.root });
  expect(stdout).toContain('101 problems');
});

test('a broken workflow is known by its id up to 256 characters, else by its file', async () => {
  verifies('GUIDE-10');
  const [known, tooLong] = ['a'.repeat(256), 'b'.repeat(257)];
  const { ok } = await openGuides(
    guideProject({ one: workflow({ id: known }), two: workflow({ id: tooLong }) }),
  );
  const { errors } = await ok('workflow_list');
  expect(errors.map(({ id }: { id: string }) => id)).toEqual([known, 'two']);
});

test('steps without an id are not said to have the same id', async () => {
  verifies('GUIDE-8');
  const unnamed = { title: 'T', prompt: 'Do.' };
  const { ok } = await openGuides(
    guideProject({ unnamed: workflow({ id: 'unnamed', steps: [unnamed, unnamed] }) }),
  );
  const { errors } = await ok('workflow_list');
  expect(
    errors[0].problems.map(({ path, message }: { path: string; message: string }) => [
      path,
      message,
    ]),
  ).toEqual([
    ['/steps/0', 'Missing field: id'],
    ['/steps/1', 'Missing field: id'],
  ]);
});

test('the schemas of all steps together are counted, not those of each', async () => {
  verifies('GUIDE-7');
  const validationCriteria = Array.from({ length: 101 }, () => ({
    type: 'schema',
    schema: { type: 'object' },
    message: 'm',
  }));
  const steps = ['first', 'second'].map((id) => step({ id, validationCriteria }));
  const { fails } = await openGuides(guideProject({ many: workflow({ id: 'many', steps }) }));
  const { data } = await fails('workflow_get', { id: 'many' });
  expect(data.problems).toEqual([
    expect.objectContaining({
      path: '/steps/1/validationCriteria',
      message: 'More than 200 schema rules in one workflow',
    }),
  ]);
});

test('facts that only a rule of the next step asks for are named as missing', async () => {
  const rule = { type: 'contains', value: 'x', message: 'm' };
  const validationCriteria = [{ ...rule, condition: { var: 'audience', equals: 'public' } }];
  const steps = [step({ validationCriteria }), step({ id: 'second' })];
  const { ok } = await openGuides(guideProject({ facts: workflow({ id: 'facts', steps }) }));
  const next = (completedSteps: string[], context = {}) =>
    ok('workflow_next', { workflowId: 'facts', completedSteps, context });
  expect((await next([])).missingContext).toEqual(['audience']);
  expect((await next([], { audience: 'all' })).missingContext).toBeUndefined();
  expect((await next(['first'])).missingContext).toBeUndefined();
});

test('ten thousand completed steps may be named, and no more', async () => {
  const { ok, fails } = await openGuides(guideProject({ demo: workflow() }));
  const completed = (count: number) => ({
    workflowId: 'demo',
    completedSteps: Array.from({ length: count }, () => 'first'),
  });
  expect(await ok('workflow_next', completed(10_000))).toMatchObject({ isComplete: true });
  expect(await fails('workflow_next', completed(10_001))).toMatchObject({
    code: -32602,
    data: { field: 'completedSteps', reason: 'has more than 10000 entries' },
  });
});
