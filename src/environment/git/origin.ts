// Names a repository the same way in every checkout: by the remote `origin`, without what
// differs between people and machines (scheme, user, password, port), and by the folder's path
// in the repository. Git is not run, since the repository may be untrusted.

import path from 'node:path';
import { entryAt } from '../../files/entry.ts';
import { realPathOf } from '../../files/real-path.ts';
import { ownerOf, targetOf } from './git-pointer.ts';
import { originIn } from './repository-identity.ts';

/** `github.com/example/project` or `github.com/example/project:packages/api`; null without `origin`. */
export function nameByOrigin(folder: string): string | null {
  const found = gitAbove(folder);
  if (found === null) return null;
  const common = commonDir(found);
  if (common === null) return null;
  const origin = originIn(path.join(common, 'config'));
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
  const [, host = '', remotePath = ''] = withScheme.exec(url) ?? withoutScheme.exec(url) ?? [];
  const isLocal = host === '';
  const file = remotePath === '' ? url : remotePath;
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
    if (entryAt(git) !== null) return { workTree, git };
    if (path.dirname(workTree) === workTree) return null;
  }
}

/**
 * Where `config` is: linked work trees share it. Null if `.git` names a repository that does not
 * point back: an archive can name any.
 */
function commonDir({ workTree, git }: Found): string | null {
  const entry = entryAt(git);
  if (entry?.isDirectory()) return entryAt(path.join(git, 'commondir')) === null ? git : null;
  if (!entry?.isFile()) return null;
  const real = realPathOf(workTree);
  const gitDir = targetOf(git);
  return gitDir === null ? null : ownerOf(gitDir, path.join(real, '.git'), real);
}
