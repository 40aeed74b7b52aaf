// Aborting a run removes its branch if the run created it and nothing was committed to it;
// otherwise a project would fill up with branches. Everything else stays.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { newRepository, type Repository } from '../support/repository.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main', instance_id: 'acme' };
const BRANCH = 'deepwork/demo-main-acme';
const ABORT = { explanation: 'No longer wanted' };

interface Checkout extends Repository {
  readonly project: Project;
}

function newCheckout(options: readonly string[] = []): Checkout {
  const project = newProject({ '.deepwork/config.yml': '' });
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  const repository = newRepository(project.root, options);
  repository.git('commit', '--quiet', '--allow-empty', '-m', 'First');
  return { ...repository, project };
}

async function begin(
  { project, branches }: Checkout,
  open: (root: string) => Promise<Connection> = connect,
): Promise<Connection> {
  const server = await open(project.root);
  await server.ok('start_workflow', START);
  expect(branches()).toEqual([BRANCH]);
  return server;
}

describe('abort_workflow removes the branch', () => {
  test('that the run created and nothing was committed to', async () => {
    verifies('JOBS-X.6', 'JOBS-REQ-001.6.7');
    const checkout = newCheckout();
    const server = await begin(checkout);
    const head = checkout.git('rev-parse', 'HEAD');
    // A commit elsewhere is no commit of the branch.
    checkout.git('commit', '--quiet', '--allow-empty', '-m', 'Second');
    expect(await server.ok('abort_workflow', ABORT)).toEqual({
      aborted_workflow: 'demo/main',
      aborted_step: 'a',
      explanation: ABORT.explanation,
      resumed_workflow: null,
      resumed_step: null,
      begin_step: null,
      warnings: [],
      stack: [],
    });
    expect(checkout.branches()).toEqual([]);
    expect(checkout.git('rev-parse', 'HEAD~1')).toBe(head);
    await begin(checkout);
  });

  test('when another process aborts the run, and when it was packed', async () => {
    verifies('JOBS-X.6');
    const checkout = newCheckout(['--object-format=sha256']);
    const first = await begin(checkout, connectToProcess);
    await first.close();
    checkout.git('pack-refs', '--all');
    const second = await connect(checkout.project.root);
    await second.ok('abort_workflow', ABORT);
    expect(checkout.branches()).toEqual([]);
    expect(checkout.git('branch', '--format=%(refname:short)').trim()).toBe('trunk');
  });

  test('made from a linked work tree', async () => {
    verifies('JOBS-X.6');
    const checkout = newCheckout();
    checkout.git('add', '.deepwork/config.yml', '.deepwork/jobs');
    checkout.git('commit', '--quiet', '-m', 'Jobs');
    const tree = newTree(checkout);
    const server = await connect(tree);
    await server.ok('start_workflow', START);
    expect(checkout.branches()).toEqual([BRANCH]);
    await server.ok('abort_workflow', ABORT);
    expect(checkout.branches()).toEqual([]);
  });
});

function newTree({ git }: Repository, ...args: string[]): string {
  const folder = tempFolder();
  const tree = path.join(folder, 'tree');
  git('worktree', 'add', '--quiet', ...(args.length > 0 ? [tree, ...args] : ['--detach', tree]));
  return tree;
}

describe('abort_workflow keeps the branch', () => {
  async function expectKept(checkout: Checkout, server: Connection): Promise<void> {
    const at = checkout.git('rev-parse', BRANCH);
    await server.ok('abort_workflow', ABORT);
    expect(checkout.branches()).toEqual([BRANCH]);
    expect(checkout.git('rev-parse', BRANCH)).toBe(at);
  }

  test('when something was committed to it', async () => {
    verifies('JOBS-X.6');
    const checkout = newCheckout();
    const server = await begin(checkout);
    checkout.git('checkout', '--quiet', BRANCH);
    checkout.git('commit', '--quiet', '--allow-empty', '-m', 'Work');
    checkout.git('checkout', '--quiet', 'trunk');
    await expectKept(checkout, server);
  });

  test('when it existed before the run', async () => {
    verifies('JOBS-X.6');
    const checkout = newCheckout();
    checkout.git('branch', BRANCH);
    await expectKept(checkout, await begin(checkout));
  });

  test('when it is checked out here', async () => {
    verifies('JOBS-X.6');
    const checkout = newCheckout();
    const server = await begin(checkout);
    checkout.git('checkout', '--quiet', BRANCH);
    await expectKept(checkout, server);
  });

  test('when it is checked out in another work tree', async () => {
    verifies('JOBS-X.6');
    const checkout = newCheckout();
    const server = await begin(checkout);
    newTree(checkout, BRANCH);
    await expectKept(checkout, server);
  });

  test('when a rebase or a bisection will return to it', async () => {
    verifies('JOBS-X.6');
    const checkout = newCheckout();
    const server = await begin(checkout);
    checkout.git('checkout', '--quiet', BRANCH);
    checkout.git('bisect', 'start');
    checkout.git('checkout', '--quiet', '--detach');
    await expectKept(checkout, server);
  });

  test('while another run uses it', async () => {
    verifies('JOBS-X.6');
    const checkout = newCheckout();
    const first = await begin(checkout);
    const second = await begin(checkout);
    await expectKept(checkout, first);
    // The second did not create it.
    await expectKept(checkout, second);
  });

  test('when git.branch is off', async () => {
    verifies('JOBS-X.6');
    const checkout = newCheckout();
    const server = await begin(checkout);
    writeFileSync(checkout.project.path('.deepwork/config.yml'), 'git:\n  branch: off\n');
    await expectKept(checkout, server);
  });
});
