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

const PLAN = { plan: { outputs: { modules: 'file' } }, after: {} };

function each(items: unknown, more: Partial<RunSpec> & { [key: string]: unknown } = {}): RunSpec {
  const { step = {}, settings = {}, ...rest } = more;
  const entry = { name: 'each_module', items: 'plan.modules', step: 'migrate' };
  return {
    entries: ['plan', { for_each: { ...entry, ...(settings as object) } }, 'after'],
    steps: { ...PLAN, migrate: { outputs: { diff: 'file' }, ...(step as object) } },
    files: {
      'plan.json': typeof items === 'string' ? items : JSON.stringify(items),
      'diff.txt': 'a diff',
    },
    ...rest,
  };
}

const MODULES = { modules: 'plan.json' };
const DIFF = { diff: 'diff.txt' };

const item = (run: Run, index: number, outputs: unknown = DIFF) =>
  run.finish(outputs, { step_id: `migrate#${index}` });

describe('the items of a for_each', () => {
  test('are members with their own outputs, in any order', async () => {
    verifies('LANG-4');
    const spec = each(['a', 2, { path: 'c', owner: 'ann' }], { settings: { max_parallel: 2 } });
    const run = await startRun(spec);
    run.project.write(
      '.deepwork/jobs/work/steps/migrate.md',
      'Migrate {{ item }} of {{ item.owner }}, not {{ item.nothing }}.',
    );
    const { begin_step } = await run.finish(MODULES);
    expect(begin_step).toMatchObject({
      step_id: 'migrate#1',
      item: { index: 1, of: 3, value: 'a' },
      concurrent_steps: [{ step_id: 'migrate#2', item: { index: 2, of: 3, value: 2 } }],
    });
    expect(begin_step.step_instructions).toMatch(/^Migrate a of \{\{ item\.owner \}\}/);
    const third = await item(run, 3);
    expect(third).toMatchObject({ status: 'next_step', begin_step: { step_id: 'migrate#1' } });
    const qualified = await run.finish({ 'migrate#1.diff': 'diff.txt' });
    expect(qualified).toMatchObject({ status: 'next_step', begin_step: { step_id: 'migrate#2' } });
    expect(qualified.begin_step.concurrent_steps).toEqual([]);
    // The same call once more has the same answer.
    expect(await item(run, 3)).toMatchObject({ status: 'next_step' });
    expect((await item(run, 2)).begin_step.step_id).toBe('after');
    const done = await run.finish({});
    expect(done.all_outputs).toEqual({
      modules: 'plan.json',
      'migrate#1.diff': 'diff.txt',
      'migrate#2.diff': 'diff.txt',
      'migrate#3.diff': 'diff.txt',
    });
  });

  test('of an object are its JSON, or its members, in instructions', async () => {
    verifies('LANG-2', 'LANG-4');
    const run = await startRun(each([{ path: 'c', owner: '{{ item.path }}' }]));
    run.project.write('.deepwork/jobs/work/steps/migrate.md', '{{item}} by {{ item.owner }}\n');
    const { begin_step } = await run.finish(MODULES);
    expect(begin_step.step_instructions).toBe(
      '{"path":"c","owner":"{{ item.path }}"} by {{ item.path }}\n',
    );
  });

  test('are in the environment of their checks', async () => {
    verifies('LANG-2', 'LANG-4');
    const checks = [{ name: 'item', run: 'printf "%s\\n" "$DEEPWORK_ITEM" >> seen.txt' }];
    const run = await startRun(each(['x y', { n: 1 }], { step: { checks } }));
    await run.finish(MODULES);
    await item(run, 1);
    await item(run, 2);
    expect(readFileSync(run.project.path('seen.txt'), 'utf8')).toBe('"x y"\n{"n":1}\n');
  });

  test('fail their check if they are too long to be given to it', async () => {
    verifies('LANG-2', 'LANG-4');
    const checks = [{ name: 'item', run: '! printenv DEEPWORK_ITEM | grep -q BAD' }];
    const long = `BAD${'x'.repeat(130_000)}`;
    const run = await startRun(each(['BAD', long, 'good'], { step: { checks } }));
    await run.finish(MODULES);
    expect(await item(run, 1)).toMatchObject({ status: 'needs_work', reason: 'checks' });
    const hidden = await item(run, 2);
    expect(hidden).toMatchObject({ status: 'needs_work', reason: 'checks' });
    expect(hidden.feedback).toMatch(/DEEPWORK_ITEM would be 130005 bytes long.*Call go_to_step/);
    expect(await item(run, 3)).toMatchObject({ status: 'next_step' });
  });

  test('may have a backslash and u0000 in their text, which is no NUL', async () => {
    const run = await startRun(each([String.raw`\u0000`]));
    expect((await run.finish(MODULES)).begin_step.item.value).toBe(String.raw`\u0000`);
  });

  test('of a files output are paths that no program takes for an option', async () => {
    verifies('LANG-4');
    const spec = each([]);
    const steps = { ...spec.steps, plan: { outputs: { modules: 'files' } } };
    const run = await startRun({ ...spec, steps, files: { '-n': '', 'diff.txt': '' } });
    const { begin_step } = await run.finish({ modules: ['-n'] });
    expect(begin_step.item.value).toBe('./-n');
  });

  test('are the paths of a files output', async () => {
    verifies('LANG-4');
    const spec = each([]);
    const steps = { ...spec.steps, plan: { outputs: { modules: 'files' } } };
    const files = { 'b.txt': '', 'a.txt': '', 'diff.txt': '' };
    const run = await startRun({ ...spec, steps, files });
    const { begin_step } = await run.finish({ modules: ['b.txt', 'a.txt'] });
    expect(begin_step.item).toEqual({ index: 1, of: 2, value: 'b.txt' });
    expect(begin_step.concurrent_steps[0].item.value).toBe('a.txt');
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
    const changed = await run.agent.refused('go_to_step', { step_id: 'each_module' });
    expect(changed.split('\n')[0]).toBe(
      "for_each 'each_module': plan.json was changed after it was submitted",
    );
    expect(changed).toContain("\nNext: call go_to_step with step 'plan' to submit it again");
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
    const spec = each(['staging']);
    const approve = { name: 'ok', question: 'These?', show: ['plan.modules'] };
    const run = await startRun({
      ...spec,
      entries: ['plan', { approve }, 'prep', ...spec.entries.slice(1)],
      steps: { ...PLAN, prep: {}, migrate: { outputs: { diff: 'file' } } },
    });
    await run.finish(MODULES);
    await run.person(await asked(run), '--choose', 'Approve');
    await run.finish({});
    run.project.write('plan.json', '["production"]');
    expect(await run.refused({})).toContain('plan.json was changed after it was submitted');
    run.project.write('plan.json', '["staging"]');
    expect((await run.finish({})).begin_step.item.value).toBe('staging');
  });

  test('fail on their own, and keep their own attempts', async () => {
    verifies('LANG-4');
    const diff = {
      type: 'file',
      description: 'A diff',
      required: true,
      rules: [{ type: 'contains', value: 'good', message: 'It is not good' }],
    };
    const run = await startRun(each(['a', 'b'], { step: { outputs: { diff } } }));
    run.project.write('good.txt', 'good');
    await run.finish(MODULES);
    const failed = await item(run, 1);
    expect(failed).toMatchObject({ status: 'needs_work', reason: 'rules' });
    const second = await item(run, 2, { diff: 'good.txt' });
    expect(second).toMatchObject({ status: 'next_step', begin_step: { step_id: 'migrate#1' } });
    expect((await item(run, 1, { diff: 'good.txt' })).begin_step.step_id).toBe('after');
  });

  test('that do not exist are refused', async () => {
    verifies('LANG-4');
    const run = await startRun(each(['a', 'b']));
    await run.finish(MODULES);
    for (const index of [0, 3, 1000]) {
      const text = await run.refused(DIFF, { step_id: `migrate#${index}` });
      expect(text).toContain(`Step 'migrate#${index}' not found in workflow 'main'`);
      // An index that no list can have is not read as an item.
      if (index > 0) expect(text).toContain('Next: there are 2 items: use migrate#1 or migrate#2.');
    }
  });
});

describe('a list', () => {
  test.each([
    ['{"a": 1}', 'plan.json must be a JSON array, got dict'],
    ['"a"', 'plan.json must be a JSON array, got str'],
    ['[1, [2]]', 'plan.json must list strings, numbers or objects; item 2 is list'],
    ['[true]', 'plan.json must list strings, numbers or objects; item 1 is bool'],
    ['no json', 'plan.json must be a JSON array, got no JSON'],
    ['["a", "b", "c"]', 'plan.json has 3 items, at most 2 are allowed'],
    ['["a", "b\\u0000"]', 'plan.json must list items without NUL characters; item 2 has one'],
    [
      '[{"a": [{"b\\u0000": 1}]}]',
      'plan.json must list items without NUL characters; item 1 has one',
    ],
  ])('that is %s refuses the call that leads there, and commits nothing', async (text, why) => {
    verifies('LANG-4');
    const run = await startRun(each(text, { settings: { max_items: 2 } }));
    const { revision } = run.view();
    const refusal = await run.refused(MODULES);
    expect(refusal.split('\n')[0]).toBe(`for_each 'each_module': ${why}`);
    expect(refusal).toContain('\nNext: ');
    expect(run.view().revision).toBe(revision);
    run.project.write('plan.json', '["a"]');
    expect((await run.finish(MODULES)).begin_step.item.of).toBe(1);
  });

  const APPROVE = { approve: { name: 'ok', question: 'These?', show: ['plan.modules'] } };

  test('that is none is refused before a person is asked to approve it', async () => {
    verifies('LANG-4', 'LANG-5');
    const spec = each('{"pages": []}');
    const [plan, ...rest] = spec.entries;
    const run = await startRun({ ...spec, entries: [plan, APPROVE, ...rest] });
    const { revision } = run.view();
    const refusal = await run.refused(MODULES);
    expect(refusal.split('\n')[0]).toBe(
      "for_each 'each_module': plan.json must be a JSON array, got dict",
    );
    expect(run.view().revision).toBe(revision);
    run.project.write('plan.json', '["a"]');
    expect((await run.finish(MODULES)).begin_step.step_id).toBe('ok');
  });

  test.each<[string, Partial<StepSpec>, (entries: readonly unknown[]) => unknown[]]>([
    ['whose step may be skipped', { when: { var: 'wanted' } }, (entries) => [...entries]],
    [
      'that another pass may make anew',
      {},
      ([plan, ...rest]) => [
        { loop: { name: 'again', steps: [plan], until: { when: { var: 'ready' } }, max: 3 } },
        ...rest,
      ],
    ],
  ])('that is none and %s is warned of', async (_what, step, around) => {
    verifies('LANG-4');
    const spec = each('{}', { step });
    const run = await startRun({ ...spec, entries: around(spec.entries) });
    const { status, warnings } = await run.finish(MODULES);
    expect(status).toBe('next_step');
    expect(warnings.join('\n')).toContain(
      "for_each 'each_module': plan.json must be a JSON array, got dict",
    );
  });

  test('that is too large, or no text, is not read', async () => {
    verifies('LANG-4');
    const run = await startRun(each('[]'));
    run.project.write('plan.json', Buffer.alloc(6 * 1024 * 1024, 0x20));
    expect(await run.refused(MODULES)).toContain('it is larger than 5 MiB');
    run.project.write('plan.json', Buffer.from([0x22, 0xff, 0x22]));
    expect(await run.refused(MODULES)).toContain('it is not UTF-8 text');
  });

  test('without items is skipped with a warning', async () => {
    verifies('LANG-4');
    const run = await startRun(each([]));
    const answer = await run.finish(MODULES);
    expect(answer.begin_step.step_id).toBe('after');
    expect(answer.warnings.join('\n')).toContain(
      "'each_module' was skipped: plan.modules lists no items.",
    );
  });

  test('of one item has no concurrent steps', async () => {
    verifies('LANG-4');
    const run = await startRun(each(['only']));
    const { begin_step } = await run.finish(MODULES);
    expect(begin_step.concurrent_steps).toEqual([]);
    expect((await run.finish(DIFF)).begin_step.step_id).toBe('after');
  });

  test('of 500 items is done by 8 claimants, each item once', async () => {
    verifies('LANG-4');
    const items = Array.from({ length: 500 }, (_, at) => `module ${at + 1}`);
    const run = await startProcessRun(
      each(items, { settings: { max_items: 500, max_parallel: 32 } }),
      { CLAUDE_CODE_SESSION_ID: 'one-client' },
    );
    const { begin_step } = await run.finish(MODULES);
    expect(begin_step.concurrent_steps).toHaveLength(31);
    // Two on each server: every server reads what all others write, some of it in another process.
    const here = await Promise.all([1, 2, 3].map(() => run.connect()));
    const servers: Connection[] = [run.agent, ...here];
    const claimants = [...servers, ...servers];
    const left = items.map((_, at) => at + 1);
    const last: Answered[] = [];
    await Promise.all(
      claimants.map(async (claimant) => {
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
