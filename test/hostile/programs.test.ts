// A foreign repository cannot make deepwork run anything: not by git's config, hooks, filters or
// remotes, and not by a program that it contains. Each attack leaves a mark outside the project if
// it works; none may.

import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Connection, type ConnectOptions, connect } from '../support/connect.ts';
import { newHome } from '../support/http.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { newRepository, type Repository } from '../support/repository.ts';
import { deepwork } from '../support/run-command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { trust } from '../support/trust.ts';

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main', instance_id: 'acme' };
const BRANCH = 'deepwork/demo-main-acme';

interface Canary {
  /** A program that leaves a mark, then fails. */
  readonly program: string;
  /** A folder with that program under the given name. */
  named(folder: string, name: string): string;
  /** What was run. */
  marks(): string[];
}

function newCanary(): Canary {
  const folder = tempFolder();
  const log = path.join(folder, 'ran');
  const text = `#!/bin/sh\necho "$0 $*" >> '${log}'\nexit 1\n`;
  const write = (file: string) => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o755);
    return file;
  };
  return {
    program: write(path.join(folder, 'canary')),
    named: (into, name) => path.dirname(write(path.join(into, name))),
    marks: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
  };
}

function projectWith(mode: 'create' | 'checkout'): Project {
  const project = newProject({ '.deepwork/config.yml': `git:\n  branch: ${mode}\n` });
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  return project;
}

function commit(project: Project, repository: Repository): void {
  project.write('readme.md', 'first\n');
  repository.git('add', '-f', '.');
  repository.git('commit', '--quiet', '-m', 'First');
}

async function open(root: string, options: ConnectOptions = {}): Promise<Connection> {
  return connect(root, { ...options, env: { HOME: newHome(), ...options.env } });
}

/** The warnings of a start, except for where the work continues. */
async function warningsOf(root: string, options: ConnectOptions = {}): Promise<string[]> {
  const server = await open(root, options);
  const { warnings } = await server.ok('start_workflow', START);
  return warnings.filter((text: string) => !/is not checked out; /.test(text));
}

/** Every known setting of git that names a program. */
const programSettings = (program: string) => `
[core]
	fsmonitor = ${program}
	hooksPath = ${path.dirname(program)}/hooks
	pager = ${program}
	editor = ${program}
	sshCommand = ${program}
	gitProxy = ${program}
	askPass = ${program}
	alternateRefsCommand = ${program}
[credential]
	helper = !${program}
[diff]
	external = ${program}
[gpg]
	program = ${program}
[pager]
	branch = ${program}
	checkout = ${program}
[alias]
	rev-parse = !${program}
	update-ref = !${program}
	branch = !${program}
	checkout = !${program}
[sequence]
	editor = ${program}
[uploadpack]
	packObjectsHook = ${program}
`;

const HOOKS = ['reference-transaction', 'post-checkout', 'post-index-change', 'fsmonitor-watchman'];

function addHooks(canary: Canary, gitDir: string): void {
  for (const hook of HOOKS) {
    canary.named(path.join(gitDir, 'hooks'), hook);
    canary.named(path.join(path.dirname(canary.program), 'hooks'), hook);
  }
}

function hostileConfig(project: Project, canary: Canary, gitDir = project.path('.git')): void {
  appendFileSync(path.join(gitDir, 'config'), programSettings(canary.program));
  addHooks(canary, gitDir);
}

describe('starting a workflow runs nothing of a hostile repository', () => {
  test('by a setting or a hook; the branch is still created, and removed at an abort', async () => {
    const canary = newCanary();
    const project = projectWith('create');
    const repository = newRepository(project.root);
    commit(project, repository);
    // Git asks hooks about refs of linked work trees, too.
    repository.git('worktree', 'add', '--quiet', '-b', 'other', path.join(tempFolder(), 'tree'));
    const config = readFileSync(project.path('.git/config'), 'utf8');
    hostileConfig(project, canary);
    const server = await open(project.root);
    const branchesAfter = async (tool: string, args: Record<string, unknown>) => {
      await server.ok(tool, args);
      expect(canary.marks()).toEqual([]);
      const hostile = readFileSync(project.path('.git/config'), 'utf8');
      project.write('.git/config', config);
      const branches = repository.branches();
      project.write('.git/config', hostile);
      return branches;
    };
    expect(await branchesAfter('start_workflow', START)).toEqual([BRANCH]);
    expect(await branchesAfter('abort_workflow', { explanation: 'No' })).toEqual([]);
  });

  test('by an embedded bare repository of a plain clone', async () => {
    const canary = newCanary();
    const project = projectWith('create');
    const inner = newProject();
    commit(inner, newRepository(inner.root));
    const folder = project.path('vendor/kit');
    cpSync(inner.path('.git'), folder, { recursive: true });
    cpSync(project.path('.deepwork'), path.join(folder, '.deepwork'), { recursive: true });
    hostileConfig(project, canary, folder);
    commit(project, newRepository(project.root));
    const clone = path.join(tempFolder(), 'clone');
    newRepository(tempFolder()).git('clone', '--quiet', project.root, clone);
    const root = path.join(clone, 'vendor/kit');
    expect(existsSync(path.join(root, 'hooks/reference-transaction'))).toBe(true);
    // Empty folders are not cloned; a repository has them filled.
    for (const each of ['refs/heads', 'objects'])
      mkdirSync(path.join(root, each), { recursive: true });
    expect(await warningsOf(root)).toEqual([expect.stringContaining(BRANCH)]);
    expect(canary.marks()).toEqual([]);
  });

  test.each(['uploadpack', 'ext::', 'vcs'])('by a checkout that would fetch: %s', async (kind) => {
    const canary = newCanary();
    const project = projectWith('checkout');
    const repository = newRepository(project.root);
    commit(project, repository);
    const set = (key: string, value: string) => repository.git('config', key, value);
    set('core.repositoryFormatVersion', '1');
    set('extensions.partialClone', 'origin');
    set('remote.origin.promisor', 'true');
    set('remote.origin.uploadpack', canary.program);
    for (const each of ['ext', 'file', 'canary']) set(`protocol.${each}.allow`, 'always');
    if (kind === 'vcs') set('remote.origin.vcs', 'canary');
    set('remote.origin.url', kind === 'ext::' ? `ext::${canary.program} %S` : project.root);
    const PATH = `${canary.named(tempFolder(), 'git-remote-canary')}:${process.env.PATH}`;
    project.write(`.git/refs/heads/${BRANCH}`, `${'1'.repeat(40)}\n`);
    const warnings = await warningsOf(project.root, { args: ['--trust'], env: { PATH } });
    expect(warnings).toEqual([expect.stringContaining(BRANCH)]);
    expect(canary.marks()).toEqual([]);
  });

  test('by a git that it brings, in its own folders or in those of the clone around it', async () => {
    const canary = newCanary();
    const project = projectWith('create');
    const repository = newRepository(project.root);
    commit(project, repository);
    const below = project.path('packages/app');
    cpSync(project.path('.deepwork'), path.join(below, '.deepwork'), { recursive: true });
    const folder = canary.named(project.path('node_modules/.bin'), 'git');
    canary.named(path.join(below, 'bin'), 'git');
    const link = path.join(tempFolder(), 'bin');
    symlinkSync(folder, link);
    const PATH = [folder, link, 'bin', '.', '', process.env.PATH].join(path.delimiter);
    for (const root of [project.root, below]) {
      expect(await warningsOf(root, { env: { PATH } })).toEqual([]);
    }
    expect(canary.marks()).toEqual([]);
    expect(repository.branches()).toEqual([BRANCH]);
  });
});

test.each(['is a file', 'is a link', 'borrows it by commondir'])(
  'starting a workflow makes no branch in another repository, although .git %s',
  async (how) => {
    const victim = newProject();
    const repository = newRepository(victim.root);
    commit(victim, repository);
    const project = projectWith('create');
    const [git, other] = [project.path('.git'), victim.path('.git')];
    if (how === 'is a file') writeFileSync(git, `gitdir: ${other}\n`);
    else if (how === 'is a link') symlinkSync(other, git);
    else {
      newRepository(project.root);
      writeFileSync(path.join(git, 'commondir'), `${other}\n`);
    }
    expect(await warningsOf(project.root)).toEqual([expect.stringContaining(BRANCH)]);
    expect(repository.branches()).toEqual([]);
  },
);

describe('git.branch: checkout', () => {
  test('does nothing before a person has trusted it; then filters run, and hooks still do not', async () => {
    const canary = newCanary();
    const project = projectWith('checkout');
    const repository = newRepository(project.root);
    project.write('.gitattributes', '*.txt filter=shout\n');
    project.write('notes.txt', 'quiet\n');
    commit(project, repository);
    repository.git('checkout', '--quiet', '-b', BRANCH);
    project.write('notes.txt', 'changed\n');
    repository.git('commit', '--quiet', '-am', 'Second');
    repository.git('checkout', '--quiet', 'trunk');
    repository.git('config', 'filter.shout.smudge', canary.program);
    repository.git('config', 'core.fsmonitor', canary.program);
    addHooks(canary, project.path('.git'));
    const head = () => readFileSync(project.path('.git/HEAD'), 'utf8').trim();
    const env = { HOME: newHome() };
    const warnings = await warningsOf(project.root, { env });
    expect(warnings).toEqual([expect.stringContaining(`deepwork trust --path ${project.root}`)]);
    expect(canary.marks()).toEqual([]);
    expect(head()).toBe('ref: refs/heads/trunk');

    await trust(project.root, env.HOME, '--yes');
    expect(await warningsOf(project.root, { env })).toEqual([]);
    expect(head()).toBe(`ref: refs/heads/${BRANCH}`);
    expect(canary.marks()).toEqual([expect.stringMatching(/canary/)]);
  });
});

describe('a bare program name never means a file of the project', () => {
  const steps = (step: object) => ({ a: { outputs: { report: 'file' }, ...step } });

  async function finish(
    project: Project,
    bin: string,
    args: readonly string[],
  ): Promise<Connection> {
    project.write('report.md', 'done\n');
    const PATH = [bin, process.env.PATH].join(path.delimiter);
    const server = await connect(project.root, { args, env: { HOME: newHome(), PATH } });
    await server.ok('start_workflow', START);
    return server;
  }

  test.each([
    ['claude', ['--external-runner', 'claude'], 0],
    ['reviewer', ['--quality-gate', 'reviewer --strict'], 0],
    ['reviewer', ['--quality-gate', 'bin/reviewer'], 1],
  ])('as the reviewer %s of %j, which is run %i times', async (name, args, times) => {
    const canary = newCanary();
    const project = newProject();
    writeJob(project, 'demo', steps({ reviews: [REVIEW] }), { main: ['a'] });
    const server = await finish(project, canary.named(project.path('bin'), name), args);
    await server.refused('finished_step', { outputs: { report: 'report.md' } });
    expect(canary.marks()).toHaveLength(times);
  });

  test('in a check, while a path to the file is run', async () => {
    const canary = newCanary();
    const project = newProject();
    const checks = [{ name: 'bare', run: 'canary-check || test -x ./bin/canary-check' }];
    writeJob(project, 'demo', steps({ checks }), { main: ['a'] });
    const bin = canary.named(project.path('bin'), 'canary-check');
    const server = await finish(project, bin, ['--trust']);
    const done = await server.ok('finished_step', { outputs: { report: 'report.md' } });
    expect(done.status).toBe('workflow_complete');
    expect(canary.marks()).toEqual([]);
  });

  test('as the command of a launch', async () => {
    const canary = newCanary();
    const project = newProject();
    const home = newHome();
    const bin = canary.named(project.path('node_modules/.bin'), 'agent-cli');
    const launch = (command: string) =>
      deepwork(['launch', '--path', project.root, '--', command], {
        cwd: project.root,
        env: { HOME: home, PATH: [bin, process.env.PATH].join(path.delimiter) },
      });
    const bare = await launch('agent-cli');
    expect(bare.code).toBe(127);
    expect(canary.marks()).toEqual([]);
    expect((await launch('./node_modules/.bin/agent-cli')).code).toBe(1);
    expect(canary.marks()).toHaveLength(1);
  });
});
