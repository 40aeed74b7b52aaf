// Edges of what a job.yml may hold and of where it may be: the last value that is allowed, the
// first that is not, and problems that must be reported at each call and not only once.

import { renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { SOUND, spoil, writeJobText } from '../support/job-text.ts';
import { newProject } from '../support/project.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

/** What lint says of a job.yml with this text. */
async function lint(text: string): Promise<string> {
  const project = newProject();
  const dir = writeJobText(project, 'sample', text);
  return (await command(['lint', dir], { cwd: project.root })).stdout;
}

describe('limits of a job.yml', () => {
  test('an alias may reach the 64th level, and no deeper one', async () => {
    verifies('JOBS-X.3');
    // The alias stands on level 3: in a list, in the map of the whole file.
    const aliased = (levels: number) =>
      `a: &deep ${'['.repeat(levels)}${']'.repeat(levels)}\nb: [*deep]\n`;
    expect(await lint(aliased(62))).not.toContain('nested deeper');
    expect(await lint(aliased(63))).toContain('2:5: problem: nested deeper than 64 levels');
  });

  test('a check may take a whole day, and no longer', async () => {
    verifies('JOBS-X.3');
    const withTimeout = (seconds: number) =>
      spoil([
        'outputs: {}\n    reviews: []',
        `outputs: {}\n    reviews: []\n    checks: [{name: slow, run: "true", timeout_seconds: ${seconds}}]`,
      ]);
    expect(await lint(withTimeout(86_400))).toContain('0 problems');
    expect(await lint(withTimeout(86_401))).toContain('above 0 and up to 86400');
  });
});

test('a step that is no map is one problem, and not one more for each key that it lacks', async () => {
  verifies('JOBS-X.3');
  const text = spoil([
    SOUND.slice(SOUND.indexOf('steps:'), SOUND.indexOf('workflows:')),
    'steps: [x]\n',
  ]);
  const problems = (await lint(text)).split('\n').filter((line) => line.includes(': problem: '));
  // The workflow names two steps that are not there now.
  expect(problems.filter((line) => !line.includes('non-existent'))).toEqual([
    expect.stringContaining("found the text 'x'"),
  ]);
});

test('problems beyond a thousand are counted, and the count is said to be a lower bound', async () => {
  verifies('JOBS-X.3');
  const project = newProject();
  writeJobText(project, 'sample', `${SOUND}${'name: again\n'.repeat(1100)}`);
  const agent = await connect(project.root);
  const { errors } = await agent.ok('get_workflows');
  const lines = errors[0].error.split('\n');
  // Whatever fits into an answer is shown; of the rest at least so many are left.
  expect(lines.at(-1)).toBe(`and at least ${1100 - (lines.length - 1)} more problems`);
});

describe('where jobs are', () => {
  test('a jobs folder that cannot be read is reported at every call', async () => {
    const project = newProject({ '.deepwork/jobs': 'Not a folder\n' });
    const agent = await connect(project.root);
    for (const call of ['first', 'second', 'third']) {
      // What is kept of a listing is kept only once the folder is old enough.
      await new Promise((resolve) => setTimeout(resolve, 60));
      const { errors } = await agent.ok('get_workflows');
      expect(errors, call).toEqual([
        {
          job_name: 'jobs',
          job_dir: project.path('.deepwork/jobs'),
          error: expect.stringContaining('Cannot read jobs folder'),
        },
      ]);
    }
  });

  test('a running job whose directory is replaced by a link out of the project is not followed', async () => {
    const project = newProject();
    const dir = writeJobText(project, 'sample', SOUND);
    const agent = await connect(project.root);
    const start = { goal: 'Try it', job_name: 'sample', workflow_name: 'main' };
    await agent.ok('start_workflow', start);
    const outside = path.join(tempFolder(), 'sample');
    renameSync(dir, outside);
    symlinkSync(outside, dir);
    for (const tool of ['get_active_workflow', 'finished_step']) {
      const args = tool === 'finished_step' ? { outputs: { 'notes.md': 'notes.md' } } : {};
      expect(await agent.refused(tool, args), tool).toContain('outside the project');
    }
  });
});
