// Attempts at a review: recorded before it begins, and counted whether it passes or fails.

import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { FAIL, PASS, REVIEW_COMMAND, script } from '../support/reviewer.ts';
import { readView } from '../support/saved.ts';
import { verifies } from '../verifies.ts';

const GATE = ['--quality-gate', REVIEW_COMMAND];
const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };

/** Two concurrent members, so that one can be submitted again after it has passed. */
function reviewed(): Project {
  const project = newProject({ 'a.md': 'good', 'b.md': 'The other.' });
  const member = (name: string) => ({ outputs: { [name]: 'file' as const }, reviews: [REVIEW] });
  writeJob(
    project,
    'work',
    { one: member('a'), two: member('b'), after: {} },
    { main: [['one', 'two'], 'after'] },
  );
  script(project, { when: 'bad', answer: FAIL }, { answer: PASS });
  return project;
}

test('a review that passes counts, so that the error comes with the last attempt', async () => {
  verifies('JOBS-REQ-001.4.11', 'JOBS-REQ-001.4.13');
  const project = reviewed();
  const agent = await connect(project.root, { args: GATE });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const attempts = () => readView(project, id).step_progress.one.quality_attempts;
  const submit = { outputs: { a: 'a.md' } };

  const passed = await agent.ok('finished_step', submit);
  expect(passed).toMatchObject({ status: 'needs_work', reason: 'members_open' });
  expect(attempts()).toBe(1);
  project.write('a.md', 'bad');
  const failed = await agent.ok('finished_step', submit);
  expect(failed).toMatchObject({ status: 'needs_work', reason: 'reviews' });
  expect(attempts()).toBe(2);
  const refusal = await agent.refused('finished_step', submit);
  expect(refusal).toContain('Quality gate failed after 3 attempts. Feedback: ');
  expect(attempts()).toBe(3);
});

test('a reviewer that fails beside one with a negative verdict uses up the attempt', async () => {
  verifies('JOBS-REQ-001.4.11', 'JOBS-X.17');
  const project = newProject({ 'one.md': 'bad', 'two.md': 'broken' });
  const review = { ...REVIEW, run_each: 'pages' };
  writeJob(
    project,
    'work',
    { write: { outputs: { pages: 'files' }, reviews: [review] } },
    { main: ['write'] },
  );
  script(project, { when: 'broken', exit: 1 }, { when: 'bad', answer: FAIL }, { answer: PASS });
  const agent = await connect(project.root, { args: GATE });
  const id = (await agent.ok('start_workflow', START)).begin_step.session_id;
  const attempts = () => readView(project, id).step_progress.write.quality_attempts;
  const submit = { outputs: { pages: ['one.md', 'two.md'] } };
  expect((await agent.ok('finished_step', submit)).reason).toBe('reviews');
  expect(attempts()).toBe(1);
  project.write('one.md', 'good');
  expect(await agent.refused('finished_step', submit)).toContain('exit code 1');
  expect(attempts()).toBe(1);
  project.write('two.md', 'good');
  expect((await agent.ok('finished_step', submit)).status).toBe('workflow_complete');
  expect(attempts()).toBe(2);
});
