// `when` conditions on the session's context: which steps a run takes, and how the context is
// built.

import { describe, expect, test } from 'vitest';
import { beyondNesting } from '../support/answers.ts';
import { connect } from '../support/connect.ts';
import { newProject, type StepSpec, writeJob } from '../support/project.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const DEEP = { when: { var: 'depth', equals: 'deep' } };
const NEVER = { when: { or: [] } };
const STRICT = { var: 'strict', equals: true };
const RULES = [{ type: 'contains', value: 'A', message: 'Must say A', condition: STRICT }];

const STEPS: Readonly<Record<string, StepSpec>> = {
  one: {},
  two: {},
  three: {},
  deep_one: DEEP,
  deep_two: DEEP,
  never: NEVER,
  judged: { outputs: { report: { type: 'file', description: 'd', required: true, rules: RULES } } },
  for_acme: { when: { var: 'instance_id', equals: 'acme' } },
};

const WORKFLOWS = {
  first: ['deep_one', 'one', 'two'],
  middle: ['one', 'deep_one', 'deep_two', 'two'],
  last: ['one', 'deep_one', 'never'],
  all: ['deep_one', ['never'], 'deep_two'],
  group: [
    ['deep_one', 'one', 'two'],
    ['deep_two', 'three'],
  ],
  rules: ['judged', 'one'],
  acme: ['for_acme', 'one'],
};

type Context = Record<string, unknown>;

async function running(steps = STEPS, workflows: typeof WORKFLOWS | object = WORKFLOWS) {
  const project = newProject({ 'a.md': 'A', 'bad.md': 'B' });
  writeJob(project, 'demo', steps, { ...workflows });
  const server = await connect(project.root);
  const start = (workflow_name: string, context: Context = {}) =>
    server.ok('start_workflow', { goal: 'g', job_name: 'demo', workflow_name, context });
  const finish = (more: object = {}) => server.ok('finished_step', { outputs: {}, ...more });
  const contextOf = (id: string) => readView(project, id).context;
  return { project, server, start, finish, contextOf };
}

/** Of each warning the step and the variables that it names. */
function told(warnings: readonly string[]): string[] {
  return beyondNesting(warnings).map((text) => {
    const [step, ...variables] = [...text.matchAll(/'(\w+)'/g)].map(([, name]) => name);
    return [text.includes('was skipped') ? 'skipped' : 'ahead', step, ...variables].join(' ');
  });
}

describe('when', () => {
  test.each([
    ['first', {}, ['one', 'two']],
    ['first', { depth: 'deep' }, ['deep_one', 'one', 'two']],
    ['middle', {}, ['one', 'two']],
    ['middle', { depth: 'deep' }, ['one', 'deep_one', 'deep_two', 'two']],
    ['last', { depth: 'Deep' }, ['one']],
    ['last', { depth: 'deep' }, ['one', 'deep_one']],
    ['all', { depth: 'deep' }, ['deep_one', 'deep_two']],
  ])('a false condition skips the step: %s %j', async (workflow, context: Context, steps) => {
    verifies('JOBS-X.14');
    const { project, start, finish } = await running();
    const { begin_step } = await start(workflow, context);
    const walked = [begin_step.step_id];
    for (let answer = await finish(); answer.status !== 'workflow_complete'; ) {
      walked.push(answer.begin_step.step_id);
      answer = await finish();
    }
    expect(walked).toEqual(steps);
    const { step_progress, history } = readView(project, begin_step.session_id);
    expect(Object.keys(step_progress)).toEqual(steps);
    const skipped = history.filter(({ event }: { event: string }) => event === 'skipped');
    expect(skipped.map(({ step_id }: { step_id: string }) => step_id)).toEqual(
      WORKFLOWS[workflow as 'first'].flat().filter((step) => !steps.includes(step)),
    );
  });

  test('an unset variable is reported before its step is skipped, and after', async () => {
    verifies('JOBS-X.14');
    const { start, finish } = await running();
    expect(told((await start('first')).warnings)).toEqual(['skipped deep_one depth']);
    // On arrival at the step before, when it can still be set.
    const ahead = ['ahead deep_one depth', 'ahead deep_two depth'];
    expect(told((await start('middle')).warnings)).toEqual(ahead);
    const deep = await finish({ context: { depth: 'deep' } });
    expect(deep).toMatchObject({ begin_step: { step_id: 'deep_one' }, warnings: [] });
    // A false condition is named with the values, which are cut to size.
    expect(told((await start('middle', { depth: 'shallow' })).warnings)).toEqual([]);
    const { warnings } = await finish({ step_id: 'one' });
    expect(told(warnings)).toEqual(['skipped deep_one', 'skipped deep_two']);
    expect(warnings[0]).toContain('depth is "shallow"');
    const long = await start('first', { depth: { note: 'x'.repeat(5000) } });
    expect(beyondNesting(long.warnings)[0]?.length).toBeLessThan(200);

    await start('middle');
    const moved = await finish({ step_id: 'one' });
    expect(told(moved.warnings)).toEqual(['skipped deep_one depth', 'skipped deep_two depth']);
    expect((await finish({ step_id: 'one' })).warnings, 'a repeated call').toEqual(moved.warnings);
    await start('last');
    expect(told((await finish()).warnings).slice(0, 2)).toEqual([
      'skipped deep_one depth',
      'skipped never',
    ]);
  });

  test('members of a concurrent entry are chosen one by one, on arrival', async () => {
    verifies('JOBS-X.14', 'JOBS-REQ-001.4.18', 'JOBS-X.13');
    const { start, finish } = await running();
    const { begin_step } = await start('group');
    expect(begin_step).toMatchObject({ step_id: 'one', concurrent_steps: [{ step_id: 'two' }] });
    expect(begin_step.step_instructions).not.toContain('deep_one');
    await finish({ step_id: 'one' });
    // A single eligible member is a step like any other.
    expect((await finish({ step_id: 'two' })).begin_step).toMatchObject({
      step_id: 'three',
      concurrent_steps: [],
      step_instructions: 'Do three now.\n',
    });
    await start('group');
    // It does not join when its condition comes true.
    await finish({ step_id: 'one', context: { depth: 'deep' } });
    const next = await finish({ step_id: 'two' });
    expect(next.begin_step).toMatchObject({
      step_id: 'deep_two',
      concurrent_steps: [{ step_id: 'three' }],
    });
  });

  test('facts are asked for up to the next step that is certain to run, and not if a step must report them', async () => {
    verifies('JOBS-X.14');
    const when = { var: 'wide', equals: true };
    const wide = { type: 'boolean', description: 'Is it wide?' };
    const optional = { reports: { wide: { ...wide, required: false } } };
    const skippable = { reports: { wide }, when: { var: 'deep' } };
    const asked = async (...steps: StepSpec[]) => {
      const named = Object.fromEntries(steps.map((step, index) => [`s${index + 1}`, step]));
      const { start } = await running(named, { main: Object.keys(named) });
      return told((await start('main')).warnings);
    };
    expect(await asked({}, { when }, {}, { when }, {})).toEqual(['ahead s2 wide']);
    expect(await asked({ reports: { wide } }, { when }, {})).toEqual([]);
    expect(await asked(optional, { when }, {})).toEqual(['ahead s2 wide']);
    expect(await asked({}, skippable, { when })).toEqual(['ahead s2 deep', 'ahead s3 wide']);
  });
});

describe('context', () => {
  test('always describes the session, whatever the caller claims', async () => {
    verifies('JOBS-X.14');
    const { server, finish, contextOf } = await running();
    const acme = { workflow_name: 'acme', instance_id: 'acme' };
    const facts = { goal: 'Real goal', job_name: 'demo', ...acme };
    const claims = { goal: 'x', job_name: 'y', workflow_name: 'z', instance_id: 'other', own: [1] };
    const { begin_step } = await server.ok('start_workflow', { ...facts, context: claims });
    expect(begin_step.step_id).toBe('for_acme');
    expect(contextOf(begin_step.session_id)).toEqual({ ...facts, own: [1] });
    await finish({ context: claims });
    expect(contextOf(begin_step.session_id)).toEqual({ ...facts, own: [1] });
  });

  test('given with finished_step applies to the same call, and stays only if that is accepted', async () => {
    verifies('JOBS-X.14');
    const { server, start, finish, contextOf } = await running();
    const { session_id } = (await start('middle', { depth: 'flat', kept: true })).begin_step;
    const deep = await finish({ context: { depth: 'deep' } });
    expect(deep.begin_step.step_id).toBe('deep_one');
    expect(contextOf(session_id)).toMatchObject({ depth: 'deep', kept: true });
    // Both were on the way when the context said so; the next is judged on arrival.
    expect((await finish({ context: { depth: 'flat' } })).begin_step.step_id).toBe('two');

    const judged = (await start('rules', { strict: false })).begin_step.session_id;
    const before = contextOf(judged);
    const strict = { context: { strict: true } };
    const failed = await finish({ outputs: { report: 'bad.md' }, ...strict });
    expect(failed.status).toBe('needs_work');
    await server.refused('finished_step', { outputs: {}, ...strict });
    expect(contextOf(judged)).toEqual(before);
    expect((await finish({ outputs: { report: 'bad.md' } })).status).toBe('next_step');
  });
});
