// What counts as the verdict of a review: the answer of a reviewer, criterion by criterion, where the
// stricter reading counts; and the text that begins with the code of a self-review, which is valid
// for one arrival at one step, these files as these outputs, and the review that was requested last.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Run, RunSpec } from '../language/entries.ts';
import { connect } from '../support/connect.ts';
import { REVIEW, writeJob } from '../support/project.ts';
import { putClaudeOnPath, script } from '../support/reviewer.ts';
import { verifies } from '../verifies.ts';
import { codeIn, GATE, override, REPORT, startWork } from './support.ts';

const CRITERIA = { clear: 'It is clear', short: 'It is short' };
const STEP = { reviews: [{ run_each: 'report', quality_criteria: CRITERIA }] };
const NO_VERDICT = 'The reviewer gave no verdict on this.';

const yes = (criterion: string) => ({ criterion, passed: true });
const no = (criterion: string) => ({ criterion, passed: false, feedback: 'no good' });

describe.each<[string, string[]]>([
  ['a command', GATE],
  ['the Claude CLI', ['--external-runner', 'claude']],
])('%s', (_who, args) => {
  beforeEach(putClaudeOnPath);

  test('says passed, but not of each criterion: needs work, on exactly the others', async () => {
    verifies('JOBS-X.16');
    const run = await startWork({
      step: STEP,
      args: [...args, '--trust'],
      gate: { default_max_attempts: 20 },
    });
    for (const [criteria_results, failed] of [
      [[yes('clear'), no('short')], { short: 'no good' }],
      [[no('clear'), no('short')], { clear: 'no good', short: 'no good' }],
      [[yes('clear')], { short: NO_VERDICT }],
      [[], { clear: NO_VERDICT, short: NO_VERDICT }],
      [[yes('clear'), yes('brief')], { short: NO_VERDICT }],
      [[yes('clear'), yes('short'), no('short')], { short: 'no good' }],
      [[no('clear'), yes('clear'), yes('short')], { clear: 'no good' }],
      [[yes('clear'), yes('short'), no('It is clear')], { clear: 'no good' }],
    ] as const) {
      script(run.project, { answer: { passed: true, feedback: 'Well done', criteria_results } });
      const answer = await run.finish(REPORT);
      expect(answer).toMatchObject({ status: 'needs_work', reason: 'reviews' });
      expect(answer.failed_criteria).toEqual(
        Object.entries(failed).map(([name, feedback]) => ({
          criterion: CRITERIA[name as keyof typeof CRITERIA],
          passed: false,
          feedback,
        })),
      );
      expect(answer.failed_reviews).toMatchObject([{ passed: false, review_run_each: 'report' }]);
      // A person must see that the reviewer is at fault, and which one it is.
      const isAtFault = Object.values(failed).includes(NO_VERDICT);
      expect(answer.feedback.includes(args[0])).toBe(isAtFault);
    }
  });

  test.each([
    ['says passed, and so of each criterion by name', true, [yes('clear'), yes('short')]],
    ['says passed, and so of each by its text', true, [yes('It is clear'), yes('It is short')]],
    ['says passed, and more', true, [yes('short'), no('funny'), yes('clear')]],
    ['says passed, without criteria', true, undefined],
    ['says failed, without criteria', false, undefined],
    ['says failed, although every criterion passed', false, [yes('clear'), yes('short')]],
  ])('%s, which counts', async (_what, passed, criteria_results) => {
    verifies('JOBS-X.16');
    const run = await startWork({
      step: STEP,
      args,
      scenes: [{ answer: { passed, feedback: 'So it is', criteria_results } }],
    });
    const answer = await run.finish(REPORT);
    if (passed) expect(answer.status).toBe('next_step');
    else expect(answer).toMatchObject({ status: 'needs_work', feedback: 'So it is' });
  });
});

test('an answer that is none is a fault', async () => {
  verifies('JOBS-X.16', 'JOBS-X.17');
  const run = await startWork({ step: STEP, args: GATE });
  for (const raw of [
    ...['7', '{"verdict": "ok"}', '{"passed": "yes", "feedback": ""}', ''],
    '{"passed": true, "criteria_results": {}}',
  ]) {
    script(run.project, { raw });
    expect((await run.refusal(REPORT)).code, raw).toBe('reviewer_failed');
  }
});

const REVIEWS = [
  { run_each: 'drafts', quality_criteria: { spelled: 'No typos' } },
  { run_each: 'final', quality_criteria: { legal: 'Legal can sign it' } },
];
const OUTPUTS = { drafts: 'files', final: 'files?' };
const DRAFT = { drafts: ['x.md'] };
const REFUSED = { code: 'override_refused' };

const drafting = (rule = 'never', more: Partial<RunSpec> = {}) =>
  startWork({
    step: { outputs: OUTPUTS, reviews: REVIEWS },
    files: { 'x.md': 'x\n', 'bad.md': 'bad\n', 'z.md': 'z\n' },
    gate: { overrides: rule },
    args: [],
    ...more,
  });

const passed = (run: Run) => override(`${codeIn(run)} PASSED`);

describe('the code of a self-review', () => {
  test('counts for the very files as the outputs that were reviewed', async () => {
    const run = await drafting();
    await run.finish({ drafts: ['x.md', 'bad.md'], final: ['z.md'] });
    const verdict = passed(run);
    for (const other of [{ drafts: ['x.md'], final: ['bad.md', 'z.md'] }, DRAFT]) {
      expect(await run.refusal(other, verdict)).toMatchObject(REFUSED);
    }
    const turned = { final: ['z.md'], drafts: ['bad.md', 'x.md'] };
    expect((await run.finish(turned, verdict)).status).toBe('next_step');
  });

  test('cannot be computed from what an agent sees', async () => {
    const run = await drafting();
    const bytes = readFileSync(run.project.path('x.md'));
    const hash = createHash('sha256').update(bytes).digest('hex');
    const reviews = REVIEWS.map(({ run_each, quality_criteria }) => ({
      runEach: run_each,
      criteria: Object.entries(quality_criteria).map(([name, text]) => ({ name, text })),
      guidance: null,
    }));
    const known = ['self-review', run.session, 1, 'write', reviews, { 'x.md': hash }];
    const code = createHash('sha256').update(JSON.stringify(known)).digest('hex').slice(0, 8);
    expect(await run.refusal(DRAFT, override(`${code} PASSED`))).toMatchObject(REFUSED);
  });

  test('counts only if this review was the last one requested', async () => {
    const run = await drafting();
    await run.finish(DRAFT);
    const verdict = passed(run);
    run.project.write('x.md', 'other\n');
    await run.finish(DRAFT);
    run.project.write('x.md', 'x\n');
    expect(await run.refusal(DRAFT, verdict)).toMatchObject(REFUSED);
    await run.finish(DRAFT);
    expect((await run.finish(DRAFT, verdict)).status).toBe('next_step');
    // The same files at another arrival are another review.
    await run.agent.ok('go_to_step', { step_id: 'write' });
    expect(await run.refusal(DRAFT, { ...verdict, notes: 'Again' })).toMatchObject(REFUSED);
  });

  test('does not count for a criterion that was added after the review', async () => {
    const run = await drafting();
    await run.finish(DRAFT);
    const verdict = passed(run);
    const [first, second] = REVIEWS;
    const quality_criteria = { ...first?.quality_criteria, brief: 'It is brief' };
    const reviews = [{ ...first, quality_criteria }, second];
    const write = { outputs: OUTPUTS, reviews };
    writeJob(run.project, 'work', { write, after: {} }, { main: ['write', 'after'] });
    expect(await run.refusal(DRAFT, verdict)).toMatchObject(REFUSED);
  });

  test('is still valid after a restart of the server', async () => {
    const client = { CLAUDE_CODE_SESSION_ID: 'one-client' };
    const run = await drafting('never', { options: { env: client } });
    await run.finish(DRAFT);
    await run.agent.close();
    const next = await connect(run.project.root, { env: { HOME: run.home, ...client } });
    const call = { session_id: run.session, outputs: DRAFT, ...passed(run) };
    expect((await next.ok('finished_step', call)).status).toBe('next_step');
  });

  test('is needed of each of two members', async () => {
    const run = await startWork({
      entries: [['one', 'two']],
      steps: {
        one: { outputs: { a: 'file' }, reviews: [REVIEW] },
        two: { outputs: { b: 'file' }, reviews: [REVIEW] },
      },
      gate: { overrides: 'never' },
    });
    const outputs = { a: 'report.md', b: 'report.md' };
    await run.finish(outputs);
    const [one, two] = ['one', 'two'].map((step) => codeIn(run, step));
    const says = async (text: string) => (await run.finish(outputs, override(text))).status;
    expect(await says(`${one} good: yes. PASSED\n${two} good: not looked at`)).toBe('needs_work');
    expect(await says(`${one} PASSED\n${two} good: no. FAILED`)).toBe('needs_work');
    expect(await says(`${one} PASSED\n${two} PASSED`)).toBe('workflow_complete');
  });
});

describe('the text with the code', () => {
  test.each([
    ['spelled: no\n**FAILED**', 'reviews'],
    ['Verdict: FAILED.', 'reviews'],
    ['spelled: it has not PASSED', 'self_review'],
    ["spelled: I can't say PASSED", 'self_review'],
    ['PASSED would be wrong here.\nspelled: three typos', 'self_review'],
    ['spelled: PASSED\nlegal: three clauses are missing', 'self_review'],
    ['spelled: yes. BYPASSED', 'self_review'],
    ['looks fine', 'self_review'],
  ])('is no pass: %j (%s)', async (words, reason) => {
    const run = await drafting();
    await run.finish(DRAFT);
    const answer = await run.finish(DRAFT, override(`${codeIn(run)} ${words}`));
    expect(answer).toMatchObject({ status: 'needs_work', reason });
    expect(run.events('review_overridden')).toEqual([]);
    if (reason === 'reviews') {
      expect(answer.feedback).toContain(words);
      expect(run.events('self_review_failed')).toHaveLength(1);
    }
  });

  test.each([
    ['PASSED'],
    ['spelled: no typo in it. PASSED'],
    ['The subagent FAILED to start at first.\nspelled: it has not one typo.\nPASSED'],
    ['\n- spelled: none\n\n**PASSED**\n'],
    ['\nspelled: none.\nVerdict: PASSED.'],
  ])('is a pass, also if the code is in markup: %j', async (words) => {
    const run = await drafting();
    await run.finish(DRAFT);
    const verdict = override(`**\`${codeIn(run)}\`** ${words}`);
    expect((await run.finish(DRAFT, verdict)).status).toBe('next_step');
    expect(run.events('self_reviewed')).toHaveLength(1);
  });
});
