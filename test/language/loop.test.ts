// Loops: what ends them, what does not, and who decides when no pass is left.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { asked, type Run, type RunSpec, startRun } from './entries.ts';

const CHECK = { check: { name: 'tests', run: 'sh check.sh', timeout_seconds: 5 } };
const RULES = {
  rules: [{ type: 'contains', value: 'green', message: 'It is not green' }],
  output: 'fix.report',
};
const WHEN = { when: { var: 'green' } };

const STEPS = {
  fix: {
    outputs: { report: 'file' },
    reports: { green: { type: 'boolean', description: 'Is it?', required: false } },
  },
  after: {},
};

function loop(until: unknown, more: Partial<RunSpec> & { max?: number } = {}): RunSpec {
  const { max = 3, ...rest } = more;
  return {
    entries: [{ loop: { name: 'until_green', steps: ['fix'], until, max } }, 'after'],
    steps: STEPS,
    files: { 'report.md': 'red', 'check.sh': 'echo still red; exit 1' },
    ...rest,
  };
}

const REPORT = { report: 'report.md' };

const LONG_CHECK = { check: { name: 'tests', run: 'sh check.sh', timeout_seconds: 60 } };
/** Its check runs until the test writes `go`. */
const UNTIL_GO = {
  'report.md': 'x',
  'check.sh': 'echo run >> runs.txt; while [ ! -e go ]; do sleep 0.05; done; exit 1',
};

describe('a loop until a check passes', () => {
  test('goes round with what the check said, and on when it passes', async () => {
    verifies('LANG-3');
    const run = await startRun(loop(CHECK));
    const second = await run.finish(REPORT);
    expect(second).toMatchObject({ status: 'next_step', begin_step: { step_id: 'fix' } });
    expect(second.begin_step.loop).toEqual({
      name: 'until_green',
      pass: 2,
      max: 3,
      said: 'still red',
    });
    run.project.write('check.sh', 'exit 0');
    const after = await run.finish(REPORT, { step_id: 'fix' });
    expect(after.begin_step).toMatchObject({ step_id: 'after', loop: null });
    const { history } = run.view();
    const checks = history.filter((each: { event: string }) => each.event === 'check_ran');
    expect(checks).toMatchObject([
      { step_id: 'until_green', name: 'tests', passed: false },
      { step_id: 'until_green', name: 'tests', passed: true },
    ]);
  });

  test('keeps the last 4 KiB of what it said', async () => {
    verifies('LANG-3');
    const text = 'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done; exit 125';
    const run = await startRun(loop(CHECK, { files: { 'report.md': 'x', 'check.sh': text } }));
    const { begin_step } = await run.finish(REPORT);
    expect(begin_step.loop.said).toMatch(/line 1998\nline 1999$/);
    expect(Buffer.byteLength(begin_step.loop.said)).toBeGreaterThan(4000);
    expect(Buffer.byteLength(begin_step.loop.said)).toBeLessThanOrEqual(4096);
  });

  test.each([
    ['exit 126', 'exit 126', /exit code 126$/],
    ['exit 127', 'no_such_program_at_all', /exit code 127\n.*not found/s],
    ['a signal', 'kill -9 $$', /exit code 137/],
    ['a timeout', 'sleep 30', /timed out after 1 second$/],
  ])(
    'cannot tell after %s: nothing is committed, and the same call tries again',
    async (_, script, why) => {
      verifies('LANG-3');
      const until = { check: { ...CHECK.check, timeout_seconds: 1 } };
      const run = await startRun(loop(until, { files: { 'report.md': 'x', 'check.sh': script } }));
      const { revision } = run.view();
      const refusal = await run.refused(REPORT);
      const [message, next] = refusal.split('\nNext: ');
      expect(message).toMatch(/^Loop 'until_green': cannot tell whether it is done: check 'tests'/);
      expect(message).toMatch(why);
      expect(next).toContain('make the same call again');
      expect(run.view().revision).toBe(revision);
      run.project.write('check.sh', 'exit 1');
      const { begin_step } = await run.finish(REPORT);
      expect(begin_step.loop).toMatchObject({ pass: 2 });
    },
  );

  test('runs nothing before a person has trusted it', async () => {
    verifies('LANG-3');
    const run = await startRun(loop(CHECK, { args: [] }));
    expect(await run.refused(REPORT)).toContain("Loop 'until_green' runs a command");
    expect(run.view().step_progress.fix.completed_at).toBeNull();
  });

  test('lets a long check go on while calls come and go', async () => {
    verifies('LANG-3');
    const run = await startRun(loop(LONG_CHECK, { within: 1, files: UNTIL_GO }));
    for (const _ of [1, 2]) {
      const answer = await run.finish(REPORT);
      expect(answer).toMatchObject({ status: 'needs_work', reason: 'still_running' });
    }
    const answering = run.finish(REPORT);
    run.project.write('go', '');
    expect((await answering).begin_step.loop).toMatchObject({ pass: 2 });
    expect(readFileSync(run.project.path('runs.txt'), 'utf8')).toBe('run\n');
  });

  test('reports the end of a check that no call waited for, and uses up no pass for it', async () => {
    verifies('LANG-3');
    const run = await startRun(loop(LONG_CHECK, { within: 1, files: UNTIL_GO }));
    const first = await run.finish(REPORT);
    expect(first).toMatchObject({ status: 'needs_work', reason: 'still_running' });
    run.project.write('go', '');
    await until(
      () => run.view().step_progress.fix.completed_at === null && run.view().revision > 1,
    );
    const { begin_step } = await run.finish(REPORT);
    expect(begin_step.loop).toMatchObject({ pass: 2 });
    expect(readFileSync(run.project.path('runs.txt'), 'utf8')).toBe('run\n');
  });
});

describe('a loop until rules hold', () => {
  test('goes round with the issues, and on when they hold', async () => {
    verifies('LANG-3');
    const run = await startRun(loop(RULES));
    const { begin_step } = await run.finish(REPORT);
    expect(begin_step.loop.said).toContain('It is not green');
    run.project.write('report.md', 'green at last');
    expect((await run.finish(REPORT)).begin_step.step_id).toBe('after');
  });

  test('cannot tell without the output', async () => {
    verifies('LANG-3');
    const spec = loop(RULES);
    const steps = { ...STEPS, fix: { outputs: { report: 'file?' } } };
    const run = await startRun({ ...spec, steps });
    expect(await run.refused({}, { step_id: 'fix' })).toContain(
      "Loop 'until_green': cannot tell whether it is done: fix.report was not submitted",
    );
  });

  test('cannot tell if the output lists no files', async () => {
    verifies('LANG-3');
    const steps = { ...STEPS, fix: { outputs: { report: 'files?' } } };
    const run = await startRun({ ...loop(RULES), steps });
    const { revision } = run.view();
    for (const outputs of [{ report: [] }, {}]) {
      expect(await run.refused(outputs, { step_id: 'fix' })).toContain(
        "Loop 'until_green': cannot tell whether it is done: fix.report was not submitted",
      );
    }
    expect(run.view().revision).toBe(revision);
    run.project.write('report.md', 'green');
    const { begin_step } = await run.finish({ report: ['report.md'] });
    expect(begin_step.step_id).toBe('after');
  });
});

describe('a loop until a condition holds', () => {
  test('goes round while it does not, and on when it does', async () => {
    verifies('LANG-3');
    const run = await startRun(loop(WHEN));
    const { begin_step } = await run.finish(REPORT, { context: { green: false } });
    expect(begin_step.loop).toMatchObject({ pass: 2 });
    expect(begin_step.loop.said).toContain('green is false');
    const after = await run.finish(REPORT, { context: { green: true } });
    expect(after.begin_step.step_id).toBe('after');
  });
});

async function atTheLimit(more: Partial<RunSpec> & { max?: number } = {}): Promise<Run> {
  const run = await startRun(loop(CHECK, { max: 1, ...more }));
  const answer = await run.finish(REPORT);
  expect(answer).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
  expect(answer.feedback).toContain("Loop 'until_green' is not done after 1 pass");
  return run;
}

describe('when no pass is left', () => {
  test('a person is asked, once, and can give one pass more, again and again', async () => {
    verifies('LANG-3');
    const run = await atTheLimit();
    const question = await asked(run, REPORT);
    expect(question).toBe('q-1');
    expect(await asked(run, REPORT)).toBe('q-1');
    expect((await run.person(question, '--choose', 'One pass more')).code).toBe(0);
    const second = await run.finish(REPORT);
    expect(second.begin_step.loop).toMatchObject({ pass: 2, max: 1, said: 'still red' });
    // Not yet again asks anew.
    await run.finish(REPORT, { step_id: 'fix' });
    const anew = await asked(run, REPORT);
    expect(anew).toBe('q-2');
    await run.person(anew, '--other', 'Look at the lexer');
    const third = await run.finish(REPORT);
    expect(third).toMatchObject({ status: 'next_step', feedback: 'Look at the lexer' });
    expect(third.begin_step.loop).toMatchObject({ pass: 3, said: 'Look at the lexer' });
    const active = await run.agent.ok('get_active_workflow');
    expect(active.last_feedback).toBe('Look at the lexer');
  });

  test('a person can let it go on as it is', async () => {
    verifies('LANG-3');
    const run = await atTheLimit();
    await run.person(await asked(run, REPORT), '--choose', 'Go on as it is');
    expect((await run.finish(REPORT)).begin_step.step_id).toBe('after');
  });

  test('a person can abort, and the call says so', async () => {
    verifies('LANG-3');
    const run = await atTheLimit();
    const question = await asked(run, REPORT);
    await run.person(question, '--choose', 'Abort', '--other', 'It is hopeless');
    expect(await run.refused(REPORT)).toContain('aborted: ann aborted it: It is hopeless');
    expect(run.view()).toMatchObject({ status: 'aborted', aborted_by: 'ann' });
    expect(await run.agent.ok('get_active_workflow')).toMatchObject({ active: false });
  });

  test('a question that is dismissed is asked again at the next call', async () => {
    verifies('LANG-3');
    const run = await atTheLimit();
    await run.person(await asked(run, REPORT), '--dismiss');
    expect(await asked(run, REPORT)).toBe('q-2');
  });

  test('nothing else ends the loop: no repeat, no override, no edit of the check', async () => {
    verifies('LANG-3');
    const run = await atTheLimit();
    run.project.write('check.sh', 'exit 0');
    const again = await run.finish(REPORT, { quality_review_override_reason: 'It is fine' });
    expect(again.reason).toBe('waiting_for_person');
    expect(run.view().current_step_id).toBe('fix');
  });

  test('going back closes the question and begins pass 1', async () => {
    verifies('LANG-3');
    const run = await atTheLimit();
    const question = await asked(run, REPORT);
    const { begin_step } = await run.agent.ok('go_to_step', { step_id: 'until_green' });
    expect(begin_step.loop).toMatchObject({ pass: 1, said: null });
    expect((await run.person(question, '--choose', 'Abort')).code).toBe(3);
  });
});

describe('loops in loops', () => {
  const NESTED: RunSpec = {
    entries: [
      {
        loop: {
          name: 'outer',
          steps: [
            { loop: { name: 'inner', steps: ['fix'], until: { when: { var: 'inner' } }, max: 5 } },
            ['test', 'lint'],
          ],
          until: { when: { var: 'outer' } },
          max: 2,
        },
      },
      'after',
    ],
    steps: {
      fix: { reports: { inner: { type: 'boolean', description: 'Done?' } } },
      test: { reports: { outer: { type: 'boolean', description: 'Done?' } } },
      lint: {},
      after: {},
    },
  };

  test('count their own passes, and the innermost one is shown', async () => {
    verifies('LANG-3');
    const run = await startRun(NESTED);
    const fix = (inner: boolean) => run.finish({}, { step_id: 'fix', context: { inner } });
    expect((await fix(false)).begin_step.loop).toMatchObject({ name: 'inner', pass: 2 });
    const sideBySide = await fix(true);
    expect(sideBySide.begin_step.loop).toMatchObject({ name: 'outer', pass: 1, said: null });
    await run.finish({}, { step_id: 'lint' });
    const second = await run.finish({}, { step_id: 'test', context: { outer: false } });
    expect(second.begin_step).toMatchObject({ step_id: 'fix', loop: { name: 'inner', pass: 1 } });
    await fix(true);
    await run.finish({}, { step_id: 'lint' });
    const limit = await run.finish({}, { step_id: 'test', context: { outer: false } });
    expect(limit).toMatchObject({ status: 'needs_work', reason: 'waiting_for_person' });
    await run.person(await asked(run), '--choose', 'Go on as it is');
    expect((await run.finish({})).begin_step.step_id).toBe('after');
    const passes = run
      .view()
      .history.filter((each: { step_id: string; event: string }) => each.step_id === 'fix');
    expect(passes.length).toBeGreaterThan(3);
  });

  test('are gone back into in the running pass, and into another in pass 1', async () => {
    verifies('LANG-3');
    const run = await startRun(NESTED);
    await run.finish({}, { step_id: 'fix', context: { inner: false } });
    const within = await run.agent.ok('go_to_step', { step_id: 'fix' });
    expect(within.begin_step.loop).toMatchObject({ name: 'inner', pass: 2 });
    await run.finish({}, { step_id: 'fix', context: { inner: true } });
    const outside = await run.agent.ok('go_to_step', { step_id: 'fix' });
    expect(outside.begin_step.loop).toMatchObject({ name: 'inner', pass: 1 });
  });
});
