// deepwork lint: every problem where an editor can jump to it, and an exit code for CI.

import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { BINARY } from '../support/connect.ts';
import { lineOf, SOUND, spoil, writeJobText } from '../support/job-text.ts';
import { newProject } from '../support/project.ts';
import { deepwork, run } from '../support/run-command.ts';
import { verifies } from '../verifies.ts';

const BROKEN = spoil(
  ['dependencies: [first]', 'dependencies: [first, ghost]'],
  ['steps: [first, second]', 'steps: [first, second, spook]'],
);

describe('deepwork lint', () => {
  test('exits with 0 when nothing is wrong', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'sample', SOUND);
    const ran = await deepwork(['lint'], { cwd: project.root });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    // The project's own and the bundled ones.
    expect(ran.stdout).toBe('2 jobs and 3 guides checked: 0 problems, 0 warnings\n');
  });

  test('prints each problem as file:line:column and exits with 1', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'sample', SOUND);
    writeJobText(project, 'zz_broken', BROKEN.replace('name: sample', 'name: zz_broken'));
    const { code, stdout } = await deepwork(['lint'], { cwd: project.root });
    const file = path.join('.deepwork', 'jobs', 'zz_broken', 'job.yml');
    const at = (piece: string) => {
      const line = lineOf(BROKEN, piece);
      return `${file}:${line}:${(BROKEN.split('\n')[line - 1] ?? '').indexOf(piece) + 1}`;
    };
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n')).toEqual([
      `${at('ghost')}: problem: Step 'second' depends on non-existent step 'ghost'`,
      `${at('spook')}: problem: Workflow 'main' references non-existent step 'spook'`,
      '3 jobs and 3 guides checked: 2 problems, 0 warnings',
    ]);
  });

  test('exits with 0 for warnings alone, and prints them too', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    writeJobText(project, 'other', SOUND);
    const { code, stdout } = await deepwork(['lint'], { cwd: project.root });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /job\.yml:1:\d+: warning: Job name 'sample' differs from directory 'other'\n/,
    );
    expect(stdout).toMatch(/0 problems, 1 warning\n$/);
  });

  test('checks the settings of the project, too', async () => {
    const project = newProject({ '.deepwork/config.yml': 'team:\n  notfy: x\n' });
    const { code, stdout } = await deepwork(['lint'], { cwd: project.root });
    expect(code).toBe(1);
    expect(stdout).toMatch(/problem: \.deepwork\/config\.yml .*notfy/);
    expect(stdout).toContain('1 problem,');
  });

  test('checks what it is pointed at', async () => {
    verifies('JOBS-X.3', 'JOBS-X.24');
    const project = newProject();
    writeJobText(project, 'sample', SOUND);
    writeJobText(project, 'broken', BROKEN);
    const elsewhere = newProject().root;
    const jobs = project.path('.deepwork/jobs');
    const problems = async (cwd: string, ...args: string[]) => {
      const { code, stdout } = await deepwork(['lint', ...args], { cwd });
      return [code, /(\d+) problem/.exec(stdout.split('\n').at(-2) ?? '')?.[1]];
    };
    expect(await problems(elsewhere, path.join(jobs, 'sample/job.yml'))).toEqual([0, '0']);
    expect(await problems(elsewhere, path.join(jobs, 'broken'))).toEqual([1, '2']);
    expect(await problems(project.root, '.deepwork/jobs')).toEqual([1, '2']);
    expect(await problems(elsewhere, project.root)).toEqual([1, '2']);
    expect(await problems(elsewhere, '--path', project.root)).toEqual([1, '2']);
    expect(await problems(elsewhere), 'the bundled job only').toEqual([0, '0']);
    expect(await problems(elsewhere, 'ghost.yml')).toEqual([1, '1']);
  });

  test('stays within bounds on a hostile file', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    const ghosts = Array.from({ length: 10_000 }, (_, index) => `ghost_${index}`).join(', ');
    writeJobText(project, 'sample', spoil(['dependencies: [first]', `dependencies: [${ghosts}]`]));
    const { code, stdout } = await deepwork(['lint'], { cwd: project.root });
    expect(code).toBe(1);
    expect(stdout.length).toBeLessThan(1024 * 1024);
    expect(stdout).toMatch(/\d{3,} more problems\n/);
    // Nothing that a terminal would take for a command.
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  test('ends quietly when nobody reads on', async () => {
    verifies('JOBS-X.3');
    const project = newProject();
    const surplus = Array.from({ length: 3000 }, (_, index) => `surplus_${index}: 1\n`).join('');
    writeJobText(project, 'sample', SOUND + surplus);
    const pipe = `"${process.execPath}" "${BINARY}" lint | head -n 1`;
    const { stdout, stderr } = await run('sh', ['-c', pipe], { cwd: project.root });
    expect(stdout).toMatch(/^\S+job\.yml:\d+:1: problem: .*\n$/);
    expect(stderr).toBe('');
  });
});
