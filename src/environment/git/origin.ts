// Names a repository the same way in every checkout: by the remote `origin`, without what
// differs between people and machines (scheme, user, password, port, query), and by the folder's
// path in the repository. Git is not run, since the repository may be untrusted.

import { createHash } from 'node:crypto';
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

/** Longer than any address that a person writes. */
const MAX_URL = 4096;

/** `https://user:secret@Host:8443/team/project.git/?token=x` → `host/team/project` */
export function nameOfRemote(url: string, workTree: string): string | null {
  // `helper::address` names the program that git uses for the address.
  const address = url.replace(/^(?:[A-Za-z0-9][\w+.-]*::)+/, '');
  const found = address.length > MAX_URL ? null : placeOf(address);
  if (found === null) return hashed(address);
  const { host, file } = found;
  const full = host === '' && !path.isAbsolute(file) ? path.resolve(workTree, file) : file;
  const rest = full.replace(/^\/+|\/+$/g, '').replace(/(.)\.git$/, '$1');
  if (rest === '' || rest === '.git') return null;
  const name = `${host.toLowerCase()}/${rest}`;
  // What is not understood may be a part of a password, and names are shown.
  return /@|:\/\/|\p{C}/u.test(name) ? hashed(name) : name;
}

interface RemotePlace {
  /** '' for a path of this machine. */
  readonly host: string;
  readonly file: string;
}

/** Null for an address that is not understood. */
function placeOf(address: string): RemotePlace | null {
  const [, withoutScheme] = /^[a-z][a-z0-9+.-]*:\/\/(.*)$/is.exec(address) ?? [];
  if (withoutScheme === undefined) {
    // `git@host:team/project`, which has no slash before its first colon.
    const [, host = '', file = ''] = /^(?:[^/@]*@)?(\[[^\]]*\]|[^/:]+):(.*)$/s.exec(address) ?? [];
    return file === '' ? { host: '', file: address } : { host, file };
  }
  const slash = withoutScheme.indexOf('/');
  const authority = slash === -1 ? withoutScheme : withoutScheme.slice(0, slash);
  const file = slash === -1 ? '' : withoutScheme.slice(slash);
  const [, host] =
    /^(\[[^\]]*\]|[^:?#]*)(?::\d*)?$/.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? [];
  if (host === undefined) return null;
  return host === '' ? { host, file } : { host, file: file.replace(/[?#].*$/s, '') };
}

function hashed(text: string): string {
  return `origin-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
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
