// A git repository around a test project.

import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import path from 'node:path';

/** Kept: a server in the test's process may have another PATH. */
const { PATH } = process.env;

export interface Repository {
  /** Runs git and returns its output; throws if git fails. */
  git(...args: string[]): string;
  /** Names of the branches that deepwork created. */
  branches(): string[];
}

export function newRepository(root: string, options: readonly string[] = []): Repository {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  // Without git's examples of hooks: a dozen files for each repository.
  git('init', '--quiet', '--template=', '--initial-branch', 'trunk', ...options);
  // Written here, since each call of git is a process; so is the maintenance that every commit starts.
  const settings =
    '[user]\n\tname = Test\n\temail = test@example.org\n[maintenance]\n\tauto = false\n';
  appendFileSync(path.join(root, options.includes('--bare') ? '' : '.git', 'config'), settings);
  return {
    git,
    branches: () =>
      git('for-each-ref', '--format=%(refname:short)', 'refs/heads/deepwork')
        .split('\n')
        .filter((line) => line !== ''),
  };
}

/** start_workflow's message on a branch that it created or found while another is checked out. */
export function notCheckedOut(branch: string, current = 'trunk'): string {
  return `Git branch '${branch}' is not checked out; the work is on '${current}'. To work on the branch: git switch ${branch}`;
}
