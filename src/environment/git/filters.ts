// Git filters: programs that a repository's config names, and that git runs on files when it reads
// or writes them. They are off when we only read, and need a person's agreement when files are
// checked out. Filters in the user's own config (such as git-lfs) are the user's choice.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { readSmallText } from '../../files/read-contained.ts';
import { type ConfigEntry, conditionallyIncluded, parseEntry } from './conditional-includes.ts';
import { type GitRequest, type GitResult, runGit } from './git.ts';
import { findRepository } from './git-repository.ts';

const MAX_CONFIG_BYTES = 256 * 1024;
const MAX_LIST_BYTES = 1024 * 1024;
/** Such a name cannot be passed on git's command line, so its filter cannot be turned off. */
const UNPASSABLE = /[=\n]/;

/**
 * The names of the filters of a project's repository, sorted; empty if there are none, null if its
 * config cannot be read. Git runs only if the config may name a filter, so for most projects no
 * program is started.
 */
export async function filtersOfProject(root: string): Promise<readonly string[] | null> {
  if (!mayNameFilters(path.join(root, '.git'))) return [];
  const found = await findRepository(root, 'HEAD');
  if (found.kind === 'unusable') return [];
  const { gitDir, workTree } = found.repository;
  return filtersIn({ root, cwd: workTree, env: { GIT_DIR: gitDir } });
}

function mayNameFilters(dotGit: string): boolean {
  const entry = lstatSync(dotGit, { throwIfNoEntry: false });
  // In a linked work tree the config is elsewhere.
  if (!entry?.isDirectory()) return entry !== undefined;
  return ['config', 'config.worktree'].some((name) => {
    const file = path.join(dotGit, name);
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return false;
    const text = readSmallText(file, MAX_CONFIG_BYTES);
    return text === null || /filter|include/i.test(text);
  });
}

/** Runs git without the filters of the repository; fails if they cannot be turned off. */
export async function runWithoutFilters(request: GitRequest): Promise<GitResult> {
  const names = await filtersIn(request);
  if (names === null || names.some((name) => UNPASSABLE.test(name))) {
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

/** Null if git cannot read the config. Reading it runs nothing. */
async function filtersIn(
  request: Pick<GitRequest, 'root' | 'cwd' | 'env'>,
): Promise<readonly string[] | null> {
  const args = ['config', '--list', '--null', '--show-scope', '--show-origin'];
  const ran = await runGit({ ...request, args, outputLimit: MAX_LIST_BYTES });
  if (!ran.ok) return null;
  const words = ran.stdout.split('\0');
  const own: ConfigEntry[] = [];
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [scope = '', origin = '', entry = ''] = words.slice(at, at + 3);
    if (scope !== 'local' && scope !== 'worktree') continue;
    const file = path.resolve(request.cwd ?? request.root, origin.replace(/^file:/, ''));
    own.push(parseEntry(entry, file));
  }
  // Whether a conditional include applies depends on the branch, and on the work tree that git works
  // on. So all of them count.
  const included = await conditionallyIncluded(request, own);
  if (included === null) return null;
  const names = [...own, ...included].flatMap(({ key }) => {
    const [, name] = /^filter\.(.*)\.[^.]+$/s.exec(key) ?? [];
    return name ?? [];
  });
  return [...new Set(names)].sort();
}
