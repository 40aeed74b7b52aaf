// Names a repository the same way in every checkout: by the remote `origin`, without what
// differs between people and machines (scheme, user, password, port), and by the folder's path
// in the repository. Git is not run, since the repository may be untrusted.

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { readSmallText } from '../../files/read-contained.ts';
import { originIn } from './repository.ts';

const POINTER_LIMIT = 16 * 1024;

/** `github.com/example/project`, or `github.com/example/project:packages/api`; null without one. */
export function nameByOrigin(folder: string): string | null {
  const found = gitAbove(folder);
  if (found === null) return null;
  const origin = originIn(path.join(commonDir(found.git), 'config'));
  const name = origin === null ? null : nameOfRemote(origin, found.workTree);
  if (name === null) return null;
  const inside = path.relative(found.workTree, folder).split(path.sep).join('/');
  return inside === '' ? name : `${name}:${inside}`;
}

/** `https://user:secret@Host:8443/team/project.git/` → `host/team/project` */
export function nameOfRemote(url: string, workTree: string): string | null {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?(\[[^\]]*\]|[^/:]*)(?::\d*)?(\/.*)?$/i;
  // `git@host:team/project`, which has no slash before its first colon.
  const withoutScheme = /^(?:[^/@]*@)?(\[[^\]]*\]|[^/:]+):(.*)$/;
  const [, host = '', place = ''] = withScheme.exec(url) ?? withoutScheme.exec(url) ?? [];
  const isLocal = host === '';
  const file = place === '' ? url : place;
  const full = isLocal && !path.isAbsolute(file) ? path.resolve(workTree, file) : file;
  const rest = full.replace(/^\/+|\/+$/g, '').replace(/(.)\.git$/, '$1');
  if (rest === '' || rest === '.git') return null;
  return isLocal ? `/${rest}` : `${host.toLowerCase()}/${rest}`;
}

interface Found {
  readonly workTree: string;
  /** A folder, or the file that points to it in a linked work tree. */
  readonly git: string;
}

function gitAbove(folder: string): Found | null {
  for (let workTree = folder; ; workTree = path.dirname(workTree)) {
    const git = path.join(workTree, '.git');
    if (isThere(git)) return { workTree, git };
    if (path.dirname(workTree) === workTree) return null;
  }
}

/** Where `config` is: linked work trees share it. */
function commonDir(git: string): string {
  const pointer = readSmallText(git, POINTER_LIMIT);
  const own = /^gitdir: (.*?)\s*$/.exec(pointer ?? '')?.[1];
  const gitDir = own === undefined ? git : path.resolve(path.dirname(git), own);
  const common = readSmallText(path.join(gitDir, 'commondir'), POINTER_LIMIT)?.trim();
  return common ? path.resolve(gitDir, common) : gitDir;
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
