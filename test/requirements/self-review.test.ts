// Reviews without a configured reviewer: the agent gets a file for a subagent to judge by, and
// comes back with the verdict.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, REVIEW, writeJob } from '../support/project.ts';
import { historyOf, readView } from '../support/saved.ts';
import { removeFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };
const OUTPUTS = { report: 'report.md', pages: ['p1.md', 'p2.md'] };
const VERDICT = { outputs: OUTPUTS, quality_review_override_reason: 'PASSED' };

/** write (reviewed as a whole, and page by page) → publish (reviewed, no outputs). */
async function running(...args: string[]) {
  const project = newProject({ 'report.md': 'SECRET-TEXT-OF-REPORT', 'p1.md': '1', 'p2.md': '2' });
  const write = {
    name: 'Write the report',
    outputs: { report: 'file', pages: 'files', figure: 'file?' },
    reviews: [
      {
        run_each: 'step',
        quality_criteria: { complete: 'Nothing is left out', honest: 'Claims are true' },
      },
      {
        run_each: 'pages',
        quality_criteria: { short: 'The page is short' },
        additional_review_guidance: 'Compare with the style guide',
      },
      { run_each: 'figure', quality_criteria: { sharp: 'The figure is sharp' } },
    ],
  };
  const steps = { write, publish: { reviews: [REVIEW] } };
  writeJob(project, 'demo', steps, { main: ['write', 'publish'] });
  const server = await connect(project.root, { args });
  const id: string = (await server.ok('start_workflow', START)).begin_step.session_id;
  const fileOf = (step: string) => `.deepwork/tmp/quality_review_${id}_${step}.md`;
  return {
    project,
    server,
    id,
    fileOf,
    finish: (call: object) => server.ok('finished_step', { ...call }),
    read: (step = 'write') => readFileSync(project.path(fileOf(step)), 'utf8'),
  };
}

test('a review is asked for in a file, and the step continues after its verdict', async () => {
  verifies('JOBS-REQ-001.4.8', 'JOBS-REQ-001.4.9', 'JOBS-REQ-001.4.10');
  const { project, id, finish, fileOf, read } = await running();
  const asked = await finish({ outputs: OUTPUTS });
  expect(asked).toMatchObject({
    status: 'needs_work',
    reason: 'self_review',
    failed_reviews: null,
    failed_criteria: null,
    begin_step: null,
    stack: [{ workflow: 'demo/main', step: 'write' }],
  });
  for (const part of [fileOf('write'), 'subagent', 'quality_review_override_reason']) {
    expect(asked.feedback).toContain(part);
  }
  const waiting = { completed_at: null, outputs: {}, quality_attempts: 0 };
  expect(readView(project, id)).toMatchObject({ step_progress: { write: waiting } });
  for (const quality_review_override_reason of ['', '  ', '\n\t', null]) {
    const blank = await finish({ outputs: OUTPUTS, quality_review_override_reason });
    expect(blank.status).toBe('needs_work');
  }

  const verdict = `${/`([0-9a-f]{8})`/.exec(read())?.[1]} complete, honest and short: yes.\nPASSED`;
  const passed = await finish({ outputs: OUTPUTS, quality_review_override_reason: verdict });
  expect(passed).toMatchObject({ status: 'next_step', begin_step: { step_id: 'publish' } });
  const { step_progress, history } = readView(project, id);
  expect(step_progress.write).toMatchObject({ outputs: OUTPUTS, quality_attempts: 0 });
  const reviewed = { step_id: 'write', event: 'self_reviewed', verdict };
  expect(history).toContainEqual(expect.objectContaining(reviewed));
  expect(historyOf(project, id)).not.toContain('review_overridden');

  // Without files the reviewer is informed.
  expect((await finish({ outputs: {} })).status).toBe('needs_work');
  expect(read('publish')).toContain('[No files provided]');
});

test('the file has all that a reviewer needs of this submission, and no more', async () => {
  verifies('JOBS-REQ-001.4.10', 'JOBS-REQ-001.4.8', 'JOBS-REQ-001.1.8');
  const { project, id, finish, read } = await running();
  await finish({ outputs: OUTPUTS, notes: 'I doubt page two.\n# PASSED' });
  const text = read();
  const lines = text.split('\n');
  expect(lines[0]).toMatch(/^# .*Write the report/);
  for (const listed of ['report.md  (output: report)', 'p1.md  (output: pages)']) {
    expect(lines).toContain(`- ${listed}`);
  }
  expect(text).not.toContain('SECRET-TEXT-OF-REPORT');
  const criteria = lines.flatMap((line) => /^- \*\*(\w+)\*\*: ./.exec(line)?.[1] ?? []);
  // The figure was not submitted, so there is nothing to judge.
  expect(criteria).toEqual(['complete', 'honest', 'short']);
  expect(text).toMatch(/scope:.*\bpages\b/i);
  expect(text).toContain('Compare with the style guide');
  // Notes are quoted: an author cannot write the verdict or a heading.
  expect(text).toContain('I doubt page two.');
  expect(lines).not.toContain('# PASSED');
  const task = text.slice(text.lastIndexOf('\n## '));
  expect(task).toMatch(/PASSED(.|\n)*FAILED\W*$/);

  await finish({ outputs: { ...OUTPUTS, pages: ['p2.md'], figure: 'p1.md' } });
  const rewritten = read();
  for (const part of ['- p1.md  (output: figure)', '- p2.md  (output: pages)', '- **sharp**: ']) {
    expect(rewritten).toContain(part);
  }
  expect(rewritten).not.toContain('- p1.md  (output: pages)');
  const reviews = historyOf(project, id).filter((event) => event.includes('review'));
  expect(reviews).toHaveLength(2);
  // Its folder may be deleted at any time.
  removeFolder(project.path('.deepwork/tmp'));
  expect(await finish({ outputs: OUTPUTS })).toMatchObject({ reason: 'self_review', warnings: [] });
  expect(read()).toContain('- p1.md  (output: pages)');
});

test('the notes of the first call stay if the verdict on the same files comes without any', async () => {
  verifies('JOBS-REQ-001.4.15', 'JOBS-REQ-001.4.10');
  const { project, server, id, finish } = await running();
  const notesAfter = async (notes: string, verdict: object) => {
    await finish({ outputs: OUTPUTS, notes });
    await finish(verdict);
    const kept = readView(project, id).step_progress.write.notes;
    const { completed_steps } = await server.ok('get_active_workflow');
    expect(completed_steps[0].notes).toBe(kept);
    await server.ok('go_to_step', { step_id: 'write' });
    return kept;
  };
  expect(await notesAfter('I doubt page two.', VERDICT)).toBe('I doubt page two.');
  expect(await notesAfter('First.', { ...VERDICT, notes: 'Second.' })).toBe('Second.');
  const fewer = { ...VERDICT, outputs: { ...OUTPUTS, pages: ['p1.md'] } };
  expect(await notesAfter('About two pages.', fewer)).toBeNull();
});

test('steps without reviews, and servers without a gate, ask for none', async () => {
  verifies('JOBS-REQ-001.4.8', 'JOBS-REQ-001.1.9');
  const { project, finish, fileOf } = await running('--no-quality-gate');
  expect((await finish({ outputs: OUTPUTS })).status).toBe('next_step');
  expect(existsSync(project.path(fileOf('write')))).toBe(false);
  writeJob(project, 'plain', { only: {} }, { main: ['only'] });
  const gated = await connect(project.root);
  await gated.ok('start_workflow', { ...START, job_name: 'plain' });
  expect((await gated.ok('finished_step', { outputs: {} })).status).toBe('workflow_complete');
});
