// An archive can contain a `.git` whose parts are links into another repository of the user.
// Reviewers get a diff of what was submitted; it never shows that repository.

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Connection, connect } from '../support/connect.ts';
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
async function reviewFile(project: Project, agent: Connection, id: string): Promise<string> {
  const answer = await agent.ok('finished_step', { outputs: { env: 'prod.env' } });
  expect(answer.status).toBe('needs_work');
  return readFileSync(project.path(`.deepwork/tmp/quality_review_${id}_write.md`), 'utf8');
}

test.each(['as its own', 'as alternates'])(
  'a diff does not show another repository whose objects are linked %s',
  async (how) => {
    const other = newPrivate();
    const project = newWork();
    if (how === 'as its own') {
      for (const name of ['objects', 'refs']) lead(project, name, other.at(name));
    } else {
      writeFileSync(project.path('.git/objects/info/alternates'), `${other.at('objects')}\n`);
      writeFileSync(project.path('.git/HEAD'), other.git('rev-parse', 'HEAD'));
    }
    const agent = await connect(project.root);
    const { begin_step } = await agent.ok('start_workflow', START);
    expect(await reviewFile(project, agent, begin_step.session_id)).not.toContain(SECRET);
  },
);

test('a diff is against the commit where the run began, wherever its branch is now', async () => {
  const project = newWork();
  const agent = await connect(project.root);
  const { begin_step } = await agent.ok('start_workflow', START);
  const { git } = newRepository(project.root);
  git('add', '-f', 'prod.env');
  git('commit', '--quiet', '-m', 'During the run');
  git('branch', '--force', BRANCH, 'HEAD');
  expect(await reviewFile(project, agent, begin_step.session_id)).toContain('New: prod.env');
});
