// A workflow whose loops, lists, approvals and nested runs are edited during a run: what became
// weaker is seen, wherever the run stands when it moves on.

import { describe, expect, test } from 'vitest';
import { asked, questionIn, type Run, type RunSpec, startRun } from '../language/entries.ts';
import { type StepSpec, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

type Rule = 'agent' | 'person' | 'never';
type Entries = readonly unknown[];

const STEPS: Readonly<Record<string, StepSpec>> = {
  plan: { outputs: { list: 'file' } },
  deploy: { outputs: { log: 'file' } },
};
const SUB = { entries: ['sec'], steps: { sec: { outputs: { report: 'file' } } } };
const LIST = { list: 'list.json' };
const LOG = { log: 'log.txt' };

function started(rule: Rule, entries: Entries, more: Partial<RunSpec> = {}): Promise<Run> {
  const config = {
    git: { branch: 'off' },
    quality_gate: { overrides: rule, answer_within: 30 },
    team: { question_wait_seconds: 1 },
  };
  const files = {
    '.deepwork/config.yml': JSON.stringify(config),
    'list.json': '["a", "b"]',
    'log.txt': 'done',
  };
  return startRun({ entries, steps: STEPS, jobs: { sub: SUB }, files, ...more });
}

function edit(run: Run, entries: Entries, steps = STEPS, job = 'work'): void {
  const workflow = { name: 'main', summary: 'All of it', steps: entries };
  writeJob(run.project, job, steps, {}, { workflows: [workflow] });
}

const approve = (more: object = {}) => ({
  approve: { name: 'ok', question: 'May we?', show: ['plan.list'], ...more },
});
const until = { rules: [{ type: 'contains', value: 'x', message: 'No' }], output: 'deploy.log' };
const loop = (max: number, steps: Entries = ['deploy']) => ({
  loop: { name: 'again', steps, until, max },
});
const each = (more: object = {}) => ({
  for_each: { name: 'each', items: 'plan.list', step: 'deploy', ...more },
});
const nested = (more: object = {}) => ({
  run: { name: 'audit', job: 'sub', workflow: 'main', ...more },
});

describe('never: an edit is refused', () => {
  test.each<[string, Entries, Entries, string]>([
    [
      'that moves an approval behind the step that it guards',
      ['plan', approve(), 'deploy'],
      ['plan', 'deploy', approve()],
      'the steps are in another order',
    ],
    [
      'that rewrites the question of an approval',
      ['plan', approve(), 'deploy'],
      ['plan', approve({ question: 'Nice weather?' }), 'deploy'],
      "step 'ok': question was changed",
    ],
    [
      'that removes a nested run',
      ['plan', nested(), 'deploy'],
      ['plan', 'deploy'],
      "step 'audit': the run was removed",
    ],
    [
      'that does for no item what was to be done for each',
      ['plan', each()],
      ['plan', 'deploy'],
      "step 'each': the for_each was removed",
    ],
    [
      'that gives a loop more passes',
      ['plan', loop(1)],
      ['plan', loop(100)],
      "step 'again': max: 1 → 100",
    ],
  ])('%s', async (_what, before, after, said) => {
    const run = await started('never', before);
    edit(run, after);
    const text = await run.refused(LIST);
    expect(text).toContain('was made weaker during this run');
    expect(text).toContain(said);
    edit(run, before);
    expect((await run.finish(LIST)).warnings).toEqual([]);
  });

  test('that weakens what will be run', async () => {
    const run = await started('never', ['plan', nested(), 'deploy']);
    edit(run, ['sec'], { sec: { outputs: { report: 'file?' } } }, 'sub');
    expect(await run.refused(LIST)).toContain(
      "sub/main: step 'sec': output 'report' is no longer required",
    );
    edit(run, ['sec'], { sec: { ...SUB.steps.sec, checks: [{ name: 'c', run: 'true' }] } }, 'sub');
    expect((await run.finish(LIST)).begin_step.step_id).toBe('sec');
  });
});

describe('while a person is asked', () => {
  const BEFORE = ['plan', approve(), 'deploy'];
  const ONLY_PLAN = { plan: STEPS.plan as StepSpec };

  test('never: what comes after an approval cannot be removed', async () => {
    verifies('LANG-5');
    const run = await started('never', BEFORE);
    await run.finish(LIST);
    const question = await asked(run);
    edit(run, ['plan', approve()], ONLY_PLAN);
    expect((await run.person(question, '--choose', 'Approve')).code).toBe(0);
    expect(await run.refused({})).toContain("step 'deploy': the step was removed");
    edit(run, BEFORE);
    expect(await run.finish({})).toMatchObject({
      status: 'next_step',
      begin_step: { step_id: 'deploy' },
    });
  });

  test('agent: the answer says what was removed, and so does the history', async () => {
    verifies('LANG-5');
    const run = await started('agent', BEFORE);
    await run.finish(LIST);
    const question = await asked(run);
    edit(run, ['plan', approve()], ONLY_PLAN);
    await run.person(question, '--choose', 'Approve');
    const { status, warnings } = await run.finish({});
    expect(status).toBe('workflow_complete');
    const told = "The gate became weaker during this run: step 'deploy': the step was removed";
    expect(warnings).toEqual([expect.stringContaining('was edited during this run'), told]);
    expect(run.view().history).toContainEqual(
      expect.objectContaining({ event: 'gate_weakened', step_id: 'deploy' }),
    );
  });

  test('person: the edit is a question of its own, and a grant lets the run go on', async () => {
    verifies('LANG-5');
    const run = await started('person', BEFORE);
    await run.finish(LIST);
    const approval = await asked(run);
    edit(run, ['plan', approve()], ONLY_PLAN);
    await run.person(approval, '--choose', 'Approve');
    const question = await asked(run);
    expect(question).not.toBe(approval);
    await run.person(question, '--choose', 'Grant');
    expect((await run.finish({})).status).toBe('workflow_complete');
  });

  test('never: what comes after a loop cannot be removed', async () => {
    verifies('LANG-3');
    const steps = { ...STEPS, after: {} };
    const run = await started('never', ['plan', loop(1), 'after'], { steps });
    await run.finish(LIST);
    await run.finish(LOG);
    const question = await asked(run, LOG);
    edit(run, ['plan', loop(1)]);
    await run.person(question, '--choose', 'Go on as it is');
    expect(await run.refused(LOG)).toContain("step 'after': the step was removed");
    edit(run, ['plan', loop(1), 'after'], steps);
    expect((await run.finish(LOG)).begin_step.step_id).toBe('after');
  });
});

describe('while what it runs goes on', () => {
  const BEFORE = [nested(), 'deploy'];
  const AFTER = [nested()];
  const REPORT = { report: 'log.txt' };

  test('never: the end of that does not lead past what was removed above it', async () => {
    verifies('LANG-6');
    const run = await started('never', BEFORE);
    edit(run, AFTER, { other: {} });
    expect(await run.refused(REPORT)).toContain("step 'deploy': the step was removed");
    edit(run, BEFORE);
    expect((await run.finish(REPORT)).begin_step.step_id).toBe('deploy');
  });

  test('agent: the answer says so', async () => {
    verifies('LANG-6');
    const run = await started('agent', BEFORE);
    edit(run, AFTER, { other: {} });
    const { status, warnings } = await run.finish(REPORT);
    expect(status).toBe('workflow_complete');
    expect(warnings.join('\n')).toMatch(/was edited during this run.*the step was removed/s);
  });

  test('person: it waits for a grant, and nothing is committed before', async () => {
    verifies('LANG-6');
    const run = await started('person', BEFORE);
    edit(run, AFTER, { other: {} });
    const question = questionIn(await run.finish(REPORT));
    expect(run.view()).toMatchObject({ status: 'active' });
    await run.person(question, '--choose', 'Grant');
    expect((await run.finish(REPORT)).status).toBe('workflow_complete');
  });
});
