// Loops: what ends them, what does not, and who decides when no pass is left.

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { asked, questionIn, type Run, type RunSpec, startRun } from './entries.ts';

const CHECK = { check: { name: 'tests', run: 'sh check.sh', timeout_seconds: 60 } };
const REPORT = { report: 'report.md' };
const reports = (name: string) => ({
  reports: { [name]: { type: 'boolean', description: 'Is it?', required: false } },
});

interface LoopSpec extends Partial<RunSpec> {
  readonly max?: number;
  readonly inside?: readonly unknown[];
}

function loop(until: unknown, { max = 3, inside = ['fix'], ...more }: LoopSpec = {}): RunSpec {
  return {
    entries: [{ loop: { name: 'until_green', steps: inside, until, max } }, 'after'],
    steps: { fix: { outputs: { report: 'file' }, ...reports('green') }, after: {} },
    files: { 'report.md': 'red', 'check.sh': 'echo still red; exit 1' },
    ...more,
  };
}

const checkedBy = (script: string) => ({ 'report.md': 'x', 'check.sh': script });

describe('a loop until a check passes', () => {
  test('goes round with what the check said, and on when it passes', async () => {
    verifies('LANG-3');
    const run = await startRun(loop(CHECK));
    const second = await run.finish(REPORT);
    expect(second).toMatchObject({
      status: 'next_step',
      begin_step: {
        step_id: 'fix',
        loop: { name: 'until_green', pass: 2, max: 3, said: 'still red' },
      },
    });
    run.project.write('check.sh', 'exit 0');
    const after = await run.finish(REPORT, { step_id: 'fix' });
    expect(after.begin_step).toMatchObject({ step_id: 'after', loop: null });
    expect(run.events('check_ran')).toMatchObject([
      { step_id: 'until_green', name: 'tests', passed: false },
      { step_id: 'until_green', name: 'tests', passed: true },
    ]);
  });

  test('keeps the last 4 KiB of what it said', async () => {
    verifies('LANG-3');
    const text = 'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done; exit 125';
    const run = await startRun(loop(CHECK, { files: checkedBy(text) }));
    const { said } = (await run.finish(REPORT)).begin_step.loop;
    expect(said).toMatch(/line 1998\nline 1999$/);
    expect(Buffer.byteLength(said)).toBeGreaterThan(4000);
    expect(Buffer.byteLength(said)).toBeLessThanOrEqual(4096);
  });

  test('cannot tell after what is no verdict: nothing is committed, and the same call tries again', async () => {
    verifies('LANG-3');
    const until = { check: { ...CHECK.check, timeout_seconds: 1 } };
    const run = await startRun(loop(until));
    const { revision } = run.view();
    for (const script of ['exit 126', 'no_such_program_at_all', 'kill -9 $$', 'sleep 30']) {
      run.project.write('check.sh', script);
      expect((await run.refusal(REPORT)).code, script).toBe('loop_undecided');
      expect(run.view().revision).toBe(revision);
    }
    run.project.write('check.sh', 'exit 1');
    expect((await run.finish(REPORT)).begin_step.loop).toMatchObject({ pass: 2 });
  });

  test('runs nothing before a person has trusted it', async () => {
    verifies('LANG-3');
    const run = await startRun(loop(CHECK, { args: [], files: checkedBy('touch ran') }));
    expect((await run.refusal(REPORT)).code).toBe('workspace_untrusted');
    expect(existsSync(run.project.path('ran'))).toBe(false);
    expect(run.view().step_progress.fix.completed_at).toBeNull();
  });
});

describe('a loop until rules hold', () => {
  const RULES = {
    rules: [{ type: 'contains', value: 'green', message: 'It is not green' }],
    output: 'fix.report',
  };

  test('goes round with the issues, and on when they hold', async () => {
    verifies('LANG-3');
    const run = await startRun(loop(RULES));
    expect((await run.finish(REPORT)).begin_step.loop.said).toContain('It is not green');
    run.project.write('report.md', 'green at last');
    expect((await run.finish(REPORT)).begin_step.step_id).toBe('after');
  });

  test.each<[string, readonly unknown[], unknown]>([
    ['file?', [{}], 'report.md'],
    ['files?', [{ report: [] }, {}], ['report.md']],
  ])('cannot tell without a file of the output (%s)', async (type, without, report) => {
    verifies('LANG-3');
    const steps = { fix: { outputs: { report: type } }, after: {} };
    const run = await startRun(loop(RULES, { steps }));
    const { revision } = run.view();
    for (const outputs of without) {
      const { code, message } = await run.refusal(outputs, { step_id: 'fix' });
      expect([code, message.includes('fix.report')]).toEqual(['loop_undecided', true]);
    }
    expect(run.view().revision).toBe(revision);
    run.project.write('report.md', 'green');
    expect((await run.finish({ report })).begin_step.step_id).toBe('after');
  });
});

test('a loop until a condition holds goes round while it does not, and on when it does', async () => {
  verifies('LANG-3');
  const run = await startRun(loop({ when: { var: 'green' } }));
  const { begin_step } = await run.finish(REPORT, { context: { green: false } });
  expect(begin_step.loop).toMatchObject({ pass: 2, said: expect.stringContaining('green') });
  const after = await run.finish(REPORT, { context: { green: true } });
  expect(after.begin_step.step_id).toBe('after');
});

async function atTheLimit(): Promise<Run> {
  const run = await startRun(loop(CHECK, { max: 1 }));
  expect((await run.finish(REPORT)).reason).toBe('waiting_for_person');
  expect(await asked(run, REPORT)).toBe('q-1');
  return run;
}

describe('when no pass is left', () => {
  test('a person is asked, once, and can give one pass more, again and again', async () => {
    verifies('LANG-3');
    const run = await atTheLimit();
    expect(await asked(run, REPORT)).toBe('q-1');
    expect((await run.person('q-1', '--choose', 'One pass more')).code).toBe(0);
    const second = await run.finish(REPORT);
    expect(second.begin_step.loop).toMatchObject({ pass: 2, max: 1, said: 'still red' });
    // Not yet again asks anew.
    await run.finish(REPORT, { step_id: 'fix' });
    expect(await asked(run, REPORT)).toBe('q-2');
    const words = 'Look at the lexer';
    await run.person('q-2', '--other', words);
    const third = await run.finish(REPORT);
    expect(third).toMatchObject({ status: 'next_step', feedback: words });
    expect(third.begin_step.loop).toMatchObject({ pass: 3, said: words });
    expect((await run.agent.ok('get_active_workflow')).last_feedback).toBe(words);
  });

  test('a person can let it go on as it is; a question they dismiss is asked again', async () => {
    verifies('LANG-3');
    const run = await atTheLimit();
    await run.person('q-1', '--dismiss');
    expect(await asked(run, REPORT)).toBe('q-2');
    await run.person('q-2', '--choose', 'Go on as it is');
    expect((await run.finish(REPORT)).begin_step.step_id).toBe('after');
  });

  test('a person can abort, and the call says so', async () => {
    verifies('LANG-3');
    const run = await atTheLimit();
    await run.person('q-1', '--choose', 'Abort', '--other', 'It is hopeless');
    const { message, next } = await run.refusal(REPORT);
    expect(`${message} ${next}`).toMatch(/ann.*It is hopeless/);
    expect(run.view()).toMatchObject({ status: 'aborted', aborted_by: 'ann' });
    expect(await run.agent.ok('get_active_workflow')).toMatchObject({ active: false });
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
    const { begin_step } = await run.agent.ok('go_to_step', { step_id: 'until_green' });
    expect(begin_step.loop).toMatchObject({ pass: 1, said: null });
    expect((await run.person('q-1', '--choose', 'Abort')).code).toBe(3);
  });
});

describe('loops in loops', () => {
  const inner = {
    loop: { name: 'inner', steps: ['fix'], until: { when: { var: 'inner' } }, max: 5 },
  };
  const NESTED = loop(
    { when: { var: 'outer' } },
    {
      inside: [inner, ['test', 'lint']],
      max: 2,
      steps: { fix: reports('inner'), test: reports('outer'), lint: {}, after: {} },
    },
  );

  test('count their own passes, the innermost one is shown, and is gone back into', async () => {
    verifies('LANG-3');
    const run = await startRun(NESTED);
    const fix = (value: boolean) => run.finish({}, { step_id: 'fix', context: { inner: value } });
    const goToFix = async () =>
      (await run.agent.ok('go_to_step', { step_id: 'fix' })).begin_step.loop;
    const test = () => run.finish({}, { step_id: 'test', context: { outer: false } });
    expect((await fix(false)).begin_step.loop).toMatchObject({ name: 'inner', pass: 2 });
    // Within the running pass; from outside it is pass 1.
    expect(await goToFix()).toMatchObject({ name: 'inner', pass: 2 });
    const sideBySide = await fix(true);
    expect(sideBySide.begin_step.loop).toMatchObject({ name: 'until_green', pass: 1, said: null });
    expect(await goToFix()).toMatchObject({ name: 'inner', pass: 1 });
    await fix(true);
    await run.finish({}, { step_id: 'lint' });
    const second = await test();
    expect(second.begin_step).toMatchObject({ step_id: 'fix', loop: { name: 'inner', pass: 1 } });
    await fix(true);
    await run.finish({}, { step_id: 'lint' });
    expect((await test()).reason).toBe('waiting_for_person');
    await run.person(await asked(run), '--choose', 'Go on as it is');
    expect((await run.finish({})).begin_step.step_id).toBe('after');
  });
});

describe('a check that ends when no call waits for it', () => {
  /** It goes on until the file `go` is there, and is not satisfied then. */
  const FILES = checkedBy('echo run >> runs.txt; while [ ! -e go ]; do sleep 0.05; done; exit 1');
  const slow = (...inside: readonly unknown[]): RunSpec =>
    loop(CHECK, { max: 5, inside: ['fix', ...inside], files: FILES, within: 1 });
  const APPROVE = { approve: { name: 'look_at', question: 'Good?', show: ['fix.report'] } };
  const SUB = { run: { name: 'sub', job: 'other', workflow: 'main' } };

  /** The equal call asks for the outcome, and is never taken as the work of the next pass. */
  async function tellsOnce(run: Run, outputs: unknown, call = {}): Promise<void> {
    expect(await run.finish(outputs, call)).toMatchObject({ reason: 'still_running' });
    await until(() => existsSync(run.project.path('runs.txt')));
    run.project.write('go', '');
    await until(() => run.events('loop_judged').length > 0);
    const { begin_step } = await run.finish(outputs, call);
    expect(begin_step).toMatchObject({ step_id: 'fix', loop: { pass: 2 } });
    expect(run.view().step_progress.fix.completed_at).toBeNull();
    expect(readFileSync(run.project.path('runs.txt'), 'utf8')).toBe('run\n');
  }

  test.each([
    ['that names its step', { step_id: 'fix' }],
    ['that names none', {}],
  ])('a call %s gets its outcome', async (_what, call) => {
    verifies('LANG-3');
    const run = await startRun(slow());
    // Calls come and go.
    expect(await run.finish(REPORT, call)).toMatchObject({ reason: 'still_running' });
    await tellsOnce(run, REPORT, call);
    // Once it was told, the call that names the step means the pass that is open.
    const named = await run.finish(REPORT, { step_id: 'fix' });
    expect(named.begin_step.loop).toMatchObject({ pass: 3 });
  });

  test('a call that waited for a person gets what the answer has led to', async () => {
    verifies('LANG-3', 'LANG-5');
    const run = await startRun(slow(APPROVE));
    await run.finish(REPORT);
    await run.person(questionIn(await run.finish({})), '--choose', 'Approve');
    await tellsOnce(run, {});
  });

  test('a call that ended a nested run gets the next pass of the loop around it', async () => {
    verifies('LANG-3', 'LANG-6');
    const jobs = { other: { entries: ['note'], steps: { note: {} } } };
    const run = await startRun({ ...slow(SUB), jobs });
    expect((await run.finish(REPORT)).begin_step.step_id).toBe('note');
    await tellsOnce(run, {});
  });
});
