// Rules on the text of outputs: the server checks them itself, so neither an agent nor a flag can
// get work past them.

import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, REVIEW, type StepSpec, writeJob } from '../support/project.ts';
import { historyOf, readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const RULES = [
  { type: 'contains', value: '# Summary', message: 'Must have a summary', suggestion: 'Add one' },
  { type: 'regex', pattern: '(?i)risk', message: 'Must name risks' },
  { type: 'length', max: 200, message: 'Must be short' },
];
const GOOD = '# Summary\n\nNo Risk, no fun.\n';

const output = (rules: unknown, type = 'file', required = false) => ({
  type,
  description: 'd',
  required,
  rules,
});

const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };

async function running(
  step: StepSpec,
  { args = [], context = {} }: { args?: readonly string[]; context?: object } = {},
) {
  const project = newProject({ 'good.md': GOOD, 'bad.md': 'Nothing much.\n' });
  project.write('long.md', `${GOOD}${'x'.repeat(200)}`);
  project.write('binary.md', new Uint8Array([0x23, 0xff, 0xfe, 0x80]));
  writeJob(project, 'demo', { write: step }, { main: ['write'] });
  const server = await connect(project.root, { args });
  const { begin_step } = await server.ok('start_workflow', { ...START, context });
  const finish = (outputs: object, more: object = {}) =>
    server.ok('finished_step', { outputs, ...more });
  return { project, server, begin_step, id: begin_step.session_id as string, finish };
}

const REVIEWED = {
  outputs: {
    report: output(RULES, 'file', true),
    pages: output(RULES, 'files'),
    free: 'file?',
  },
  reviews: [REVIEW],
};

test('begin_step names the rules that apply and the checks, before anything fails by them', async () => {
  verifies('JOBS-X.9');
  const always = { type: 'contains', value: 'A', message: 'Must say A' };
  const condition = { var: 'strict', equals: true };
  const strictly = { type: 'contains', value: 'B', message: 'Must say B', condition };
  const outputs = { a: output([always, strictly]), b: output([strictly]), c: 'file?' };
  const step = { outputs, checks: [{ name: 'It has an A', run: 'true' }] };
  const told = (begun: { step_expected_outputs: { refused_with?: string[] }[] }) =>
    begun.step_expected_outputs.map((each) => each.refused_with);
  const strict = await running(step, { context: { strict: true } });
  expect(told(strict.begin_step)).toEqual([
    ['Must say A', 'Must say B'],
    ['Must say B'],
    undefined,
  ]);
  expect(strict.begin_step.step_checks).toEqual(['It has an A']);
  const { server, begin_step } = await running({ ...step, checks: [] });
  expect(begin_step).not.toHaveProperty('step_checks');
  for (const begun of [begin_step, (await server.ok('get_active_workflow')).begin_step]) {
    expect(told(begun)).toEqual([['Must say A'], undefined, undefined]);
  }
});

test('every broken rule of every file is reported, before any review, and no override skips it', async () => {
  verifies('JOBS-X.9');
  const { project, id, finish } = await running(REVIEWED);
  const outputs = { report: 'bad.md', pages: ['good.md', 'long.md'], free: 'bad.md' };
  const answer = await finish(outputs);
  const failed = (criterion: string, ...named: string[]) => ({
    criterion,
    passed: false,
    feedback: expect.stringMatching(named.join('.*')),
  });
  expect(answer).toMatchObject({ status: 'needs_work', reason: 'rules', failed_reviews: null });
  expect(answer.failed_criteria).toEqual([
    failed('Must have a summary', 'bad.md', 'Add one'),
    failed('Must name risks', 'bad.md'),
    failed('Must be short', 'long.md'),
  ]);
  for (const { message } of RULES) expect(answer.feedback).toContain(message);
  const untouched = { completed_at: null, quality_attempts: 0 };
  expect(readView(project, id).step_progress.write).toMatchObject(untouched);
  expect(historyOf(project, id)).toContain('rules_failed');

  const reason = { quality_review_override_reason: 'Trust me' };
  for (const _ of ['once', 'twice']) {
    expect((await finish({ report: 'bad.md' }, reason)).failed_criteria).toHaveLength(2);
  }
  expect(historyOf(project, id)).not.toContain('review_overridden');
  // With the text fixed, the same override skips the review.
  project.write('bad.md', GOOD);
  expect((await finish({ report: 'bad.md' }, reason)).status).toBe('workflow_complete');
});

test('no flag skips them; a file that is not text fails, one without rules may be anything', async () => {
  verifies('JOBS-X.9');
  const { finish } = await running(REVIEWED, { args: ['--no-quality-gate'] });
  expect((await finish({ report: 'bad.md' })).failed_criteria).toHaveLength(2);
  const binary = await finish({ report: 'binary.md' });
  expect(binary).toMatchObject({ status: 'needs_work', failed_criteria: { length: 1 } });
  expect(binary.failed_criteria[0].criterion).toContain('binary.md');
  const { status } = await finish({ report: 'good.md', free: 'binary.md' });
  expect(status).toBe('workflow_complete');
});

test('a schema reports where the file is wrong and what would be right', async () => {
  verifies('JOBS-X.9');
  const items = { items: { properties: { price: { type: 'number' } } } };
  const schema = { type: 'object', properties: { level: { enum: ['low', 'high'] }, items } };
  const rules = [{ type: 'schema', schema, message: 'Must be an order' }];
  const { project, server, finish } = await running({ outputs: { data: output(rules) } });
  project.write('data.json', '{"level": "mid", "items": [{"price": "1"}]}');
  const feedback = expect.stringMatching(
    /data\.json.*\/level.*"low", "high".*\/items\/0\/price.*number/,
  );
  const answer = await finish({ data: 'data.json' });
  expect(answer.failed_criteria).toEqual([
    { criterion: 'Must be an order', passed: false, feedback },
  ]);
  expect(answer.feedback).toEqual(feedback);
  const tried = await server.ok('validate_step_outputs', { outputs: { data: 'data.json' } });
  expect(tried.problems.join()).toContain('/items/0/price');
});

test("a caller cannot override the session's own context to get around a rule", async () => {
  verifies('JOBS-X.9');
  const rules = Object.keys(START).map((name) => ({
    type: 'contains',
    value: '# Summary',
    message: `Must have a summary, says ${name}`,
    condition: { not: { var: name, equals: 'forged' } },
  }));
  const { finish } = await running({ outputs: { report: output(rules) } });
  const context = Object.fromEntries(Object.keys(START).map((name) => [name, 'forged']));
  const { failed_criteria } = await finish({ report: 'bad.md' }, { context });
  expect(failed_criteria).toHaveLength(3);
});
