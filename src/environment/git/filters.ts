// Git filters: programs that a repository's config names, and that git runs on files as it looks at
// them or writes them. Where we only look, they are off; where files are checked out, a person must
// have agreed to them. Filters in the user's own config (such as git-lfs) are the user's choice.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { readSmallText } from '../../files/read-contained.ts';
import { type GitRequest, type GitResult, runGit } from './git.ts';
import { findRepository } from './git-repository.ts';

const CONFIG_LIMIT = 256 * 1024;
const LIST_LIMIT = 1024 * 1024;
/** A name that cannot be written on git's command line, so its filter cannot be turned off. */
const UNWRITABLE = /[=\n]/;

/**
 * The filters of the repository of a project, sorted; empty if there is none. Git is asked only
 * where its config may name some, so that looking at most projects starts no program.
 */
export async function filtersOfProject(root: string): Promise<readonly string[]> {
  if (!mayNameFilters(path.join(root, '.git'))) return [];
  const found = await findRepository(root, 'HEAD');
  if (found.kind === 'unusable') return [];
  const { gitDir, workTree } = found.repository;
  return (await filtersIn({ root, cwd: workTree, env: { GIT_DIR: gitDir } })) ?? [];
}

function mayNameFilters(dotGit: string): boolean {
  const entry = lstatSync(dotGit, { throwIfNoEntry: false });
  // In a linked work tree the config is elsewhere.
  if (!entry?.isDirectory()) return entry !== undefined;
  return ['config', 'config.worktree'].some((name) => {
    const file = path.join(dotGit, name);
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return false;
    const text = readSmallText(file, CONFIG_LIMIT);
    return text === null || /filter|include/i.test(text);
  });
}

/** Runs git without the filters of the repository; fails if they cannot be turned off. */
export async function runWithoutFilters(request: GitRequest): Promise<GitResult> {
  const names = await filtersIn(request);
  if (names === null || names.some((name) => UNWRITABLE.test(name))) {
    return { ok: false, stdout: '', why: 'the git filters of the repository cannot be turned off' };
  }
  const off = names.flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((setting) => [
      '-c',
      `filter.${name}.${setting}`,
    ]),
  );
  return runGit({ ...request, args: [...off, ...request.args] });
}

/** Null if git does not say. Reading the config runs nothing. */
async function filtersIn(
  request: Pick<GitRequest, 'root' | 'cwd' | 'env'>,
): Promise<readonly string[] | null> {
  const args = ['config', '--list', '--null', '--show-scope', '--name-only'];
  const ran = await runGit({ ...request, args, outputLimit: LIST_LIMIT });
  if (!ran.ok) return null;
  const words = ran.stdout.split('\0');
  const names = new Set<string>();
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope = '', key = ''] = words.slice(at, at + 2);
    const [, name] = /^filter\.(.*)\.[^.]+$/s.exec(key) ?? [];
    if (name !== undefined && (scope === 'local' || scope === 'worktree')) names.add(name);
  }
  return [...names].sort();
}
