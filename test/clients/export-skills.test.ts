// Workflows as skills: `deepwork export skills`.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { command } from '../support/command.ts';
import { workflow } from '../support/guides.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const SKILLS = '.claude/skills';

function demo(): Project {
  const project = newProject();
  const steps = { a: { outputs: { report: 'file' } } };
  const workflows = { main: ['a'], [`w${'x'.repeat(90)}`]: ['a'] };
  writeJob(project, 'demo', steps, workflows, { summary: 'S'.repeat(150) });
  return project;
}

function exportSkills(project: Project, ...args: string[]) {
  return command(['export', 'skills', ...args], { cwd: project.root });
}

function skill(project: Project, name: string): string {
  return readFileSync(project.path(`${SKILLS}/${name}/SKILL.md`), 'utf8');
}

test('every workflow and guide becomes a skill within the limits of the form', async () => {
  verifies('CLIENT-8');
  const project = demo();
  const { code, stdout } = await deepwork(['export', 'skills'], { cwd: project.root });
  expect(code).toBe(0);
  const names = readdirSync(project.path(SKILLS)).sort();
  expect(names).toContain('demo-main');
  expect(names).toContain('ai-task-implementation');
  expect(names.length).toBeGreaterThanOrEqual(7);
  expect(stdout.trim().split('\n')).toHaveLength(names.length);
  for (const folder of names) {
    const [, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(skill(project, folder)) ?? [];
    const { name, description, ...rest } = parse(head);
    expect(name).toBe(folder);
    expect(name).toMatch(/^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(description.length).toBeGreaterThan(0);
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(rest).toEqual({});
  }
  expect(skill(project, 'demo-main')).toContain('"job_name":"demo","workflow_name":"main"');
});

test('only those that are named, into the folder that is named', async () => {
  verifies('CLIENT-8');
  const project = demo();
  const to = tempFolder();
  const { code } = await exportSkills(project, '--to', to, 'demo/main', 'auth-implementation');
  expect(code).toBe(0);
  expect(readdirSync(to).sort()).toEqual(['auth-implementation', 'demo-main']);
  expect(existsSync(project.path(SKILLS))).toBe(false);
});

test('its own skills are written anew, others are left alone and named', async () => {
  verifies('CLIENT-8');
  const project = demo();
  expect((await exportSkills(project, 'demo/main')).code).toBe(0);
  const first = skill(project, 'demo-main');
  project.write(`${SKILLS}/demo-main/SKILL.md`, `${first}\nAn edit.\n`);
  expect((await exportSkills(project, 'demo/main')).code).toBe(0);
  expect(skill(project, 'demo-main')).toBe(first);

  const theirs = '---\nname: demo-main\ndescription: Mine\n---\n';
  project.write(`${SKILLS}/demo-main/SKILL.md`, theirs);
  project.write(`${SKILLS}/demo-main/notes.md`, 'mine');
  const { code, stderr } = await exportSkills(project, 'demo/main', 'auth-implementation');
  expect(code).toBe(1);
  expect(stderr).toContain('demo-main/SKILL.md was not written by deepwork and is left alone');
  expect(skill(project, 'demo-main')).toBe(theirs);
  expect(skill(project, 'auth-implementation')).toContain('start_workflow');
});

test('a link out of the project is not written through, whether of a skill or of their folder', async () => {
  verifies('CLIENT-8');
  const outside = tempFolder('commands');
  const target = path.join(outside, 'commands', 'deploy.md');
  const project = demo();
  mkdirSync(project.path(`${SKILLS}/demo-main`), { recursive: true });
  symlinkSync(target, project.path(`${SKILLS}/demo-main/SKILL.md`));
  expect((await exportSkills(project, 'demo/main')).code).toBe(1);
  expect(existsSync(target)).toBe(false);
  const other = demo();
  mkdirSync(other.path('.claude'));
  symlinkSync(outside, other.path(SKILLS));
  expect((await exportSkills(other, 'demo/main')).code).not.toBe(0);
  expect(existsSync(path.join(outside, 'demo-main'))).toBe(false);
});

test('guides of a project without a .deepwork are exported', async () => {
  verifies('CLIENT-8');
  const folder = tempFolder();
  mkdirSync(path.join(folder, 'workflows'));
  const guide = workflow({ id: 'release' });
  writeFileSync(path.join(folder, 'workflows/release.json'), JSON.stringify(guide));
  const { code, stdout } = await deepwork(['export', 'skills', 'release'], { cwd: folder });
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${SKILLS}/release/SKILL.md`)]);
});

test('what does not exist or has problems is named, and nothing of it is written', async () => {
  verifies('CLIENT-8');
  const project = demo();
  project.write('.deepwork/jobs/broken-job/job.yml', 'name: broken-job\n');
  for (const name of ['demo/nothing', 'broken-job']) {
    const { code, stderr } = await exportSkills(project, 'demo/main', name);
    expect([code, stderr]).toEqual([2, expect.stringContaining(name)]);
  }
  expect(existsSync(project.path(SKILLS))).toBe(false);
  const all = await exportSkills(project);
  expect([all.code, all.stderr]).toEqual([0, expect.stringContaining('broken-job')]);
  expect(all.stdout).not.toContain('broken');
  const { code } = await command(['export', 'skills'], { cwd: tempFolder() });
  expect(code).toBe(1);
});
