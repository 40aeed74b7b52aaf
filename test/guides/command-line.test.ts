// Guides from a terminal: the same tools through `deepwork call`, and their files through
// `deepwork lint`.

import { describe, expect, test } from 'vitest';
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
  const env = { HOME: project.root };
  return {
    project,
    run: (...args: string[]) => command(args, { cwd: project.root, env }),
    async call(...args: string[]) {
      const { code, stdout } = await command(['call', ...args], { cwd: project.root, env });
      return { code, data: JSON.parse(stdout) };
    },
  };
}

describe('deepwork call', () => {
  test.each([
    ['commas', ['--completedSteps', 'one,two']],
    ['commas and blanks', ['--completedSteps', ' one, two ,']],
    ['flag by flag', ['--completedSteps', 'one', '--completedSteps=two']],
    ['JSON', ['--completedSteps', '["one","two"]']],
    ['both', ['--completedSteps', '["one"]', '--completedSteps', 'two']],
  ])('takes a list with %s', async (_how, args) => {
    verifies('GUIDE-1');
    const { call } = demo();
    const { code, data } = await call('workflow_next', '--workflowId', 'demo', ...args);
    expect(data.warnings).toBeUndefined();
    expect([code, data.step.id]).toEqual([0, 'three']);
  });

  test('takes an empty list, and a map with numbers', async () => {
    verifies('GUIDE-1');
    const { call } = demo();
    const next = ['workflow_next', '--workflowId', 'demo', '--completedSteps'];
    expect((await call(...next, '')).data.step.id).toBe('one');
    const sized = async (...context: string[]) =>
      (await call(...next, 'one', ...context)).data.step.id;
    expect(await sized()).toBe('three');
    expect(await sized('--context', 'size=2')).toBe('two');
    expect(await sized('--context', 'other=text', '--context', 'size=1')).toBe('three');
    expect(await sized('--context', '{"size": 3}')).toBe('two');
    expect(await sized('--context', 'size="2"')).toBe('three');
  });

  test('a failure names the next move beside the JSON, which is that of the direct method', async () => {
    verifies('GUIDE-1');
    const { run } = demo();
    const failed = await run(
      'call',
      'workflow_next',
      '--workflowId',
      'dem',
      '--completedSteps',
      '',
    );
    expect(JSON.parse(failed.stdout).error).not.toHaveProperty('next');
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Next: did you mean 'demo'/),
    });
  });

  test('fails with an exit code, and names what it is about', async () => {
    verifies('GUIDE-1', 'GUIDE-3');
    const { call, run } = demo();
    const validate = ['workflow_validate', '--workflowId', 'demo', '--stepId', 'three', '--output'];
    expect(await call(...validate, 'x')).toMatchObject({ code: 0, data: { valid: true } });
    expect(await call(...validate, 'y')).toMatchObject({ code: 1, data: { issues: ['Say x'] } });
    expect(await call('workflow_get', '--id', 'ghost')).toEqual({
      code: 1,
      data: {
        error: { code: -32001, message: 'Workflow not found', data: { workflowId: 'ghost' } },
      },
    });
    expect((await run('call', 'workflow_next', '--context', 'size')).code).toBe(2);
    const { stdout } = await run('call', 'workflow_next', '--help');
    const words = stdout.replace(/\s+/g, ' ');
    expect(words).toMatch(/--completedSteps required; [^-]*; a,b,… or JSON; may be repeated /);
  });
});

describe('deepwork lint', () => {
  test('checks guides with jobs, a file, a folder or a project', async () => {
    verifies('GUIDE-8');
    const { project, run } = demo();
    expect((await run('lint')).stdout).toBe(
      '0 jobs and 1 guide of this project, 1 job and 3 guides bundled: 0 problems, 0 warnings\n',
    );
    const bad = `${FOLDER}/bad.json`;
    project.write(bad, '{\n  "id": "bad",\n  "category": "",\n  "steps": []\n}');
    const problems = [
      `${bad}:3:15: problem: "category" must have 1 to 64 characters, got 0`,
      `${bad}:4:12: problem: "steps" must be an array of one step or more, got none`,
    ];
    for (const [args, checked] of [
      [[], '0 jobs and 2 guides of this project, 1 job and 3 guides bundled'],
      [['.'], '0 jobs and 2 guides checked'],
      [[FOLDER], '0 jobs and 2 guides checked'],
      [[bad], '0 jobs and 1 guide checked'],
    ] as const) {
      const { code, stdout } = await run('lint', ...args);
      expect(code).toBe(1);
      for (const problem of problems) expect(stdout).toContain(`${problem}\n`);
      expect(stdout).toMatch(new RegExp(`^${checked}: 4 problems, 1 warning$`, 'm'));
    }
    expect((await run('lint', `${FOLDER}/demo.json`)).code).toBe(0);
  });
});
