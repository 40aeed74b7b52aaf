import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newRepository } from '../../test/support/repository.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { removeBranchWithoutCommits } from './worktree.ts';

/** A repository with the worktree of a run. */
function withWorktree() {
  const root = tempFolder();
  const { git } = newRepository(root);
  git('commit', '--allow-empty', '-qm', 'before');
  const from = git('rev-parse', 'HEAD').trim();
  const worktree = { path: path.join(tempFolder(), 'tree'), branch: 'deepwork/run', from };
  git('worktree', 'add', '-q', '-b', worktree.branch, worktree.path);
  return { root, git, worktree };
}

test('the branch of a worktree that a person has removed by hand goes, if it holds nothing', async () => {
  const { root, git, worktree } = withWorktree();
  rmSync(worktree.path, { recursive: true });
  expect(await removeBranchWithoutCommits(root, worktree)).toBeNull();
  expect(git('branch', '--list', worktree.branch)).toBe('');
});

test('another worktree, whose folder is away for the moment, is not forgotten with it', async () => {
  const { root, git, worktree } = withWorktree();
  const other = path.join(tempFolder(), 'other');
  git('worktree', 'add', '-q', '--detach', other);
  renameSync(other, `${other}.away`);
  rmSync(worktree.path, { recursive: true });
  expect(await removeBranchWithoutCommits(root, worktree)).toBeNull();
  renameSync(`${other}.away`, other);
  expect(git('-C', other, 'status', '--porcelain')).toBe('');
});
