// How a reviewer's answer is interpreted, criterion by criterion, for every kind of reviewer: the
// stricter reading counts.

import { beforeEach, describe, expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { putClaudeOnPath, REVIEW_COMMAND, script } from '../support/reviewer.ts';
import { verifies } from '../verifies.ts';

const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const REPORT = { outputs: { report: 'report.md' } };
const CRITERIA = { clear: 'It is clear', short: 'It is short' };
const NO_VERDICT = 'The reviewer gave no verdict on this.';

function reviewed(answer: unknown): Project {
  const project = newProject({ 'report.md': 'The report.\n' });
  const reviews = [{ run_each: 'report', quality_criteria: CRITERIA }];
  writeJob(
    project,
    'work',
    { write: { outputs: { report: 'file' }, reviews }, after: {} },
    { main: ['write', 'after'] },
  );
  script(project, { answer });
  return project;
}

const REVIEWERS: [string, string[]][] = [
  ['a command', ['--quality-gate', REVIEW_COMMAND]],
  ['the Claude CLI', ['--external-runner', 'claude']],
];

const yes = (criterion: string) => ({ criterion, passed: true });
const no = (criterion: string) => ({ criterion, passed: false, feedback: 'no good' });

describe.each(REVIEWERS)('%s', (_who, args) => {
  beforeEach(putClaudeOnPath);

  test.each<[string, unknown[], Record<string, string>]>([
    ['one criterion failed', [yes('clear'), no('short')], { short: 'no good' }],
    ['both failed', [no('clear'), no('short')], { clear: 'no good', short: 'no good' }],
    ['one is missing', [yes('clear')], { short: NO_VERDICT }],
    ['none is there', [], { clear: NO_VERDICT, short: NO_VERDICT }],
    ['others than ours passed', [yes('clear'), yes('brief')], { short: NO_VERDICT }],
    ['one passed and failed', [yes('clear'), yes('short'), no('short')], { short: 'no good' }],
    ['one failed and passed', [no('clear'), yes('clear'), yes('short')], { clear: 'no good' }],
  ])(
    'says passed, but %s: needs work, on exactly these',
    async (_what, criteria_results, failed) => {
      verifies('JOBS-X.16');
      const project = reviewed({ passed: true, feedback: 'Well done', criteria_results });
      const agent = await connect(project.root, { args });
      await agent.ok('start_workflow', START);
      const answer = await agent.ok('finished_step', REPORT);
      expect(answer.status).toBe('needs_work');
      const told = Object.entries(failed).map(([name, why]) => `${name}: ${why}`);
      const lacking = Object.values(failed).includes(NO_VERDICT);
      // A person must see that the reviewer is at fault, and which one it is.
      expect(answer.feedback).toMatch(
        lacking
          ? /reviewer gave no verdict, the reviewer is at fault.* The reviewer is .* the option --/
          : /^/,
      );
      expect(answer.feedback.split('; Where the reviewer')[0]).toBe(told.join('; '));
      if (!lacking) expect(answer.feedback).not.toContain('at fault');
      expect(answer.failed_criteria).toEqual(
        Object.entries(failed).map(([name, feedback]) => ({
          criterion: CRITERIA[name as keyof typeof CRITERIA],
          passed: false,
          feedback,
        })),
      );
      expect(answer.failed_reviews).toMatchObject([{ passed: false, review_run_each: 'report' }]);
    },
  );

  test.each([
    ['by name', [yes('clear'), yes('short')]],
    ['by text', [yes('It is clear'), yes('It is short')]],
    ['and others', [yes('short'), no('funny'), yes('clear')]],
  ])('says passed, and every criterion passed, %s', async (_how, criteria_results) => {
    verifies('JOBS-X.16');
    const project = reviewed({ passed: true, feedback: '', criteria_results });
    const agent = await connect(project.root, { args });
    await agent.ok('start_workflow', START);
    expect((await agent.ok('finished_step', REPORT)).status).toBe('next_step');
  });

  test.each([
    [true, 'next_step'],
    [false, 'needs_work'],
  ])('says passed: %s without criteria, which decides: %s', async (passed, status) => {
    verifies('JOBS-X.16');
    const project = reviewed({ passed, feedback: 'So it is' });
    const agent = await connect(project.root, { args });
    await agent.ok('start_workflow', START);
    expect((await agent.ok('finished_step', REPORT)).status).toBe(status);
  });

  test('says failed, which counts although every criterion passed', async () => {
    verifies('JOBS-X.16');
    const criteria_results = [yes('clear'), yes('short')];
    const project = reviewed({ passed: false, feedback: 'I do not like it', criteria_results });
    const agent = await connect(project.root, { args });
    await agent.ok('start_workflow', START);
    const answer = await agent.ok('finished_step', REPORT);
    expect(answer).toMatchObject({ status: 'needs_work', feedback: 'I do not like it' });
  });
});
