// Which project a command at a terminal works in if it is started below one.

import { chownSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { lineOf, spoil, writeJobText } from '../support/job-text.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const START = ['--job_name', 'demo', '--workflow_name', 'main', '--goal', 'Try it'];

/** A project with a folder below it, and that folder's path. */
function projectWithFolder(below = 'src/deep'): { project: Project; folder: string } {
  const project = newProject();
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  const folder = project.path(below);
  mkdirSync(folder, { recursive: true });
  return { project, folder };
}

async function jobsSeen(cwd: string, env: Record<string, string> = {}): Promise<string[]> {
  const { stdout, stderr } = await command(['call', 'get_workflows'], { cwd, env });
  expect(stdout, stderr).toMatch(/^\{/);
  const { jobs } = JSON.parse(stdout) as { jobs: { name: string }[] };
  return jobs.map(({ name }) => name).filter((name) => name !== 'deepwork_jobs');
}

test('every command works in the project above, and makes no second .deepwork', async () => {
  verifies('JOBS-X.24', 'JOBS-X.3');
  const { project, folder } = projectWithFolder();
  const started = await command(['call', 'start_workflow', ...START], { cwd: folder });
  expect(started).toMatchObject({ code: 0 });
  expect(existsSync(project.path('.deepwork/journal'))).toBe(true);
  expect(await jobsSeen(project.path('.deepwork/jobs/demo'))).toEqual(['demo']);
  const reviewer = 'quality_gate: {agent_review_command: some-reviewer}\n';
  project.write('.deepwork/config.yml', reviewer);
  expect((await command(['trust'], { cwd: folder })).stdout).toContain(project.root);
  const launched = await deepwork(['launch', '--', process.execPath, '-p', 'process.cwd()'], {
    cwd: folder,
  });
  expect(launched.stdout).toBe(`${project.root}\n`);
  for (const name of ['answer', 'messages', 'repair']) {
    expect(await command([name], { cwd: folder }), name).toMatchObject({ code: 0 });
  }
  const text = spoil(['dependencies: [first]', 'dependencies: [ghost]']);
  writeJobText(project, 'sample', text);
  const { code, stdout } = await command(['lint'], { cwd: folder });
  expect(code).toBe(1);
  const place = `../../.deepwork/jobs/sample/job.yml:${lineOf(text, 'ghost')}:`;
  expect(stdout, 'relative to the current folder').toContain(place);
  expect(existsSync(path.join(folder, '.deepwork'))).toBe(false);
});

test('--path names exactly that folder; serve uses the current one, and names the project above', async () => {
  verifies('JOBS-X.24');
  const { project, folder } = projectWithFolder();
  const { stdout } = await command(['call', 'get_workflows', '--path', '.'], { cwd: folder });
  expect(stdout).not.toContain('"demo"');
  for (const args of [['serve'], ['serve', '--path', '.']]) {
    expect((await deepwork(args, { cwd: folder })).stderr).toContain(project.root);
  }
  expect((await deepwork(['serve'], { cwd: project.root })).stderr).toBe('');
});

test('the search ends at the root of a git work tree, and at any .deepwork', async () => {
  verifies('JOBS-X.24');
  const { project, folder } = projectWithFolder('library/src');
  expect(await jobsSeen(folder)).toEqual(['demo']);
  // As in a submodule, where it is a file.
  project.write('library/.git', 'gitdir: elsewhere\n');
  expect(await jobsSeen(folder)).toEqual([]);
  rmSync(project.path('library/.git'));
  mkdirSync(project.path('.git'));
  expect(await jobsSeen(folder)).toEqual(['demo']);
  mkdirSync(path.join(folder, '.deepwork'));
  expect(await jobsSeen(folder)).toEqual([]);
});

test('the search ends below the home directory, whose .deepwork is no project', async () => {
  verifies('JOBS-X.24');
  const { project, folder } = projectWithFolder();
  expect(await jobsSeen(folder, { HOME: project.root })).toEqual([]);
  expect(await jobsSeen(project.root, { HOME: project.root })).toEqual(['demo']);
  expect(await jobsSeen(folder, { HOME: path.dirname(folder) })).toEqual([]);
});

test('a .deepwork that is a link is no project', async () => {
  verifies('JOBS-X.24');
  const { project } = projectWithFolder();
  const outer = tempFolder('inner/deep');
  symlinkSync(project.path('.deepwork'), path.join(outer, '.deepwork'));
  expect(await jobsSeen(path.join(outer, 'inner/deep'))).toEqual([]);
});

test.skipIf(process.getuid?.() !== 0)('nor is the folder of another user', async () => {
  verifies('JOBS-X.24');
  const { project, folder } = projectWithFolder();
  chownSync(project.path('.deepwork'), 12_345, 12_345);
  expect(await jobsSeen(folder)).toEqual([]);
});
