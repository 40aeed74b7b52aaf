// Rules on the text of outputs: the server checks them itself, so neither an agent nor a flag can
// get work past them.

import { describe, expect, test } from 'vitest';
import { expectWhole } from '../support/answers.ts';
import { type Connection, connect } from '../support/connect.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { historyOf, readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const RULES = [
  { type: 'contains', value: '# Summary', message: 'Must have a summary', suggestion: 'Add one' },
  { type: 'regex', pattern: '(?i)risk', message: 'Must name risks' },
  { type: 'length', max: 200, message: 'Must be short' },
];
const GOOD = '# Summary\n\nNo Risk, no fun.\n';

async function running(
  args: readonly string[] = [],
): Promise<{ project: Project; server: Connection; id: string }> {
  const project = newProject({ 'good.md': GOOD, 'bad.md': 'Nothing much.\n', 'long.md': '' });
  project.write('long.md', `${GOOD}${'x'.repeat(200)}`);
  project.write('binary.md', new Uint8Array([0x23, 0xff, 0xfe, 0x80]));
  const output = (type: string, required: boolean) => ({
    type,
    description: 'd',
    required,
    rules: RULES,
  });
  writeJob(
    project,
    'demo',
    {
      write: {
        outputs: { report: output('file', true), pages: output('files', false), free: 'file?' },
        reviews: [REVIEW],
      },
    },
    { main: ['write'] },
  );
  const server = await connect(project.root, { args });
  const { begin_step } = await server.ok('start_workflow', {
    goal: 'g',
    job_name: 'demo',
    workflow_name: 'main',
  });
  return { project, server, id: begin_step.session_id };
}

describe('begin_step', () => {
  test('names the rules that apply and the checks, before anything fails by them', async () => {
    verifies('JOBS-X.9');
    const project = newProject({ 'a.md': 'A\n' });
    const rules = [
      { type: 'contains', value: 'A', message: 'Must say A' },
      {
        type: 'contains',
        value: 'B',
        message: 'Must say B',
        condition: { var: 'strict', equals: true },
      },
    ];
    const strictOnly = rules.slice(1);
    const output = (own: unknown) => ({
      type: 'file',
      description: 'd',
      required: false,
      rules: own,
    });
    const checks = [{ name: 'It has an A', run: 'true' }];
    writeJob(
      project,
      'demo',
      {
        write: { outputs: { a: output(rules), b: output(strictOnly), c: 'file?' }, checks },
        after: {},
      },
      { main: ['write', 'after'] },
    );
    const server = await connect(project.root);
    const start = async (context: object) => {
      const call = { goal: 'g', job_name: 'demo', workflow_name: 'main', context };
      return (await server.ok('start_workflow', call)).begin_step;
    };
    const strict = await start({ strict: true });
    const told = (step: { step_expected_outputs: { refused_with?: string[] }[] }) =>
      step.step_expected_outputs.map((each) => each.refused_with);
    expect(told(strict)).toEqual([['Must say A', 'Must say B'], ['Must say B'], undefined]);
    expect(strict.step_checks).toEqual(['It has an A']);
    expect(told(await start({}))).toEqual([['Must say A'], undefined, undefined]);
    const again = (await server.ok('get_active_workflow')).begin_step;
    expect(told(again)).toEqual([['Must say A'], undefined, undefined]);
  });

  test('says nothing of checks where there are none', async () => {
    const { server } = await running();
    const { begin_step } = await server.ok('get_active_workflow');
    expect(begin_step).not.toHaveProperty('step_checks');
    expect(begin_step.step_expected_outputs[2]).not.toHaveProperty('refused_with');
  });
});

describe('finished_step: rules on outputs', () => {
  test('every broken rule of every file is reported, before any review', async () => {
    verifies('JOBS-X.9');
    const { project, server, id } = await running();
    const answer = expectWhole(
      'finished_step',
      await server.call('finished_step', {
        outputs: { report: 'bad.md', pages: ['good.md', 'long.md'], free: 'bad.md' },
      }),
    );
    expect(answer).toMatchObject({ status: 'needs_work', failed_reviews: null, begin_step: null });
    expect(answer.failed_criteria).toEqual([
      { criterion: 'Must have a summary', passed: false, feedback: expect.any(String) },
      { criterion: 'Must name risks', passed: false, feedback: expect.any(String) },
      { criterion: 'Must be short', passed: false, feedback: expect.any(String) },
    ]);
    expect(answer.failed_criteria[0].feedback).toContain('bad.md');
    expect(answer.failed_criteria[0].feedback).toContain('Add one');
    expect(answer.failed_criteria[2].feedback).toContain('long.md');
    for (const { message } of RULES) expect(answer.feedback).toContain(message);
    expect(answer.feedback).not.toContain('quality_review_');

    const { step_progress } = readView(project, id);
    expect(step_progress.write).toMatchObject({ completed_at: null, quality_attempts: 0 });
    expect(historyOf(project, id)).toContain('rules_failed');
  });

  test('no override skips them', async () => {
    verifies('JOBS-X.9');
    const { project, server, id } = await running();
    const quality_review_override_reason = 'Trust me';
    const call = (report: string) =>
      server.ok('finished_step', { outputs: { report }, quality_review_override_reason });
    expect((await call('bad.md')).failed_criteria).toHaveLength(2);
    expect((await call('bad.md')).status).toBe('needs_work');
    expect(historyOf(project, id)).not.toContain('review_overridden');
    // With the text fixed, the same override skips the review.
    project.write('bad.md', GOOD);
    expect((await call('bad.md')).status).toBe('workflow_complete');
  });

  test('no flag skips them', async () => {
    verifies('JOBS-X.9');
    const { server } = await running(['--no-quality-gate']);
    const call = (report: string) => server.ok('finished_step', { outputs: { report } });
    const failed = await call('bad.md');
    expect(failed).toMatchObject({ status: 'needs_work', failed_reviews: null });
    expect(failed.failed_criteria).toHaveLength(2);
    expect((await call('good.md')).status).toBe('workflow_complete');
  });

  test('a file that is not text fails, and a file without rules may be anything', async () => {
    verifies('JOBS-X.9');
    const { server } = await running(['--no-quality-gate']);
    const failed = await server.ok('finished_step', { outputs: { report: 'binary.md' } });
    expect(failed.status).toBe('needs_work');
    expect(failed.failed_criteria).toHaveLength(1);
    expect(failed.failed_criteria[0].criterion).toMatch(/binary\.md.*UTF-8/);
    const free = await server.ok('finished_step', {
      outputs: { report: 'good.md', free: 'binary.md' },
    });
    expect(free.status).toBe('workflow_complete');
  });

  test('a schema reports where the file is wrong and what would be right', async () => {
    verifies('JOBS-X.9');
    const project = newProject({ 'data.json': '{"level": "mid", "items": [{"price": "1"}]}' });
    const schema = {
      type: 'object',
      properties: {
        level: { enum: ['low', 'high'] },
        items: { items: { properties: { price: { type: 'number' } } } },
      },
    };
    const rules = [{ type: 'schema', schema, message: 'Must be an order' }];
    const data = { type: 'file', description: 'd', required: true, rules };
    writeJob(project, 'demo', { write: { outputs: { data } } }, { main: ['write'] });
    const server = await connect(project.root);
    const start = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
    await server.ok('start_workflow', start);
    const outputs = { data: 'data.json' };
    const answer = await server.ok('finished_step', { outputs });
    expect(answer.failed_criteria).toEqual([
      {
        criterion: 'Must be an order',
        passed: false,
        feedback:
          'data.json: At /level: must be equal to one of the allowed values: "low", "high"; At /items/0/price: must be number',
      },
    ]);
    expect(answer.feedback).toContain('At /items/0/price: must be number');
    const { problems } = await server.ok('validate_step_outputs', { outputs });
    expect(problems.join()).toContain('At /items/0/price: must be number');
  });
});

test("a caller cannot override the session's own context to get around a rule", async () => {
  verifies('JOBS-X.9');
  const project = newProject({ 'bad.md': 'Nothing much.\n' });
  const rules = ['goal', 'job_name', 'workflow_name'].map((name) => ({
    type: 'contains',
    value: '# Summary',
    message: `Must have a summary, says ${name}`,
    condition: { not: { var: name, equals: 'forged' } },
  }));
  const outputs = { report: { type: 'file', description: 'd', required: true, rules } };
  writeJob(project, 'demo', { write: { outputs } }, { main: ['write'] });
  const server = await connect(project.root);
  const start = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
  await server.ok('start_workflow', start);
  const forged = { goal: 'forged', job_name: 'forged', workflow_name: 'forged' };
  const answer = await server.ok('finished_step', {
    outputs: { report: 'bad.md' },
    context: forged,
  });
  expect(answer.status).toBe('needs_work');
  for (const { message } of rules) expect(answer.feedback).toContain(message);
});
