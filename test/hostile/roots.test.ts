// Folders of ours that a repository contains as links out of the project: a server neither reads
// nor writes nor deletes through them, and names the one that is wrong.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { workflow } from '../guides/guide-project.ts';
import { type Calls, callsOf } from '../support/calls.ts';
import { command } from '../support/command.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { connectOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';
import { type Canary, newCanary } from './canary.ts';

function place(link: string, target: string): void {
  rmSync(link, { recursive: true, force: true });
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(target, link);
}

function openCanary(): Canary {
  const canary = newCanary();
  onTestFinished(canary.remove);
  return canary;
}

function sampleProject(): Project {
  const project = newProject({
    '.deepwork/skills/own/SKILL.md': '---\ndescription: Own skill\n---\nOwn skill text\n',
    '.deepwork/snippets/go/own.go': 'own snippet\n',
    '.sgai/snippets/go/shared.go': 'shared snippet\n',
    'workflows/own.json': JSON.stringify(workflow({ id: 'own', description: 'Own guide' })),
  });
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  return project;
}

const START = { goal: 'g', job_name: 'demo', workflow_name: 'main' };

/** Everything that an agent would call; returns all texts of the answers. */
async function callAll(server: Calls): Promise<string> {
  const calls: [string, Record<string, unknown>?][] = [
    ['get_workflows'],
    ['start_workflow', START],
    ['workflow_list'],
    ['find_skills', { name: '' }],
    ['find_snippets', { language: '' }],
    ['find_snippets', { language: 'go' }],
    ['find_snippets', { language: 'go', query: 'elsewhere' }],
    ['update_workflow_state', { status: 'working', task: 't' }],
    ['check_inbox'],
    ['send_message', { toAgent: 'coordinator', body: 'hello' }],
  ];
  const texts: string[] = [];
  for (const [tool, args] of calls) texts.push((await server.call(tool, args)).text);
  return texts.join('\n');
}

describe('a folder that deepwork writes to and that is a link out of the project', () => {
  test('is refused even if the link appears while a server runs', async () => {
    const canary = openCanary();
    const project = sampleProject();
    const server = await connect(project.root);
    await server.ok('start_workflow', START);
    await server.ok('update_workflow_state', { status: 'working', task: 't' });
    for (const root of ['.deepwork/tmp', '.deepwork/journal', '.sgai']) {
      renameSync(project.path(root), project.path(`${path.basename(root)}-moved`));
      place(project.path(root), canary.folder);
    }
    const before = canary.snapshot();
    expect(await server.refused('start_workflow', START)).toContain('.deepwork/journal is a');
    const update = { status: 'working', task: 'u' };
    expect(await server.refused('update_workflow_state', update)).toContain('outside the project');
    rmSync(project.path('.deepwork/journal'));
    expect(await server.refused('start_workflow', START)).toContain('.deepwork/tmp is a');
    expect(existsSync(project.path('.deepwork/journal'))).toBe(false);
    await server.close();
    expect(canary.snapshot()).toEqual(before);
  });

  test('works if it really leads to a folder inside the project', async () => {
    const project = sampleProject();
    for (const root of ['.deepwork/tmp', '.deepwork/journal', '.sgai']) {
      rmSync(project.path(root), { recursive: true, force: true });
      const real = project.path(`kept/${path.basename(root)}`);
      mkdirSync(real, { recursive: true });
      symlinkSync(real, project.path(root));
    }
    const server = await connect(project.root);
    await server.ok('start_workflow', START);
    await server.ok('update_workflow_state', { status: 'working', task: 't' });
    expect(readdirSync(project.path('kept/journal'))).toContain('session');
    expect(readdirSync(project.path('kept/.sgai'))).toContain('state.json');
  });
});

describe('a folder that deepwork reads from and that is a link out of the project', () => {
  const READ = [
    '.deepwork/jobs',
    '.deepwork/workflows',
    '.deepwork/skills',
    '.deepwork/snippets',
    'workflows',
    '.sgai/skills',
    '.sgai/snippets',
    '.sgai',
    '.deepwork',
  ];

  /** Without `.deepwork` a server over HTTP does not start. */
  async function serverOf(project: Project, root: string): Promise<Calls & { log(): string }> {
    if (root === '.deepwork') return connectToProcess(project.root);
    const { url, log } = await serveHttpInProcess(project.root);
    return { ...callsOf(await connectOverHttp(url)), log };
  }

  test.each(READ)('%s counts as absent, is reported by name, and hides no other', async (root) => {
    verifies('TEAM-38');
    const canary = openCanary();
    const project = sampleProject();
    place(project.path(root), canary.folder);
    if (root === '.deepwork/jobs') place(project.path(root), canary.path('jobs'));
    if (/skills|snippets|workflows/.test(root)) {
      place(project.path(root), canary.path(path.basename(root)));
    }
    const before = canary.snapshot();
    const server = await serverOf(project, root);
    const said = await callAll(server);
    expect(said).not.toContain(canary.folder);
    const problem = `${root} is a symbolic link that leads outside the project`;
    expect(said + server.log()).toContain(problem);
    for (const [file, own] of [
      ['workflows', 'Own guide'],
      ['.deepwork/jobs', 'The demo job'],
      ['.deepwork/skills', 'Own skill'],
      ['.sgai/snippets', 'shared'],
    ] as const) {
      if (!`${file}/`.startsWith(`${root}/`)) expect(said).toContain(own);
    }
    const linted = await command(['lint', '--path', project.root], { cwd: project.root });
    expect([linted.code, linted.stdout]).toEqual([1, expect.stringContaining(problem)]);
    const all = said + server.log() + linted.stdout + linted.stderr;
    expect(all).not.toContain(canary.secret);
    expect(canary.snapshot()).toEqual(before);
  });

  test.each([
    ['out of the project', (canary: Canary) => canary.path('jobs/elsewhere')],
    ['to the project, whose job.yml is a link out', () => '../..'],
  ])('a job directory that is a link %s keeps its name and shows nothing', async (_to, target) => {
    const canary = openCanary();
    const project = sampleProject();
    symlinkSync(path.relative(project.root, canary.path('job.yml')), project.path('job.yml'));
    place(project.path('.deepwork/jobs/linked'), target(canary));
    const server = await connect(project.root);
    const listed = await server.ok('get_workflows');
    expect(listed.jobs.map(({ name }: { name: string }) => name)).toContain('demo');
    const error = expect.stringContaining('is a symbolic link that leads outside the project');
    expect(listed.errors).toEqual([expect.objectContaining({ job_name: 'linked', error })]);
    const refused = await server.refused('start_workflow', { ...START, job_name: 'linked' });
    const linted = await command(['lint', '--path', project.root], { cwd: project.root });
    const said = JSON.stringify([listed, refused, linted]);
    expect(said).not.toContain(canary.secret);
  });

  test('a folder named in the environment may be anywhere', async () => {
    const canary = openCanary();
    const project = sampleProject();
    const server = await connect(project.root, {
      env: {
        DEEPWORK_ADDITIONAL_JOBS_FOLDERS: canary.path('jobs'),
        DEEPWORK_WORKFLOW_FOLDERS: canary.path('workflows'),
      },
    });
    const { jobs } = await server.ok('get_workflows');
    expect(jobs.map(({ name }: { name: string }) => name)).toContain('elsewhere');
    const { workflows } = await server.ok('workflow_list');
    expect(workflows.map(({ id }: { id: string }) => id)).toContain('elsewhere');
  });
});
