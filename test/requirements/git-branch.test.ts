// The branch of a run, in real repositories. Git is optional and never stops work.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { beyondNesting } from '../support/answers.ts';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { newRepository, notCheckedOut, type Repository } from '../support/repository.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main', instance_id: 'acme' };
const BRANCH = 'deepwork/demo-main-acme';

function newProjectWith(mode: string | null): Project {
  const config = mode === null ? '' : `git:\n  branch: ${mode}\n`;
  const project = newProject({ '.deepwork/config.yml': config });
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  return project;
}

interface Checkout extends Repository {
  readonly project: Project;
  head(): string;
}

function repositoryWith(mode: string | null): Checkout {
  const project = newProjectWith(mode);
  const repository = newRepository(project.root);
  project.write('readme.md', 'first\n');
  repository.git('add', 'readme.md');
  repository.git('commit', '--quiet', '-m', 'First');
  const head = () => repository.git('rev-parse', '--abbrev-ref', 'HEAD').trim();
  return { ...repository, project, head };
}

describe('the branch of a run', () => {
  test.each([null, 'checkout'])(
    "is created in the project's repository, whatever git variables the server inherits: %s",
    async (mode) => {
      const { project, branches } = repositoryWith(mode);
      const other = repositoryWith(null);
      const before = other.git('status', '--porcelain');
      const env = {
        GIT_DIR: other.project.path('.git'),
        GIT_WORK_TREE: other.project.root,
        GIT_INDEX_FILE: other.project.path('.git/index'),
        GIT_OBJECT_DIRECTORY: other.project.path('.git/objects'),
      };
      const server = await connect(project.root, { env, args: ['--trust'] });
      await server.ok('start_workflow', START);
      expect(branches()).toEqual([BRANCH]);
      expect(other.branches()).toEqual([]);
      expect([other.head(), other.git('status', '--porcelain')]).toEqual(['trunk', before]);
    },
  );

  test('is created at HEAD and not checked out, and the answer says so', async () => {
    verifies('JOBS-X.6', 'JOBS-X.24');
    const { project, git, branches, head } = repositoryWith(null);
    const dirty = project.write('readme.md', 'changed\n');
    const server = await connect(project.root);
    const { begin_step, warnings } = await server.ok('start_workflow', START);
    expect(begin_step.branch_name).toBe(BRANCH);
    expect(warnings).toEqual([notCheckedOut(BRANCH)]);
    expect(branches()).toEqual([BRANCH]);
    expect(git('rev-parse', BRANCH)).toBe(git('rev-parse', 'HEAD'));
    expect(head()).toBe('trunk');
    expect(readFileSync(dirty, 'utf8')).toBe('changed\n');
  });

  test('is reused, and stays where it is, when it exists', async () => {
    verifies('JOBS-X.6');
    const { project, git, branches } = repositoryWith('create');
    const server = await connect(project.root);
    await server.ok('start_workflow', START);
    const first = git('rev-parse', BRANCH);
    git('commit', '--quiet', '--allow-empty', '-m', 'Second');
    const { begin_step, warnings } = await server.ok('start_workflow', START);
    expect(begin_step.branch_name).toBe(BRANCH);
    expect(beyondNesting(warnings)).toEqual([notCheckedOut(BRANCH)]);
    expect(branches()).toEqual([BRANCH]);
    expect(git('rev-parse', BRANCH)).toBe(first);
    await server.ok('start_workflow', { ...START, instance_id: 'other' });
    expect(branches()).toEqual([BRANCH, 'deepwork/demo-main-other']);
  });

  test('is not mentioned if it is checked out', async () => {
    verifies('JOBS-X.6');
    const { project, git } = repositoryWith('create');
    git('checkout', '--quiet', '-b', BRANCH);
    const server = await connect(project.root);
    expect((await server.ok('start_workflow', START)).warnings).toEqual([]);
  });

  test('is distinguished from a detached HEAD', async () => {
    verifies('JOBS-X.6');
    const { project, git } = repositoryWith('create');
    git('checkout', '--quiet', '--detach');
    const server = await connect(project.root);
    const { warnings } = await server.ok('start_workflow', START);
    expect(warnings).toEqual([
      `Git branch '${BRANCH}' is not checked out; HEAD is detached. To work on the branch: git switch ${BRANCH}`,
    ]);
  });

  test('is created once by simultaneous starts', async () => {
    verifies('JOBS-X.6', 'JOBS-X.5');
    const { project, branches } = repositoryWith('create');
    const servers = await Promise.all([connect(project.root), connect(project.root)]);
    const answers = await Promise.all(
      servers.flatMap((server) => [1, 2, 3].map(() => server.ok('start_workflow', START))),
    );
    for (const { warnings } of answers) {
      expect(beyondNesting(warnings)).toEqual([notCheckedOut(BRANCH)]);
    }
    expect(branches()).toEqual([BRANCH]);
  });

  test('is checked out if the config says so', async () => {
    verifies('JOBS-X.6', 'JOBS-X.24');
    const { project, git, head } = repositoryWith('checkout');
    const server = await connect(project.root, { args: ['--trust'] });
    expect((await server.ok('start_workflow', START)).warnings).toEqual([]);
    expect(head()).toBe(BRANCH);
    git('checkout', '--quiet', 'trunk');
    const { warnings } = await server.ok('start_workflow', START);
    expect(beyondNesting(warnings), 'reused').toEqual([]);
    expect(head()).toBe(BRANCH);
  });

  test.each(['off', '"off"', 'false'])('is only a name when git.branch is %s', async (mode) => {
    verifies('JOBS-X.6', 'JOBS-X.24');
    const { project, branches, head } = repositoryWith(mode);
    const server = await connect(project.root);
    const { begin_step, warnings } = await server.ok('start_workflow', START);
    expect([begin_step.branch_name, warnings]).toEqual([BRANCH, []]);
    expect([branches(), head()]).toEqual([[], 'trunk']);
  });

  test('has a legal name whatever the instance id is', async () => {
    verifies('JOBS-X.6');
    const { project, branches } = repositoryWith('create');
    const server = await connect(project.root);
    const names = new Map<string, string>();
    const ids = [
      'q1-2026',
      'Straße_4.2',
      'a b',
      'a~b^c:d?e*f[g\\h',
      'tab\there',
      'a\u0001b\u007fc',
      'a\nb',
      'a..b',
      'a@{b',
      '.hidden',
      'ends.',
      'ends.lock',
      'ends.LOCK/',
      '-x',
      '--upload-pack=x',
      '/',
      '//a//b//',
      '../../../hooks/x',
      '@',
      '$(touch owned)',
      '`touch owned`; touch owned',
      'x'.repeat(5000),
      '日本語'.repeat(200),
    ];
    for (const instance_id of ids) {
      const { begin_step, warnings } = await server.ok('start_workflow', { ...START, instance_id });
      const { branch_name } = begin_step;
      const name = JSON.stringify(instance_id.slice(0, 50));
      expect(beyondNesting(warnings), name).toEqual([notCheckedOut(branch_name)]);
      expect(branch_name.startsWith('deepwork/demo-main')).toBe(true);
      names.set(instance_id, branch_name);
    }
    expect(names.get('q1-2026')).toBe('deepwork/demo-main-q1-2026');
    expect(names.get('Straße_4.2')).toBe('deepwork/demo-main-Straße_4.2');
    expect(names.get('a b')).toBe('deepwork/demo-main-a-b');
    expect(names.get('a~b^c:d?e*f[g\\h')).toBe('deepwork/demo-main-a-b-c-d-e-f-g-h');
    // Git lists no branch whose name is illegal.
    expect(branches().sort()).toEqual([...new Set(names.values())].sort());
    expect(existsSync(project.path('owned'))).toBe(false);
  });

  test('works from a folder below the top of the repository', async () => {
    verifies('JOBS-X.6');
    const { project, branches } = repositoryWith('create');
    const below = project.path('packages/app');
    mkdirSync(below, { recursive: true });
    project.write('packages/app/.deepwork/jobs/demo/job.yml', readJob(project));
    project.write('packages/app/.deepwork/jobs/demo/steps/a.md', 'Do it.\n');
    const server = await connect(below);
    const { warnings } = await server.ok('start_workflow', START);
    expect(warnings).toEqual([notCheckedOut(BRANCH)]);
    expect(branches()).toEqual([BRANCH]);
  });
});

const readJob = (project: Project) =>
  readFileSync(project.path('.deepwork/jobs/demo/job.yml'), 'utf8');

describe('trouble with git', () => {
  /** The work continues, and one warning names the branch. */
  async function expectOnlyWarning(
    project: Project,
    env: Record<string, string> = {},
    args: readonly string[] = [],
  ) {
    const server = await connect(project.root, { env, args });
    const { begin_step, warnings, stack } = await server.ok('start_workflow', START);
    expect(begin_step).toMatchObject({ step_id: 'a', branch_name: BRANCH });
    expect(stack).toMatchObject([{ workflow: 'demo/main', step: 'a' }]);
    expect(warnings).toEqual([expect.stringContaining(BRANCH)]);
    expect(await server.ok('finished_step', { outputs: {} })).toMatchObject({
      status: 'workflow_complete',
    });
    return warnings[0] as string;
  }

  test('is only a warning if there is no repository', async () => {
    verifies('JOBS-X.6');
    const ceiling = { GIT_CEILING_DIRECTORIES: path.dirname(newProject().root) };
    expect(await expectOnlyWarning(newProjectWith('create'), ceiling)).toMatch(/not a git repo/i);
  });

  test('is only a warning in a repository without commits', async () => {
    verifies('JOBS-X.6');
    const project = newProjectWith('create');
    const { git, branches } = newRepository(project.root);
    const warning = await expectOnlyWarning(project);
    expect(warning).toBe(`Git branch '${BRANCH}' was not created: nothing is committed yet`);
    expect(branches()).toEqual([]);
    expect(git('symbolic-ref', 'HEAD').trim()).toBe('refs/heads/trunk');
  });

  test.each(['HEAD', 'config', 'commondir'])(
    'is only a warning, without waiting, where .git/%s is a pipe',
    async (name) => {
      const { project } = repositoryWith('create');
      rmSync(project.path(`.git/${name}`), { force: true });
      execFileSync('mkfifo', [project.path(`.git/${name}`)]);
      expect(await expectOnlyWarning(project)).toMatch(/is not a regular file$/);
    },
  );

  test('is only a warning where git is not installed', async () => {
    verifies('JOBS-X.6');
    const { project, branches } = repositoryWith('create');
    const nowhere = project.path('empty');
    mkdirSync(nowhere);
    expect(await expectOnlyWarning(project, { PATH: nowhere })).toMatch(/git is not installed/);
    expect(branches()).toEqual([]);
  });

  test('is only a warning where another ref is in the way', async () => {
    verifies('JOBS-X.6');
    const { project, git, branches } = repositoryWith('create');
    git('branch', 'deepwork');
    await expectOnlyWarning(project);
    expect(branches()).toEqual(['deepwork']);
  });

  test('is only a warning where a checkout would lose work', async () => {
    verifies('JOBS-X.6');
    const { project, git, head } = repositoryWith('checkout');
    git('branch', BRANCH);
    project.write('readme.md', 'second\n');
    git('commit', '--quiet', '-am', 'Second');
    const dirty = project.write('readme.md', 'not committed\n');
    await expectOnlyWarning(project, {}, ['--trust']);
    expect(head()).toBe('trunk');
    expect(readFileSync(dirty, 'utf8')).toBe('not committed\n');
  });

  test('is only a warning where git itself fails, and its words are cut to size', async () => {
    verifies('JOBS-X.6');
    const project = newProjectWith('create');
    const git = newProject().write(
      'bin/git',
      '#!/bin/sh\nyes oh no | head -c 500000 >&2\nexit 128\n',
    );
    chmodSync(git, 0o755);
    const env = { PATH: `${path.dirname(git)}${path.delimiter}${process.env.PATH}` };
    expect((await expectOnlyWarning(project, env)).length).toBeLessThan(4096);
  });
});
