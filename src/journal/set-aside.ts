// Sets aside files that are not trusted, complete, so that their bytes are kept for a person
// and the stream can start over: in `damaged` if the file is this user's and was altered, in
// `quarantine` if it never was this user's. Nothing is overwritten or deleted.
//
// Two processes may find the same file at once, and one of them may already have started the
// stream over. So a file is moved only while it is the one that was found; and since a move
// cannot be made conditional, the moved file is checked again, and a good one gets its name
// back.

import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { FileLayer } from './file-layer.ts';
import type { Folders } from './folders.ts';
import type { SetAsideStream } from './journal.ts';
import { type Aside, DAMAGED, fileOf, setAsideName, setAsideOf } from './stream-name.ts';

export interface SetAside {
  /** Moves the file with this identity away; returns its new name. */
  take(stream: string, identity: string): Promise<string>;
}

/** The files set aside of every stream whose name starts with `prefix`, oldest of a stream first. */
export async function listSetAside(
  root: string,
  layer: Pick<FileLayer, 'list'>,
  aside: Aside,
  prefix: string,
): Promise<SetAsideStream[]> {
  const why = aside === DAMAGED ? 'damaged' : 'foreign';
  return (await layer.list(join(root, aside)))
    .flatMap(({ kind, name }): SetAsideStream[] => {
      const stream = kind === 'file' ? setAsideOf(name) : null;
      return stream?.startsWith(prefix) ? [{ stream, why, kept: `${aside}/${name}` }] : [];
    })
    .sort((a, b) => (a.kept < b.kept ? -1 : 1));
}

export function openSetAside(
  root: string,
  layer: FileLayer,
  folders: Folders,
  aside: Aside,
): SetAside {
  async function find(stream: string, identity: string): Promise<string> {
    for (const { stream: found, kept } of await listSetAside(root, layer, aside, stream)) {
      const facts = found === stream ? await layer.facts(join(root, kept)) : null;
      if (facts?.identity === identity) return kept;
    }
    return `${aside}/`;
  }

  async function move(stream: string, identity: string): Promise<string> {
    const path = join(root, fileOf(stream));
    if ((await layer.facts(path))?.identity !== identity) return find(stream, identity);
    await folders.make(join(root, aside));
    const name = setAsideName(aside, stream, new Date(), randomBytes(4).toString('hex'));
    const kept = join(root, name);
    await layer.move(path, kept);
    if ((await layer.facts(kept))?.identity !== identity) {
      await layer.link(kept, path);
      await layer.removeName(kept);
      return find(stream, identity);
    }
    await layer.syncFolder(dirname(kept));
    await layer.syncFolder(dirname(path));
    return name;
  }

  async function stillThere(stream: string, identity: string): Promise<string> {
    const inPlace = fileOf(stream);
    try {
      const facts = await layer.facts(join(root, inPlace));
      return facts?.identity === identity ? inPlace : await find(stream, identity);
    } catch {
      return inPlace;
    }
  }

  return {
    // If it cannot be moved, as on a read-only disk, it stays, unless another process has
    // moved it. The caller needs to know what is wrong with it, not why it was not moved.
    take: (stream, identity) => move(stream, identity).catch(() => stillThere(stream, identity)),
  };
}
