// An archive can contain a `.git` whose parts are links into another repository of the user.
// Reviewers get a diff of what was submitted; it never shows that repository, and aborting a run
// never changes one of its refs.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { newRepository } from '../support/repository.ts';

const SECRET = 'DB_PASSWORD=of-another-repository';
const START = { job_name: 'work', workflow_name: 'main', goal: 'g', instance_id: '1' };
const BRANCH = 'deepwork/work-main-1';

/** The repository that must not be reached. */
function newPrivate() {
  const project = newProject({ 'prod.env': `${SECRET}\n` });
  const { git } = newRepository(project.root);
  git('add', '-f', 'prod.env');
  git('commit', '--quiet', '-m', 'Secrets');
  return { git, at: (name: string) => project.path(path.join('.git', name)) };
}

function newWork(): Project {
  const project = newProject({ 'prod.env': 'DB_PASSWORD=mine\n' });
  project.write('.deepwork/config.yml', 'git: {branch: create}\n');
  writeJob(
    project,
    'work',
    { write: { outputs: { env: 'file' }, reviews: [REVIEW] } },
    { main: ['write'] },
  );
  const { git } = newRepository(project.root);
  git('commit', '--quiet', '--allow-empty', '-m', 'First');
  return project;
}

/** Puts a link in the place of a part of a repository. */
function lead(project: Project, name: string, to: string): void {
  const at = project.path(`.git/${name}`);
  rmSync(at, { recursive: true, force: true });
  mkdirSync(path.dirname(at), { recursive: true });
  symlinkSync(to, at);
}

/** What a subagent gets to read. */
async function reviewFile(project: Project): Promise<string> {
  const agent = await connect(project.root);
  const { begin_step } = await agent.ok('start_workflow', START);
  const answer = await agent.ok('finished_step', { outputs: { env: 'prod.env' } });
  expect(answer.status).toBe('needs_work');
  const file = project.path(`.deepwork/tmp/quality_review_${begin_step.session_id}_write.md`);
  expect(existsSync(file)).toBe(true);
  return readFileSync(file, 'utf8');
}

describe('a diff does not show another repository', () => {
  test('whose objects and refs are linked', async () => {
    const other = newPrivate();
    const project = newWork();
    for (const name of ['objects', 'refs']) lead(project, name, other.at(name));
    expect(await reviewFile(project)).not.toContain(SECRET);
  });

  test('whose objects are named as alternates, and whose commit is known', async () => {
    const other = newPrivate();
    const project = newWork();
    writeFileSync(project.path('.git/objects/info/alternates'), `${other.at('objects')}\n`);
    writeFileSync(project.path('.git/HEAD'), other.git('rev-parse', 'HEAD'));
    expect(await reviewFile(project)).not.toContain(SECRET);
  });

  test.each(['each folder of its objects', 'each of its objects', 'its packs'])(
    'of which %s is linked',
    async (what) => {
      const other = newPrivate();
      const project = newWork();
      if (what === 'its packs') other.git('gc', '--quiet');
      const listed = other.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)');
      for (const id of listed.trim().split('\n')) {
        const [fan, rest] = [id.slice(0, 2), id.slice(2)];
        if (what === 'each folder of its objects')
          lead(project, `objects/${fan}`, other.at(`objects/${fan}`));
        if (what === 'each of its objects') {
          lead(project, `objects/${fan}/${rest}`, other.at(`objects/${fan}/${rest}`));
        }
      }
      if (what === 'its packs') {
        const packs = other.at('objects/pack');
        for (const name of readdirSync(packs)) {
          lead(project, `objects/pack/${name}`, path.join(packs, name));
        }
      }
      writeFileSync(project.path('.git/HEAD'), other.git('rev-parse', 'HEAD'));
      expect(await reviewFile(project)).not.toContain(SECRET);
    },
  );

  test('behind a linked work tree that the archive brings along', async () => {
    const other = newPrivate();
    const project = newWork();
    renameSync(project.path('.git'), project.path('inner'));
    const inner = {
      ...project,
      path: (file: string) => project.path(file.replace(/^\.git/, 'inner')),
    };
    for (const name of ['objects', 'refs']) lead(inner, name, other.at(name));
    const tree = project.path('inner/worktrees/x');
    mkdirSync(tree, { recursive: true });
    writeFileSync(path.join(tree, 'HEAD'), 'ref: refs/heads/trunk\n');
    writeFileSync(path.join(tree, 'commondir'), '../..\n');
    writeFileSync(path.join(tree, 'gitdir'), `${project.path('.git')}\n`);
    writeFileSync(project.path('.git'), `gitdir: ${tree}\n`);
    expect(await reviewFile(project)).not.toContain(SECRET);
  });
});

test('aborting a run changes no ref of a repository behind linked packed refs', async () => {
  const other = newPrivate();
  const project = newWork();
  const agent = await connect(project.root);
  await agent.ok('start_workflow', START);
  // The other repository has a branch with that name, at a commit that both have.
  cpSync(project.path('.git/objects'), other.at('objects'), { recursive: true, force: false });
  other.git(
    'branch',
    BRANCH,
    readFileSync(project.path(`.git/refs/heads/${BRANCH}`), 'utf8').trim(),
  );
  other.git('pack-refs', '--all');
  rmSync(project.path(`.git/refs/heads/${BRANCH}`));
  lead(project, 'packed-refs', other.at('packed-refs'));
  lead(project, 'objects', other.at('objects'));
  await agent.ok('abort_workflow', { explanation: 'No longer wanted' });
  expect(other.git('branch', '--list', BRANCH)).toContain(BRANCH);
});

test('a diff is against the commit where the run began, wherever its branch is now', async () => {
  const project = newWork();
  const agent = await connect(project.root);
  const { begin_step } = await agent.ok('start_workflow', START);
  const { git } = newRepository(project.root);
  git('add', '-f', 'prod.env');
  git('commit', '--quiet', '-m', 'During the run');
  git('branch', '--force', BRANCH, 'HEAD');
  await agent.ok('finished_step', { outputs: { env: 'prod.env' } });
  const file = project.path(`.deepwork/tmp/quality_review_${begin_step.session_id}_write.md`);
  expect(readFileSync(file, 'utf8')).toContain('New: prod.env');
});
