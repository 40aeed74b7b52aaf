// A step that is done once for each item of a list.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Connection } from '../support/connect.ts';
import type { StepSpec } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import {
  type Answered,
  asked,
  type Run,
  type RunSpec,
  startProcessRun,
  startRun,
} from './entries.ts';

interface ListSpec extends Partial<RunSpec> {
  /** Of the step that is done for each. */
  readonly step?: StepSpec;
  readonly settings?: object;
  /** The type of the output that lists them. */
  readonly type?: 'file' | 'files';
}

function each(items: unknown, { step, settings, type = 'file', ...more }: ListSpec = {}): RunSpec {
  const entry = { name: 'each_module', items: 'plan.modules', step: 'migrate', ...settings };
  return {
    entries: ['plan', { for_each: entry }, 'after'],
    steps: {
      plan: { outputs: { modules: type } },
      migrate: { outputs: { diff: 'file' }, ...step },
      after: {},
    },
    files: {
      'plan.json': typeof items === 'string' ? items : JSON.stringify(items),
      'diff.txt': 'a diff',
    },
    ...more,
  };
}

const MODULES = { modules: 'plan.json' };
const DIFF = { diff: 'diff.txt' };
const INSTRUCTIONS = '.deepwork/jobs/work/steps/migrate.md';

const item = (run: Run, index: number, outputs: unknown = DIFF) =>
  run.finish(outputs, { step_id: `migrate#${index}` });

describe('the items of a for_each', () => {
  test('are members with their own outputs, in any order', async () => {
    verifies('LANG-4', 'LANG-2');
    const third = { path: 'c', owner: '{{ item.path }}' };
    const run = await startRun(each([third, 2, 'a'], { settings: { max_parallel: 2 } }));
    run.project.write(INSTRUCTIONS, '{{item}} of {{ item.owner }}, not {{ item.nothing }}.');
    const { begin_step } = await run.finish(MODULES);
    expect(begin_step).toMatchObject({
      step_id: 'migrate#1',
      item: { index: 1, of: 3, value: third },
      concurrent_steps: [{ step_id: 'migrate#2', item: { index: 2, of: 3, value: 2 } }],
      step_instructions: expect.stringContaining(
        '{"path":"c","owner":"{{ item.path }}"} of {{ item.path }}, not {{ item.nothing }}.',
      ),
    });
    const last = await item(run, 3);
    expect(last).toMatchObject({ status: 'next_step', begin_step: { step_id: 'migrate#1' } });
    const qualified = await run.finish({ 'migrate#1.diff': 'diff.txt' });
    expect(qualified).toMatchObject({
      status: 'next_step',
      begin_step: { step_id: 'migrate#2', concurrent_steps: [] },
    });
    // The same call once more has the same answer.
    expect(await item(run, 3)).toMatchObject({ status: 'next_step' });
    expect((await item(run, 2)).begin_step.step_id).toBe('after');
    expect((await run.finish({})).all_outputs).toEqual({
      modules: 'plan.json',
      'migrate#1.diff': 'diff.txt',
      'migrate#2.diff': 'diff.txt',
      'migrate#3.diff': 'diff.txt',
    });
  });

  test('are in the environment of their checks, which fail if they are too long for it', async () => {
    verifies('LANG-2', 'LANG-4');
    const run = [
      'printf "%s\\n" "$DEEPWORK_ITEM" >> seen.txt',
      '! printenv DEEPWORK_ITEM | grep -q BAD',
    ].join('; ');
    const long = `BAD${'x'.repeat(130_000)}`;
    const checks = [{ name: 'item', run }];
    const started = await startRun(each(['x y', { n: 1 }, 'BAD', long], { step: { checks } }));
    await started.finish(MODULES);
    const answers: Answered[] = [];
    for (const index of [1, 2, 3, 4]) answers.push(await item(started, index));
    expect(answers.map(({ reason }) => reason)).toEqual([null, null, 'checks', 'checks']);
    const seen = readFileSync(started.project.path('seen.txt'), 'utf8');
    expect(seen).toBe('"x y"\n{"n":1}\n"BAD"\n');
    expect(answers.at(-1)?.feedback).toContain('DEEPWORK_ITEM');
  });

  test('may have a backslash and u0000 in their text, which is no NUL', async () => {
    const run = await startRun(each([String.raw`\u0000`]));
    const { begin_step } = await run.finish(MODULES);
    expect(begin_step.item.value).toBe(String.raw`\u0000`);
    expect(begin_step.concurrent_steps).toEqual([]);
    expect((await run.finish(DIFF)).begin_step.step_id).toBe('after');
  });

  test('of a files output are paths that no program takes for an option', async () => {
    verifies('LANG-4');
    const files = { 'b.txt': '', '-n': '', 'diff.txt': '' };
    const run = await startRun(each([], { type: 'files', files }));
    const { begin_step } = await run.finish({ modules: ['b.txt', '-n'] });
    expect(begin_step.item).toEqual({ index: 1, of: 2, value: 'b.txt' });
    expect(begin_step.concurrent_steps[0].item.value).toBe('./-n');
  });

  test('are fixed on arrival: an edit of the file changes nothing', async () => {
    verifies('LANG-4');
    const run = await startRun(each(['a', 'b']));
    await run.finish(MODULES);
    run.project.write('plan.json', '["x", "y", "z"]');
    const { begin_step } = await item(run, 1);
    expect(begin_step.item).toEqual({ index: 2, of: 2, value: 'b' });
    expect((await item(run, 2)).begin_step.step_id).toBe('after');
    // Going back reads it again, as it was handed in.
    const changed = await run.agent.call('go_to_step', { step_id: 'each_module' });
    expect(changed.data.error.code).toBe('items_changed');
    run.project.write('plan.json', '["a","b"]');
    const back = await run.agent.ok('go_to_step', { step_id: 'each_module' });
    expect(back.begin_step.item).toEqual({ index: 1, of: 2, value: 'a' });
    expect(back.invalidated_steps).toEqual(['migrate', 'after']);
    run.project.write('plan.json', '["x", "y", "z"]');
    await run.agent.ok('go_to_step', { step_id: 'plan' });
    expect((await run.finish(MODULES)).begin_step.item).toEqual({ index: 1, of: 3, value: 'x' });
  });

  test('are those that a person approved', async () => {
    verifies('LANG-4', 'LANG-5');
    const approve = { name: 'ok', question: 'These?', show: ['plan.modules'] };
    const spec = each(['staging']);
    const run = await startRun({
      ...spec,
      entries: ['plan', { approve }, 'prep', ...spec.entries.slice(1)],
      steps: { ...spec.steps, prep: {} },
    });
    await run.finish(MODULES);
    await run.person(await asked(run), '--choose', 'Approve');
    await run.finish({});
    run.project.write('plan.json', '["production"]');
    expect((await run.refusal({})).code).toBe('items_changed');
    run.project.write('plan.json', '["staging"]');
    expect((await run.finish({})).begin_step.item.value).toBe('staging');
  });

  test('fail on their own, and keep their own attempts', async () => {
    verifies('LANG-4');
    const rules = [{ type: 'contains', value: 'good', message: 'It is not good' }];
    const diff = { type: 'file', description: 'A diff', required: true, rules };
    const run = await startRun(each(['a', 'b'], { step: { outputs: { diff } } }));
    run.project.write('good.txt', 'good');
    await run.finish(MODULES);
    expect(await item(run, 1)).toMatchObject({ status: 'needs_work', reason: 'rules' });
    const second = await item(run, 2, { diff: 'good.txt' });
    expect(second).toMatchObject({ status: 'next_step', begin_step: { step_id: 'migrate#1' } });
    expect((await item(run, 1, { diff: 'good.txt' })).begin_step.step_id).toBe('after');
  });

  test('that do not exist are refused', async () => {
    verifies('LANG-4');
    const run = await startRun(each(['a', 'b']));
    await run.finish(MODULES);
    for (const index of [0, 3, 1000]) {
      const { code, next } = await run.refusal(DIFF, { step_id: `migrate#${index}` });
      expect(code).toBe('step_not_found');
      // An index that no list can have is not read as an item.
      if (index > 0) expect(next).toContain('migrate#1 or migrate#2');
    }
  });
});

describe('a list', () => {
  const BAD: readonly (readonly [string | Uint8Array, string])[] = [
    ['{"a": 1}', 'dict'],
    ['"a"', 'str'],
    ['[1, [2]]', 'item 2'],
    ['[true]', 'item 1'],
    ['no json', 'no JSON'],
    ['["a", "b", "c"]', '3 items'],
    ['["a", "b\\u0000"]', 'item 2'],
    ['[{"a": [{"b\\u0000": 1}]}]', 'item 1'],
    [Buffer.alloc(6 * 1024 * 1024, 0x20), '5 MiB'],
    [Buffer.from([0x22, 0xff, 0x22]), 'UTF-8'],
  ];

  test('that is none refuses the call that leads there, and commits nothing', async () => {
    verifies('LANG-4');
    const run = await startRun(each([], { settings: { max_items: 2 } }));
    const { revision } = run.view();
    for (const [text, why] of BAD) {
      run.project.write('plan.json', text);
      const { code, message } = await run.refusal(MODULES);
      expect(code).toBe('items_invalid');
      expect(message).toContain("'each_module'");
      expect(message).toContain(why);
      expect(run.view().revision).toBe(revision);
    }
    run.project.write('plan.json', '["a"]');
    expect((await run.finish(MODULES)).begin_step.item.of).toBe(1);
  });

  test('that is none is refused before a person is asked to approve it', async () => {
    verifies('LANG-4', 'LANG-5');
    const spec = each('{"pages": []}');
    const [plan, ...rest] = spec.entries;
    const approve = { name: 'ok', question: 'These?', show: ['plan.modules'] };
    const run = await startRun({ ...spec, entries: [plan, { approve }, ...rest] });
    const { revision } = run.view();
    expect((await run.refusal(MODULES)).code).toBe('items_invalid');
    expect(run.view().revision).toBe(revision);
    run.project.write('plan.json', '["a"]');
    expect((await run.finish(MODULES)).begin_step.step_id).toBe('ok');
  });

  test.each<[string, StepSpec, (plan: unknown) => unknown]>([
    ['whose step may be skipped', { when: { var: 'wanted' } }, (plan) => plan],
    [
      'that another pass may make anew',
      {},
      (plan) => ({
        loop: { name: 'again', steps: [plan], until: { when: { var: 'ready' } }, max: 3 },
      }),
    ],
  ])('that is none and %s is warned of', async (_what, step, around) => {
    verifies('LANG-4');
    const spec = each('{}', { step });
    const [plan, ...rest] = spec.entries;
    const run = await startRun({ ...spec, entries: [around(plan), ...rest] });
    const { status, warnings } = await run.finish(MODULES);
    expect(status).toBe('next_step');
    expect(warnings.join('\n')).toContain("'each_module'");
  });

  test('without items is skipped with a warning', async () => {
    verifies('LANG-4');
    const run = await startRun(each([]));
    const answer = await run.finish(MODULES);
    expect(answer.begin_step.step_id).toBe('after');
    expect(answer.warnings.join('\n')).toContain("'each_module'");
  });

  test('of 500 items is done by 8 claimants, each item once', async () => {
    verifies('LANG-4');
    const items = Array.from({ length: 500 }, (_, at) => `module ${at + 1}`);
    const settings = { max_items: 500, max_parallel: 32 };
    const env = { CLAUDE_CODE_SESSION_ID: 'one-client' };
    const run = await startProcessRun(each(items, { settings }), env);
    const { begin_step } = await run.finish(MODULES);
    expect(begin_step.concurrent_steps).toHaveLength(31);
    // Two on each server: every server reads what all others write, some of it in another process.
    const here = await Promise.all([1, 2, 3].map(() => run.connect()));
    const servers: Connection[] = [run.agent, ...here];
    const left = items.map((_, at) => at + 1);
    const last: Answered[] = [];
    await Promise.all(
      [...servers, ...servers].map(async (claimant) => {
        for (let index = left.shift(); index !== undefined; index = left.shift()) {
          const step_id = `migrate#${index}`;
          const answer = await claimant.ok('finished_step', { outputs: DIFF, step_id });
          expect(answer.status).toBe('next_step');
          if (answer.begin_step.step_id === 'after') last.push(answer);
        }
      }),
    );
    expect(last.length).toBeGreaterThanOrEqual(1);
    const { step_progress, current_step_id } = run.view();
    expect(current_step_id).toBe('after');
    const done = Object.keys(step_progress).filter((id) => id.startsWith('migrate#'));
    expect(done).toHaveLength(500);
  }, 240_000);
});
