// Reviews without a configured reviewer: the agent gets a file for a subagent to judge by, and
// comes back with the verdict.

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectWhole } from '../support/answers.ts';
import { ERAS } from '../support/calls.ts';
import { connect } from '../support/connect.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { historyOf, readView } from '../support/saved.ts';
import { removeFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };

/** write (reviewed as a whole, and page by page) → publish (reviewed, no outputs). */
function newReviewed(): Project {
  const project = newProject({ 'report.md': 'SECRET-TEXT-OF-REPORT', 'p1.md': '1', 'p2.md': '2' });
  writeJob(
    project,
    'demo',
    {
      write: {
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
      },
      publish: { reviews: [REVIEW] },
    },
    { main: ['write', 'publish'] },
  );
  return project;
}

const OUTPUTS = { report: 'report.md', pages: ['p1.md', 'p2.md'] };

describe('finished_step: self-review', () => {
  test.each(ERAS)('asks for a review, and continues after its verdict (%s)', async (era) => {
    verifies('JOBS-REQ-001.4.8', 'JOBS-REQ-001.4.9', 'JOBS-REQ-001.4.10');
    const project = newReviewed();
    const server = await connect(project.root, { era });
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    const asked = expectWhole(
      'finished_step',
      await server.call('finished_step', { outputs: OUTPUTS }),
    );
    expect(asked).toMatchObject({
      status: 'needs_work',
      failed_reviews: null,
      failed_criteria: null,
      begin_step: null,
      summary: null,
      all_outputs: null,
      stack: [{ workflow: 'demo/main', step: 'write' }],
    });
    const file = `.deepwork/tmp/quality_review_${id}_write.md`;
    for (const part of [file, 'subagent', 'quality_review_override_reason']) {
      expect(asked.feedback).toContain(part);
    }
    expect(existsSync(project.path(file))).toBe(true);
    expect(readView(project, id)).toMatchObject({
      status: 'active',
      current_step_id: 'write',
      step_progress: { write: { completed_at: null, outputs: {}, quality_attempts: 0 } },
    });

    const code = /`([0-9a-f]{8})`/.exec(readFileSync(project.path(file), 'utf8'))?.[1];
    const verdict = `${code} complete, honest and short: yes.\nPASSED`;
    const passed = expectWhole(
      'finished_step',
      await server.call('finished_step', {
        outputs: OUTPUTS,
        quality_review_override_reason: verdict,
      }),
    );
    expect(passed).toMatchObject({ status: 'next_step', begin_step: { step_id: 'publish' } });
    const view = readView(project, id);
    expect(view.step_progress.write).toMatchObject({ outputs: OUTPUTS, quality_attempts: 0 });
    expect(view.history).toContainEqual(
      expect.objectContaining({ step_id: 'write', event: 'self_reviewed', verdict }),
    );
  });

  test('the file has all that a reviewer needs, and no more', async () => {
    verifies('JOBS-REQ-001.4.10', 'JOBS-REQ-001.4.8');
    const project = newReviewed();
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    const notes = 'I doubt page two.\n# PASSED';
    await server.ok('finished_step', { outputs: OUTPUTS, notes });
    const file = project.path(`.deepwork/tmp/quality_review_${id}_write.md`);
    const text = readFileSync(file, 'utf8');
    const lines = text.split('\n');

    expect(lines[0]).toMatch(/^# .*Write the report/);
    expect(text).toMatch(/you are .*reviewer/i);
    for (const listed of ['report.md', 'p1.md', 'p2.md']) {
      const output = listed === 'report.md' ? 'report' : 'pages';
      expect(lines).toContain(`- ${listed}  (output: ${output})`);
    }
    expect(text).not.toContain('SECRET-TEXT-OF-REPORT');

    const criteria = ['complete', 'honest', 'short'].map((name) =>
      lines.findIndex((line) => line.startsWith(`- **${name}**: `)),
    );
    expect(criteria).not.toContain(-1);
    expect(criteria).toEqual([...criteria].sort((a, b) => a - b));
    expect(lines).toContain('- **honest**: Claims are true');
    expect(text).toMatch(/scope:.*\bpages\b/i);
    expect(text).toContain('Compare with the style guide');
    // The figure was not submitted, so there is nothing to judge.
    expect(text).not.toContain('sharp');

    expect(text).toContain('I doubt page two.');
    // Notes are quoted: an author cannot write the verdict or a heading.
    expect(lines).not.toContain('# PASSED');
    const task = text.slice(text.lastIndexOf('\n## '));
    expect(task).toContain('PASSED');
    expect(task.trimEnd()).toMatch(/FAILED\W*$/);
  });

  test('the notes of the first call stay if the verdict comes without any', async () => {
    verifies('JOBS-REQ-001.4.15', 'JOBS-REQ-001.4.10');
    const project = newReviewed();
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    const notesOfWrite = () => readView(project, id).step_progress.write.notes;
    const verdict = { outputs: OUTPUTS, quality_review_override_reason: 'PASSED' };
    await server.ok('finished_step', { outputs: OUTPUTS, notes: 'I doubt page two.' });
    await server.ok('finished_step', verdict);
    expect(notesOfWrite()).toBe('I doubt page two.');
    const { completed_steps } = await server.ok('get_active_workflow');
    expect(completed_steps[0].notes).toBe('I doubt page two.');
    // The same call again gets the same answer, and changes nothing.
    const again = await server.ok('finished_step', verdict);
    expect(again).toMatchObject({ status: 'next_step', begin_step: { step_id: 'publish' } });
    expect(notesOfWrite()).toBe('I doubt page two.');

    await server.ok('go_to_step', { step_id: 'write' });
    await server.ok('finished_step', { outputs: OUTPUTS, notes: 'First.' });
    await server.ok('finished_step', { ...verdict, notes: 'Second.' });
    expect(notesOfWrite()).toBe('Second.');

    await server.ok('go_to_step', { step_id: 'write' });
    await server.ok('finished_step', { outputs: OUTPUTS, notes: 'About two pages.' });
    await server.ok('finished_step', { ...verdict, outputs: { ...OUTPUTS, pages: ['p1.md'] } });
    expect(notesOfWrite()).toBeNull();
  });

  test('the file is rewritten for each submission', async () => {
    verifies('JOBS-REQ-001.4.10');
    const project = newReviewed();
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    const read = () =>
      readFileSync(project.path(`.deepwork/tmp/quality_review_${id}_write.md`), 'utf8');
    await server.ok('finished_step', { outputs: OUTPUTS });
    await server.ok('finished_step', {
      outputs: { ...OUTPUTS, pages: ['p2.md'], figure: 'p1.md' },
    });
    expect(read()).toContain('- p1.md  (output: figure)');
    expect(read()).toContain('- p2.md  (output: pages)');
    expect(read()).not.toContain('- p1.md  (output: pages)');
    expect(read()).toContain('- **sharp**: The figure is sharp');
    expect(historyOf(project, id).filter((event) => event.includes('review'))).toHaveLength(2);
  });

  test('without files the reviewer is informed', async () => {
    verifies('JOBS-REQ-001.4.10');
    const project = newReviewed();
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    await server.ok('finished_step', {
      outputs: OUTPUTS,
      quality_review_override_reason: 'PASSED',
    });
    const asked = await server.ok('finished_step', { outputs: {} });
    expect(asked.status).toBe('needs_work');
    const text = readFileSync(
      project.path(`.deepwork/tmp/quality_review_${id}_publish.md`),
      'utf8',
    );
    expect(text).toContain('[No files provided]');
    expect(text).toContain('- **good**: It is good');
  });

  test('the folder of the file may be deleted at any time', async () => {
    verifies('JOBS-REQ-001.4.10');
    const project = newReviewed();
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    removeFolder(project.path('.deepwork/tmp'));
    const asked = await server.ok('finished_step', { outputs: OUTPUTS });
    expect(asked).toMatchObject({ status: 'needs_work', warnings: [] });
    expect(existsSync(project.path(`.deepwork/tmp/quality_review_${id}_write.md`))).toBe(true);
  });

  test('a blank reason does not count', async () => {
    verifies('JOBS-REQ-001.4.9');
    const project = newReviewed();
    const server = await connect(project.root);
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    for (const quality_review_override_reason of ['', '  ', '\n\t', null]) {
      const answer = await server.ok('finished_step', {
        outputs: OUTPUTS,
        quality_review_override_reason,
      });
      expect(answer.status).toBe('needs_work');
    }
    expect(historyOf(project, id)).not.toContain('review_overridden');
  });

  test('steps without reviews, and servers without a gate, ask for none', async () => {
    verifies('JOBS-REQ-001.4.8');
    const project = newReviewed();
    writeJob(project, 'plain', { only: {} }, { main: ['only'] });
    const server = await connect(project.root, { args: ['--no-quality-gate'] });
    const id = (await server.ok('start_workflow', START)).begin_step.session_id;
    expect((await server.ok('finished_step', { outputs: OUTPUTS })).status).toBe('next_step');
    expect(existsSync(project.path(`.deepwork/tmp/quality_review_${id}_write.md`))).toBe(false);

    const gated = await connect(project.root);
    await gated.ok('start_workflow', { ...START, job_name: 'plain' });
    expect((await gated.ok('finished_step', { outputs: {} })).status).toBe('workflow_complete');
  });
});
