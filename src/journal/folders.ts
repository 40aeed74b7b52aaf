// The folders of the streams: made when the first event needs them, ignored by git, and made
// durable. A synced file is still lost with the power if the folder entry that names it was
// not synced; so before the first event is written to a file, the names that lead to it are
// synced. The names of a file that is not empty are therefore on the disk.
//
// A folder below the journal's own must be a real one: a link from someone's repository must
// not make the journal write, or set aside, files in another place. New folders are private
// to this user; a folder that others can access is tightened on first use.

import { dirname, join } from 'node:path';
import type { FileFacts, FileLayer } from './file-layer.ts';

export interface Folders {
  /** Throws if a link, or anything but a folder, is in a folder's place. */
  check(path: string): Promise<void>;
  /** Makes the folder, and the journal's own with its `.gitignore`. */
  make(path: string): Promise<void>;
  /** Resolves when every name in the folder, and the folder's own, is on the disk. */
  makeDurable(path: string): Promise<void>;
}

const IGNORE = '*\n!.gitignore\n';

export function openFolders(root: string, layer: FileLayer): Folders {
  const real = new Set<string>([root]);
  const durable = new Set<string>();
  let top = root;
  let ignored = false;
  let rootTightened = false;

  // Fails for someone else's folder, or on a disk without modes; both are acceptable.
  async function tighten(path: string, facts: FileFacts | null): Promise<void> {
    if (facts?.kind === 'folder' && facts.shared) await layer.tighten(path).catch(() => {});
  }

  async function check(path: string): Promise<void> {
    if (!rootTightened) {
      rootTightened = true;
      await tighten(root, await layer.facts(root));
    }
    if (real.has(path)) return;
    await check(dirname(path));
    const facts = await layer.facts(path);
    if (facts === null) return;
    if (facts.kind !== 'folder') {
      throw new Error(`'${path}' is not a folder; the journal cannot use it`);
    }
    await tighten(path, facts);
    real.add(path);
  }

  // Written again if it is empty: its writer died between creating and filling it.
  async function ignore(): Promise<void> {
    if (ignored) return;
    const file = await layer.open(join(root, '.gitignore'), 'creating');
    try {
      const { kind, size } = await file.facts();
      if (kind === 'file' && size === 0) await file.write(Buffer.from(IGNORE));
    } finally {
      await file.close();
    }
    ignored = true;
  }

  return {
    check,

    async make(path) {
      await check(path);
      const made = await layer.makeFolder(path);
      if (made !== undefined) {
        durable.clear();
        ignored = false;
        if (made.length < top.length) top = made;
      }
      await ignore();
    },

    async makeDurable(path) {
      await layer.syncFolder(path);
      for (let child = path; child.length >= top.length; child = dirname(child)) {
        if (durable.has(child)) continue;
        await layer.syncFolder(dirname(child));
        durable.add(child);
      }
    },
  };
}
