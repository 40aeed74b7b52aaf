// Reviews by someone other than the author: who reviews, within which limits, what a failed one
// costs, and what need not be reviewed again.

import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { startRun } from '../language/entries.ts';
import { fastTimers } from '../support/fast-timers.ts';
import { connectInMemory } from '../support/in-memory.ts';
import { REVIEW } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import {
  claudeOnPath,
  FAIL,
  PASS,
  putClaudeOnPath,
  REVIEW_COMMAND,
  type Scene,
  type Seen,
  script,
  seen,
} from '../support/reviewer.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';
import { attempts, GATE, REPORT, startWork, type WorkSpec } from './support.ts';

const CLAUDE = ['--external-runner', 'claude'];
const STEP = { reviews: [REVIEW] };
const GOOD: Scene = {
  answer: { ...PASS, criteria_results: [{ criterion: 'good', passed: true }] },
};

const reviewed = (more: WorkSpec = {}) => startWork({ step: STEP, args: GATE, ...more });

test('a review fails the work twice, then it is an error; a later pass works', async () => {
  verifies('JOBS-REQ-001.4.11', 'JOBS-REQ-001.4.12', 'JOBS-REQ-001.4.13', 'JOBS-REQ-001.1.5');
  verifies('JOBS-REQ-001.4.14');
  const criteria_results = [{ criterion: 'good', passed: false, feedback: 'vague' }];
  const failing = { passed: false, feedback: 'Too vague', criteria_results };
  const fence = `I looked.\n\`\`\`json\n${JSON.stringify(PASS)}\n\`\`\`\nDone.\n`;
  const scenes = [{ when: 'The report', answer: failing }, { raw: fence }];
  const run = await reviewed({ scenes });
  for (const attempt of [1, 2]) {
    expect(await run.finish(REPORT)).toMatchObject({
      status: 'needs_work',
      feedback: 'Too vague',
      failed_reviews: [{ review_run_each: 'step', target_file: null, ...failing }],
      failed_criteria: [{ criterion: 'It is good', passed: false, feedback: 'vague' }],
    });
    expect(attempts(run)).toBe(attempt);
  }
  expect((await run.refusal(REPORT)).code).toBe('quality_gate_failed');
  run.project.write('report.md', 'A precise text.\n');
  expect((await run.finish(REPORT)).status).toBe('next_step');
});

test('a step, each file of an output and no file at all may be reviewed', async () => {
  verifies('JOBS-REQ-001.4.12', 'JOBS-X.15');
  const review = (run_each: string, name: string) => ({
    run_each,
    quality_criteria: { [name]: `It is ${name}` },
  });
  const no = (feedback: string) => ({ answer: { passed: false, feedback } });
  const run = await reviewed({
    step: {
      outputs: { pages: 'files?', sum: 'file?' },
      reviews: [review('pages', 'short'), review('sum', 'clear'), review('step', 'whole')],
    },
    files: { 'p1.md': 'first', 'p2.md': 'second' },
    scenes: [
      { when: 'It is whole', ...no('Page 3 is missing') },
      { when: '-- p1.md --', answer: PASS },
      { when: 'It is short', ...no('Too long') },
    ],
  });
  const { feedback, failed_reviews } = await run.finish({ pages: ['p1.md', 'p2.md'] });
  expect(failed_reviews).toMatchObject([
    { review_run_each: 'pages', target_file: 'p2.md', feedback: 'Too long' },
    { review_run_each: 'step', target_file: null, feedback: 'Page 3 is missing' },
  ]);
  expect(feedback).toMatch(/p2\.md.*Too long.*Page 3 is missing/);
  // What each of them said is on record.
  expect(run.events('review_failed')).toMatchObject([{ feedback, details: failed_reviews }]);
  expect(seen(run.project)).toHaveLength(3);
  await run.finish({});
  expect(seen(run.project).at(-1)?.stdin).toContain('[No files provided]');
});

describe('the one who reviews', () => {
  beforeEach(putClaudeOnPath);
  const OFF = ['--no-quality-gate'];
  const COMMAND = ['--quality-gate', `${REVIEW_COMMAND} by-flag`];
  const CONFIG = { agent_review_command: `${REVIEW_COMMAND} by-config` };

  test.each<[string, string[], Record<string, string>, string]>([
    ['nothing', [], {}, 'self'],
    ['a command by flag', COMMAND, {}, 'by-flag'],
    ['Claude by flag', CLAUDE, {}, '--print'],
    ['a command and Claude by flag', [...COMMAND, ...CLAUDE], {}, 'by-flag'],
    ['the gate off and both by flag', [...COMMAND, ...CLAUDE, ...OFF], {}, 'none'],
    ['a command in the config', [], CONFIG, 'by-config'],
    ['one in the config and one by flag', COMMAND, CONFIG, 'by-flag'],
    ['one in the config, and Claude by flag', CLAUDE, CONFIG, '--print'],
    ['one in the config, and the gate off by flag', OFF, CONFIG, 'none'],
  ])('with %s', async (_given, args, gate, reviewer) => {
    verifies('JOBS-X.24', 'JOBS-REQ-001.1.6');
    const run = await reviewed({ args: [...args, '--trust'], gate, scenes: [{ answer: PASS }] });
    const { status } = await run.finish(REPORT);
    const asked = seen(run.project).map(({ argv }) => argv[0]);
    if (reviewer === 'self') expect([status, asked]).toEqual(['needs_work', []]);
    else expect([status, asked]).toEqual(['next_step', reviewer === 'none' ? [] : [reviewer]]);
  });

  test('Claude is started with its flags, reads only, and takes nothing from the project', async () => {
    verifies('JOBS-REQ-001.1.6', 'JOBS-REQ-001.1.7', 'JOBS-REQ-001.4.14', 'CLIENT-7');
    const run = await reviewed({ args: CLAUDE, scenes: [GOOD] });
    expect((await run.finish(REPORT)).status).toBe('next_step');
    const { argv, stdin } = seen(run.project)[0] as Seen;
    expect(argv.slice(0, 4)).toEqual(['--print', '--output-format', 'json', '--system-prompt']);
    expect(argv[4]).toContain('It is good');
    expect(argv[5]).toBe('--json-schema');
    expect(JSON.parse(argv[6] as string).required).toContain('criteria_results');
    expect(argv.slice(7, 9)).toEqual(['--tools', 'Read,Grep,Glob']);
    expect(argv.slice(9, 12)).toEqual(['--strict-mcp-config', '--setting-sources', 'user']);
    expect(argv.slice(12)).toEqual(['-p', '--']);
    expect(stdin.startsWith('='.repeat(20))).toBe(true);
  });

  test('does not inherit the variables of the calling session', async () => {
    const marks = {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SESSION_ID: 'the-outer-one',
    };
    const options = { env: { ...claudeOnPath(), ...marks } };
    const run = await reviewed({ args: CLAUDE, options, scenes: [{ answer: PASS }] });
    expect((await run.finish(REPORT)).status).toBe('next_step');
    expect(seen(run.project)[0]?.marks).toEqual([]);
  });

  test.each<[string, WorkSpec, Scene, string[]]>([
    ['an option, fails', {}, { exit: 3 }, [REVIEW_COMMAND, '--quality-gate', 'exit code 3']],
    [
      'the config, is not there',
      { args: ['--trust'], gate: { agent_review_command: 'no-such-reviewer' } },
      {},
      ['no-such-reviewer', 'quality_gate.agent_review_command', '.deepwork/config.yml'],
    ],
    [
      'a runner, fails',
      { args: CLAUDE },
      { exit: 3, stderr: 'boom' },
      ['/claude', '--external-runner claude', 'boom'],
    ],
    [
      'a runner, is not there',
      { args: CLAUDE, options: { env: { PATH: '/nowhere' } } },
      {},
      ['no claude was found on PATH'],
    ],
    [
      'a runner, returns an error',
      { args: CLAUDE },
      { raw: '{"is_error": true, "result": "Not logged in"}', exit: 1 },
      ['Not logged in'],
    ],
    [
      'a runner, answers without structured_output',
      { args: CLAUDE },
      { raw: '{"result": "ok"}' },
      ['structured_output'],
    ],
    ['a runner, prints no JSON', { args: CLAUDE }, { raw: 'hello' }, ['JSON']],
  ])('by %s: a fault that names where it is configured and costs no attempt', async (...row) => {
    verifies('JOBS-X.17');
    const [, spec, scene, named] = row;
    const run = await reviewed({ ...spec, scenes: [scene] });
    const { code, message, next } = await run.refusal(REPORT);
    expect(code).toBe('reviewer_failed');
    for (const word of named) expect(`${message} ${next}`).toContain(word);
    expect(attempts(run)).toBe(0);
  });
});

describe('an attempt', () => {
  /** Two concurrent members, so that one can be submitted again after it has passed. */
  const twoMembers = () =>
    startRun({
      entries: [['one', 'two'], 'after'],
      steps: {
        one: { ...STEP, outputs: { a: 'file' } },
        two: { ...STEP, outputs: { b: 'file' } },
        after: {},
      },
      files: { 'a.md': 'good', 'b.md': 'broken' },
      args: GATE,
    });
  const SCENES: Scene[] = [
    { when: 'broken', exit: 3 },
    { when: 'bad', answer: FAIL },
    { answer: PASS },
  ];

  test('counts also if the review passes, so that the error comes with the last one', async () => {
    verifies('JOBS-REQ-001.4.11', 'JOBS-REQ-001.4.13');
    const run = await twoMembers();
    script(run.project, ...SCENES);
    const submit = { a: 'a.md' };
    expect(await run.finish(submit)).toMatchObject({ reason: 'members_open' });
    expect(attempts(run, 'one')).toBe(1);
    run.project.write('a.md', 'bad');
    expect(await run.finish(submit)).toMatchObject({ reason: 'reviews' });
    expect(attempts(run, 'one')).toBe(2);
    expect((await run.refusal(submit)).code).toBe('quality_gate_failed');
    expect(attempts(run, 'one')).toBe(3);
  });

  test('is used up by a negative verdict beside a reviewer that fails, which is named', async () => {
    verifies('JOBS-REQ-001.4.11', 'JOBS-X.17');
    const run = await twoMembers();
    script(run.project, ...SCENES);
    run.project.write('a.md', 'bad');
    const submit = { a: 'a.md', b: 'b.md' };
    const failed = await run.finish(submit);
    expect(failed.reason).toBe('reviews');
    expect(failed.feedback).toContain('exit code 3');
    expect(failed.feedback).toContain('--quality-gate');
    expect(attempts(run, 'one')).toBe(1);
    run.project.write('a.md', 'good');
    run.project.write('b.md', 'good');
    expect((await run.finish(submit)).begin_step.step_id).toBe('after');
    expect(attempts(run, 'one')).toBe(2);
  });

  test.each([
    ['three times, unless set', {}, 3],
    ['as often as the config says', { default_max_attempts: 1 }, 1],
  ])('is possible %s', async (_what, gate, possible) => {
    verifies('JOBS-REQ-001.1.5', 'JOBS-X.24');
    const run = await reviewed({ gate, scenes: [{ answer: FAIL }] });
    for (let left = possible; left > 1; left--) {
      expect((await run.finish(REPORT)).status).toBe('needs_work');
    }
    expect((await run.refusal(REPORT)).code).toBe('quality_gate_failed');
  });
});

test.each([
  ['two minutes, unless set', {}, 10, 120],
  ['what the config says, and more for every full 5000 bytes', { default_timeout: 7 }, 5000, 37],
])('the time of a review is %s, and it is reported as running', async (...row) => {
  verifies('JOBS-REQ-001.1.4', 'JOBS-X.15', 'JOBS-X.24');
  const [, gate, bytes, seconds] = row;
  const files = { 'report.md': 'x'.repeat(bytes) };
  const options = { env: fastTimers(60) };
  const scenes = [{ hang: true }];
  const run = await reviewed({ gate, files, options, scenes, within: 600 });
  const told: (string | undefined)[] = [];
  await run.agent.client.callTool(
    { name: 'finished_step', arguments: { outputs: REPORT } },
    { onprogress: ({ message }) => told.push(message) },
  );
  const review = 'review 1 of 1: step';
  expect([told[0], told[1]]).toEqual([review, `${review}, still running`]);
  const { code, message } = await run.refusal(REPORT);
  expect(code).toBe('reviewer_failed');
  expect(message).toContain(`${seconds} seconds`);
});

test('options of createServer override the time and the attempts in the config', async () => {
  verifies('JOBS-REQ-001.1.4', 'JOBS-REQ-001.1.5', 'JOBS-X.24');
  const { project } = await reviewed({
    gate: { default_timeout: 500, default_max_attempts: 3 },
    scenes: [{ hang: true }],
  });
  const agent = await connectInMemory({
    projectRoot: project.root,
    agentReviewCommand: REVIEW_COMMAND,
    qualityGateTimeout: 1,
    qualityGateMaxAttempts: 1,
  });
  await agent.ok('start_workflow', { goal: 'g', job_name: 'work', workflow_name: 'main' });
  const finish = async () => readRefusal(await agent.call('finished_step', { outputs: REPORT }));
  const late = await finish();
  expect(late).toMatchObject({
    code: 'reviewer_failed',
    message: expect.stringContaining('1 sec'),
  });
  script(project, { answer: FAIL });
  expect((await finish()).code).toBe('quality_gate_failed');
});

const PARTS = ['a.md', 'b.md', 'c.md', 'd.md', 'e.md', 'f.md'];

/** A step whose files are reviewed one by one. */
const partsReviewed = (count: number, more: WorkSpec = {}) =>
  reviewed({
    step: {
      outputs: { parts: 'files' },
      reviews: [{ run_each: 'parts', quality_criteria: { clear: 'It is clear' } }],
    },
    files: Object.fromEntries(PARTS.slice(0, count).map((file) => [file, `Text of ${file}\n`])),
    scenes: [{ answer: PASS }],
    ...more,
  });

test.each([
  ['four, unless set', {}, 4],
  ['as many as are set', { max_parallel: 2 }, 2],
])('reviews run at once: %s', async (_what, gate, most) => {
  verifies('JOBS-X.15', 'JOBS-X.24');
  const scenes = [{ until: 'go', answer: PASS }];
  const run = await partsReviewed(6, { gate, scenes });
  const finishing = run.finish({ parts: PARTS });
  await until(() => seen(run.project).length >= most);
  // Time in which one more would begin.
  await setTimeout(500);
  expect(seen(run.project)).toHaveLength(most);
  run.project.write('go', '');
  expect((await finishing).status).toBe('next_step');
  expect(seen(run.project)).toHaveLength(6);
});

describe('evidence', () => {
  test('after fixing one of five files, only that file is reviewed', async () => {
    verifies('JOBS-REQ-001.4.12');
    const run = await partsReviewed(5, {
      scenes: [
        { when: 'Text of c.md', answer: { passed: false, feedback: 'c is poor' } },
        { answer: PASS },
      ],
    });
    const parts = PARTS.slice(0, 5);
    const first = await run.finish({ parts });
    expect(first.failed_reviews).toMatchObject([{ target_file: 'c.md', feedback: 'c is poor' }]);
    run.project.write('c.md', 'Better.\n');
    expect((await run.finish({ parts })).status).toBe('next_step');
    expect(seen(run.project)).toHaveLength(6);
    expect(seen(run.project)[5]?.stdin).toContain('Better.');
    expect(run.events('review_ran').map(({ name, passed }) => [name, passed])).toEqual([
      ...parts.map((file) => [file, file !== 'c.md']),
      ['c.md', true],
    ]);
  });

  test('a failed review of unchanged files runs again, and a step that is entered again starts without evidence', async () => {
    verifies('JOBS-REQ-001.4.12', 'JOBS-X.21');
    const run = await partsReviewed(1, { scenes: [{ answer: FAIL }] });
    const outputs = { parts: ['a.md'] };
    await run.finish(outputs);
    await run.finish(outputs);
    expect(seen(run.project)).toHaveLength(2);
    script(run.project, { answer: PASS });
    await run.finish(outputs);
    await run.agent.ok('go_to_step', { step_id: 'write' });
    await run.finish(outputs);
    expect(seen(run.project)).toHaveLength(4);
  });

  test('a file that changes while it is judged does not count as judged', async () => {
    verifies('JOBS-X.11');
    const run = await partsReviewed(1, { scenes: [{ until: 'go', answer: PASS }] });
    const refusing = run.refusal({ parts: ['a.md'] });
    await until(() => seen(run.project).length === 1);
    run.project.write('a.md', 'Something else entirely.\n');
    run.project.write('go', '');
    expect(await refusing).toMatchObject({
      code: 'outputs_changed',
      message: expect.stringContaining('a.md'),
    });
    expect(run.view().current_step_id).toBe('write');
  });
});
