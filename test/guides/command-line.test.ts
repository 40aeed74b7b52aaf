// Guides from a terminal: the same tools through `deepwork call`, and their files through
// `deepwork lint`.

import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { verifies } from '../verifies.ts';
import { FOLDER, guideProject, step, workflow } from './guide-project.ts';

const STEPS = [
  step({ id: 'one' }),
  step({ id: 'two', runCondition: { var: 'size', gte: 2 } }),
  step({ id: 'three', validationCriteria: { type: 'contains', value: 'x', message: 'Say x' } }),
];

function demo() {
  const project = guideProject({ demo: workflow({ steps: STEPS }) });
  const run = (...args: string[]) =>
    command(args, { cwd: project.root, env: { HOME: project.root } });
  return {
    project,
    run,
    async call(...args: string[]) {
      const { code, stdout, stderr } = await run('call', ...args);
      return { code, data: JSON.parse(stdout), stderr };
    },
    /** The step that comes next. */
    async next(...args: string[]) {
      const { code, stdout } = await run('call', 'workflow_next', '--workflowId', 'demo', ...args);
      const data = JSON.parse(stdout);
      return code === 0 && data.warnings === undefined ? data.step.id : data;
    },
  };
}

test('`deepwork call` takes lists and maps in every usual notation', async () => {
  verifies('GUIDE-1');
  const { next } = demo();
  const done = '--completedSteps';
  for (const [args, id] of [
    [[done, 'one,two'], 'three'],
    [[done, ' one, two ,'], 'three'],
    [[done, 'one', `${done}=two`], 'three'],
    [[done, '["one","two"]'], 'three'],
    [[done, '["one"]', done, 'two'], 'three'],
    [[done, ''], 'one'],
    [[done, 'one', '--context', 'size=2'], 'two'],
    [[done, 'one', '--context', 'other=text', '--context', 'size=1'], 'three'],
    [[done, 'one', '--context', '{"size": 3}'], 'two'],
    [[done, 'one', '--context', 'size="2"'], 'three'],
  ] as const) {
    expect(await next(...args), args.join(' ')).toBe(id);
  }
});

test('`deepwork call` fails with an exit code, with the next move beside the JSON of the method', async () => {
  verifies('GUIDE-1', 'GUIDE-3');
  const { call, run } = demo();
  const validate = ['workflow_validate', '--workflowId', 'demo', '--stepId', 'three', '--output'];
  expect(await call(...validate, 'x')).toMatchObject({ code: 0, data: { valid: true } });
  expect(await call(...validate, 'y')).toMatchObject({ code: 1, data: { issues: ['Say x'] } });
  expect(await call('workflow_get', '--id', 'dem')).toEqual({
    code: 1,
    data: { error: { code: -32001, message: 'Workflow not found', data: { workflowId: 'dem' } } },
    stderr: expect.stringMatching(/^Next: .*'demo'/),
  });
  expect((await run('call', 'workflow_next', '--context', 'size')).code).toBe(2);
  expect((await run('call', 'workflow_next', '--help')).stdout).toContain('--completedSteps');
});

test('`deepwork lint` checks guides with jobs, a file, a folder or a project', async () => {
  verifies('GUIDE-8');
  const { project, run } = demo();
  expect((await run('lint')).code).toBe(0);
  const bad = `${FOLDER}/bad.json`;
  project.write(bad, '{\n  "id": "bad",\n  "category": "",\n  "steps": []\n}');
  const { name, ...without } = workflow({ id: 'misspelt' });
  project.write(`${FOLDER}/misspelt.json`, JSON.stringify({ ...without, nmae: name }));
  for (const args of [[], ['.'], [FOLDER], [bad]]) {
    const { code, stdout } = await run('lint', ...args);
    expect(code).toBe(1);
    for (const place of [`${bad}:3:15: problem: `, `${bad}:4:12: problem: `]) {
      expect(stdout).toContain(place);
    }
    expect(stdout.includes("did you mean 'name'?")).toBe(!args.includes(bad));
  }
  expect((await run('lint', `${FOLDER}/demo.json`)).code).toBe(0);
});
