// The branch of a run, in real repositories: created at the start, removed by an abort if nothing
// happened on it. Git is optional and never stops work.

import { chmodSync, existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { beyondNesting } from '../support/answers.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';
import { newRepository, notCheckedOut } from '../support/repository.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main', instance_id: 'acme' };
const BRANCH = 'deepwork/demo-main-acme';
const ABORT = { explanation: 'No longer wanted' };

function repositoryWith(mode: string | null = null) {
  const config = mode === null ? '' : `git:\n  branch: ${mode}\n`;
  const project = newProject({ '.deepwork/config.yml': config });
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  const repository = newRepository(project.root);
  project.write('readme.md', 'first\n');
  repository.git('add', 'readme.md');
  repository.git('commit', '--quiet', '-m', 'First');
  const head = () => repository.git('rev-parse', '--abbrev-ref', 'HEAD').trim();
  return { ...repository, project, head };
}

type Checkout = ReturnType<typeof repositoryWith>;

describe('the branch of a run', () => {
  test('is created at HEAD and not checked out, and reused where it is', async () => {
    verifies('JOBS-X.6', 'JOBS-X.24');
    const { project, git, branches, head } = repositoryWith();
    const dirty = project.write('readme.md', 'changed\n');
    const server = await connect(project.root);
    const { begin_step, warnings } = await server.ok('start_workflow', START);
    expect(begin_step.branch_name).toBe(BRANCH);
    expect(warnings).toEqual([notCheckedOut(BRANCH)]);
    expect([branches(), head()]).toEqual([[BRANCH], 'trunk']);
    const first = git('rev-parse', BRANCH);
    expect(first).toBe(git('rev-parse', 'HEAD'));
    expect(readFileSync(dirty, 'utf8')).toBe('changed\n');

    git('commit', '--quiet', '--allow-empty', '-m', 'Second');
    const again = await server.ok('start_workflow', START);
    expect(again.begin_step.branch_name).toBe(BRANCH);
    expect([branches(), git('rev-parse', BRANCH)]).toEqual([[BRANCH], first]);
    git('checkout', '--quiet', '--detach');
    const detached = await server.ok('start_workflow', START);
    expect(beyondNesting(detached.warnings)).toEqual([expect.stringContaining('detached')]);
    git('checkout', '--quiet', BRANCH);
    const onIt = await server.ok('start_workflow', START);
    expect(beyondNesting(onIt.warnings), 'it is checked out').toEqual([]);
  });

  test.each([null, 'checkout'])(
    "is in the project's repository, whatever git variables the server inherits: %s",
    async (mode) => {
      verifies('JOBS-X.6');
      const { project, branches } = repositoryWith(mode);
      const other = repositoryWith();
      const before = other.git('status', '--porcelain');
      const env = {
        GIT_DIR: other.project.path('.git'),
        GIT_WORK_TREE: other.project.root,
        GIT_INDEX_FILE: other.project.path('.git/index'),
        GIT_OBJECT_DIRECTORY: other.project.path('.git/objects'),
      };
      const server = await connect(project.root, { env, args: ['--trust'] });
      await server.ok('start_workflow', START);
      expect([branches(), other.branches()]).toEqual([[BRANCH], []]);
      expect([other.head(), other.git('status', '--porcelain')]).toEqual(['trunk', before]);
    },
  );

  test('is created once by simultaneous starts', async () => {
    verifies('JOBS-X.6', 'JOBS-X.5');
    const { project, branches } = repositoryWith('create');
    const servers = await Promise.all([connect(project.root), connect(project.root)]);
    const starts = [...servers, ...servers].map((server) => server.ok('start_workflow', START));
    for (const { warnings } of await Promise.all(starts)) {
      expect(beyondNesting(warnings)).toEqual([notCheckedOut(BRANCH)]);
    }
    expect(branches()).toEqual([BRANCH]);
  });

  test('is checked out if the config says so, and only a name if it says off', async () => {
    verifies('JOBS-X.6', 'JOBS-X.24');
    const { project, git, head } = repositoryWith('checkout');
    const server = await connect(project.root, { args: ['--trust'] });
    for (const which of ['created', 'reused']) {
      const { warnings } = await server.ok('start_workflow', START);
      expect([which, head(), beyondNesting(warnings)]).toEqual([which, BRANCH, []]);
      git('checkout', '--quiet', 'trunk');
    }
    for (const mode of ['off', '"off"', 'false']) {
      const none = repositoryWith(mode);
      const off = await connect(none.project.root);
      const { begin_step, warnings } = await off.ok('start_workflow', START);
      expect([begin_step.branch_name, warnings]).toEqual([BRANCH, []]);
      expect([none.branches(), none.head()]).toEqual([[], 'trunk']);
    }
  });

  test('has a legal name whatever the instance id is', async () => {
    verifies('JOBS-X.6');
    const { project, branches } = repositoryWith('create');
    const server = await connect(project.root);
    const known: Record<string, string> = {
      'q1-2026': 'q1-2026',
      'Straße_4.2': 'Straße_4.2',
      'a b': 'a-b',
      'a~b^c:d?e*f[g\\h': 'a-b-c-d-e-f-g-h',
    };
    const controls = ['tab\there', 'a\u0001b\u007fc', 'a\nb'];
    const dots = ['a..b', 'a@{b', '.hidden', 'ends.', 'ends.lock', 'ends.LOCK/', '@'];
    const paths = ['/', '//a//b//', '../../../hooks/x'];
    const commands = ['-x', '--upload-pack=x', '$(touch owned)', '`touch owned`; touch owned'];
    const long = ['x'.repeat(5000), '日本語'.repeat(200)];
    const names = new Set<string>();
    for (const instance_id of [
      ...Object.keys(known),
      ...[controls, dots, paths, commands, long].flat(),
    ]) {
      const { begin_step, warnings } = await server.ok('start_workflow', { ...START, instance_id });
      const { branch_name } = begin_step;
      expect(beyondNesting(warnings)).toEqual([notCheckedOut(branch_name)]);
      expect(branch_name.startsWith('deepwork/demo-main')).toBe(true);
      const expected = known[instance_id];
      if (expected !== undefined) expect(branch_name).toBe(`deepwork/demo-main-${expected}`);
      names.add(branch_name);
    }
    // Git lists no branch whose name is illegal.
    expect(branches().sort()).toEqual([...names].sort());
    expect(existsSync(project.path('owned'))).toBe(false);
  });
});

test.each(['no repository', 'no git', 'work that a checkout would lose', 'a git that fails'])(
  'trouble with git is only a warning of limited size, and changes nothing: %s',
  async (trouble) => {
    verifies('JOBS-X.6');
    const { project, git, head } = repositoryWith('checkout');
    git('branch', BRANCH);
    project.write('readme.md', 'second\n');
    git('commit', '--quiet', '-am', 'Second');
    const dirty = project.write('readme.md', 'not committed\n');
    const env: Record<string, string> = {};
    if (trouble === 'no repository') {
      env.GIT_CEILING_DIRECTORIES = path.dirname(project.root);
      renameSync(project.path('.git'), project.path('.elsewhere'));
    }
    if (trouble === 'no git') env.PATH = project.path('.deepwork');
    if (trouble === 'a git that fails') {
      const text = '#!/bin/sh\nyes oh no | head -c 500000 >&2\nexit 128\n';
      const program = newProject().write('bin/git', text);
      chmodSync(program, 0o755);
      env.PATH = `${path.dirname(program)}${path.delimiter}${process.env.PATH}`;
    }
    const server = await connect(project.root, { env, args: ['--trust'] });
    const { begin_step, warnings } = await server.ok('start_workflow', START);
    expect(begin_step).toMatchObject({ step_id: 'a', branch_name: BRANCH });
    expect(warnings).toEqual([expect.stringContaining(BRANCH)]);
    expect(warnings[0].length).toBeLessThan(4096);
    const { status } = await server.ok('finished_step', { outputs: {} });
    expect(status).toBe('workflow_complete');
    if (trouble === 'no repository') renameSync(project.path('.elsewhere'), project.path('.git'));
    expect([head(), readFileSync(dirty, 'utf8')]).toEqual(['trunk', 'not committed\n']);
  },
);

describe('abort_workflow', () => {
  test('removes a branch that its run created, when nothing was committed to it', async () => {
    verifies('JOBS-X.6', 'JOBS-REQ-001.6.7');
    const { project, git, branches } = repositoryWith();
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    await first.ok('start_workflow', START);
    await first.close();
    expect(branches()).toEqual([BRANCH]);
    // A commit elsewhere is no commit of the branch.
    git('commit', '--quiet', '--allow-empty', '-m', 'Second');
    git('pack-refs', '--all');
    const second = await connect(project.root);
    expect((await second.ok('abort_workflow', ABORT)).warnings).toEqual([]);
    expect(git('branch', '--format=%(refname:short)')).toBe('trunk\n');
    await second.ok('start_workflow', START);
    expect(branches()).toEqual([BRANCH]);
  });

  const onBranch = ({ git }: Checkout, ...then: (readonly string[])[]) => {
    for (const args of [['checkout', BRANCH], ...then]) git(...args, '--quiet');
  };
  const commit = ['commit', '--allow-empty', '-m', 'Work'];

  test.each<[string, (checkout: Checkout) => void]>([
    ['something was committed to it', (at) => onBranch(at, commit, ['checkout', 'trunk'])],
    ['it is checked out here', (at) => onBranch(at)],
    [
      'it is checked out in another work tree',
      ({ git }) => git('worktree', 'add', '--quiet', path.join(tempFolder(), 'tree'), BRANCH),
    ],
    [
      'git.branch is off',
      ({ project }) => void project.write('.deepwork/config.yml', 'git: {branch: off}\n'),
    ],
  ])('keeps the branch where it is when %s', async (_when, change) => {
    verifies('JOBS-X.6');
    const checkout = repositoryWith();
    const server = await connect(checkout.project.root);
    await server.ok('start_workflow', START);
    change(checkout);
    const at = checkout.git('rev-parse', BRANCH);
    await server.ok('abort_workflow', ABORT);
    expect(checkout.git('rev-parse', BRANCH)).toBe(at);
  });

  test('keeps a branch that existed before, or that another run uses', async () => {
    verifies('JOBS-X.6');
    const { project, git, branches } = repositoryWith();
    const servers = await Promise.all([connect(project.root), connect(project.root)]);
    for (const server of servers) await server.ok('start_workflow', START);
    // The second did not create it.
    for (const server of servers) {
      await server.ok('abort_workflow', ABORT);
      expect(branches()).toEqual([BRANCH]);
    }
    expect(git('rev-parse', BRANCH)).toBe(git('rev-parse', 'HEAD'));
  });
});
