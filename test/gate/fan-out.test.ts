// What is reviewed, and what need not be reviewed again.

import { describe, expect, test } from 'vitest';
import { timeoutSeconds } from '../../src/gate/review/reviewer.ts';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { PASS, REVIEW_COMMAND, script, seen } from '../support/reviewer.ts';
import { readView } from '../support/saved.ts';
import { until } from '../support/until.ts';
import { verifies } from '../verifies.ts';

const GATE = ['--quality-gate', REVIEW_COMMAND];
const START = { job_name: 'work', workflow_name: 'main', goal: 'Get it done' };
const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f'];

function withFiles(runEach: string, count: number): { project: Project; files: string[] } {
  const files = LETTERS.slice(0, count).map((letter) => `${letter}.md`);
  const project = newProject(Object.fromEntries(files.map((file) => [file, `Text of ${file}\n`])));
  writeJob(
    project,
    'work',
    {
      write: {
        outputs: { parts: 'files', summary: 'file?' },
        reviews: [{ run_each: runEach, quality_criteria: { clear: 'It is clear' } }],
      },
      after: {},
    },
    { main: ['write', 'after'] },
  );
  script(project, { answer: PASS });
  return { project, files };
}

describe('tasks', () => {
  test('one for the step, with up to five files shown', async () => {
    verifies('JOBS-X.15');
    const { project, files } = withFiles('step', 5);
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    await agent.ok('finished_step', { outputs: { parts: files } });
    const [review, ...others] = seen(project);
    expect(others).toEqual([]);
    for (const file of files) expect(review?.stdin).toContain(`Text of ${file}`);
  });

  test('six files are listed, not shown', async () => {
    verifies('JOBS-X.15');
    const { project, files } = withFiles('step', 6);
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    await agent.ok('finished_step', { outputs: { parts: files } });
    const [review] = seen(project);
    for (const file of files) expect(review?.stdin).toContain(`- ${file}  (output: parts)`);
    expect(review?.stdin).not.toContain('Text of');
  });

  test('one per file of a files output, none for an output that was not given', async () => {
    verifies('JOBS-X.15');
    const each = withFiles('parts', 3);
    const agent = await connect(each.project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    await agent.ok('finished_step', { outputs: { parts: each.files } });
    expect(seen(each.project)).toHaveLength(3);

    const absent = withFiles('summary', 1);
    const other = await connect(absent.project.root, { args: GATE });
    await other.ok('start_workflow', START);
    const answer = await other.ok('finished_step', { outputs: { parts: absent.files } });
    expect(answer.status).toBe('next_step');
    expect(seen(absent.project)).toEqual([]);
  });

  test('large and binary files, and a megabyte of notes', async () => {
    verifies('JOBS-X.15');
    const { project } = withFiles('step', 1);
    project.write('image.png', Buffer.from([0x89, 0x50, 0, 1, 2]));
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    const notes = 'n'.repeat(1024 * 1024);
    await agent.ok('finished_step', { outputs: { parts: ['image.png'] }, notes });
    expect(seen(project)[0]?.stdin).toContain('[Binary file of 5 bytes, not shown]');
    expect(seen(project)[0]?.stdin).toContain(notes);

    await agent.ok('go_to_step', { step_id: 'write' });
    project.write('big.md', 'x'.repeat(256 * 1024 + 1));
    await agent.ok('finished_step', { outputs: { parts: ['big.md'] } });
    expect(seen(project)[1]?.stdin).toContain('- big.md  (output: parts)');
  });

  test('run a few at a time', async () => {
    verifies('JOBS-X.15', 'JOBS-X.24');
    const { project, files } = withFiles('parts', 6);
    project.write(
      '.deepwork/config.yml',
      JSON.stringify({ git: { branch: 'off' }, quality_gate: { max_parallel: 2 } }),
    );
    script(project, { sleep: 300, answer: PASS });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    await agent.ok('finished_step', { outputs: { parts: files } });
    const starts = seen(project)
      .map(({ at }) => at)
      .sort((a, b) => a - b);
    expect(starts).toHaveLength(6);
    for (const [index, at] of starts.entries()) {
      const before = starts[index - 2];
      if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(290);
    }
  });

  test.each([
    [120, 0, 120],
    [120, 4999, 120],
    [120, 5000, 150],
    [120, 10_000, 180],
    [120, 10_000_000, 1800],
    [3600, 10_000_000, 3600],
  ])('base %i s and %i bytes: %i s', (base, bytes, seconds) => {
    verifies('JOBS-X.15');
    expect(timeoutSeconds(base, bytes)).toBe(seconds);
  });
});

describe('evidence', () => {
  test('after fixing one of five files, only that file is reviewed', async () => {
    verifies('JOBS-REQ-001.4.12');
    const { project, files } = withFiles('parts', 5);
    script(
      project,
      { when: 'Text of c.md', answer: { passed: false, feedback: 'c is poor' } },
      { answer: PASS },
    );
    const agent = await connect(project.root, { args: GATE });
    const { begin_step } = await agent.ok('start_workflow', START);
    const first = await agent.ok('finished_step', { outputs: { parts: files } });
    expect(first.failed_reviews).toEqual([
      expect.objectContaining({ target_file: 'c.md', feedback: 'c is poor' }),
    ]);
    expect(seen(project)).toHaveLength(5);

    project.write('c.md', 'Better.\n');
    expect((await agent.ok('finished_step', { outputs: { parts: files } })).status).toBe(
      'next_step',
    );
    expect(seen(project)).toHaveLength(6);
    expect(seen(project)[5]?.stdin).toContain('Better.');
    const ran = readView(project, begin_step.session_id).history.filter(
      ({ event }: { event: string }) => event === 'review_ran',
    );
    expect(
      ran.map(({ name, passed }: { name: string; passed: boolean }) => [name, passed]),
    ).toEqual([
      ['a.md', true],
      ['b.md', true],
      ['c.md', false],
      ['d.md', true],
      ['e.md', true],
      ['c.md', true],
    ]);
  });

  test('a failed review of unchanged files runs again, and a step that is entered again starts without evidence', async () => {
    verifies('JOBS-REQ-001.4.12', 'JOBS-X.21');
    const { project, files } = withFiles('parts', 1);
    script(project, { answer: { passed: false, feedback: 'no' } });
    const agent = await connect(project.root, { args: GATE });
    await agent.ok('start_workflow', START);
    await agent.ok('finished_step', { outputs: { parts: files } });
    await agent.ok('finished_step', { outputs: { parts: files } });
    expect(seen(project)).toHaveLength(2);
    script(project, { answer: PASS });
    await agent.ok('finished_step', { outputs: { parts: files } });
    await agent.ok('go_to_step', { step_id: 'write' });
    await agent.ok('finished_step', { outputs: { parts: files } });
    expect(seen(project)).toHaveLength(4);
  });

  test('a file that changes while it is judged does not count as judged', async () => {
    verifies('JOBS-X.11');
    const { project, files } = withFiles('parts', 1);
    script(project, { until: 'go', answer: PASS });
    const agent = await connect(project.root, { args: GATE });
    const { begin_step } = await agent.ok('start_workflow', START);
    const call = agent.call('finished_step', { outputs: { parts: files } });
    await until(() => seen(project).length === 1);
    project.write('a.md', 'Something else entirely.\n');
    project.write('go', '');
    expect((await call).text).toMatch(/^Output file 'a.md' changed while it was judged/);
    expect(readView(project, begin_step.session_id).current_step_id).toBe('write');
  });
});
