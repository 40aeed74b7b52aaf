// A disk that can fail to write, with the semantics of Linux: what a failed sync could not write
// stays visible to every reader, is never written by a later sync, and is gone after a crash. What
// was never synced is gone then, too. Files are identified by their inode, so a renamed file is
// still the same file.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { type FileLayer, type OpenFile, realFileLayer } from '../../src/journal/file-layer.ts';

type Fate = 'unsynced' | 'durable' | 'lost';

interface Piece {
  readonly from: number;
  readonly to: number;
  fate: Fate;
}

export interface UnsureDisk {
  readonly layer: FileLayer;
  /** The next sync of a file fails. */
  failNextSync(): void;
  /** A power failure: every file below the folder keeps only what the disk had. */
  crash(folder: string): void;
}

export function unsureDisk(): UnsureDisk {
  const files = new Map<number, Piece[]>();
  let failing = false;

  const piecesOf = (ino: number): Piece[] => {
    const pieces = files.get(ino) ?? [];
    files.set(ino, pieces);
    return pieces;
  };

  function wrap(file: OpenFile, ino: number, path: string): OpenFile {
    return {
      ...file,
      async write(bytes) {
        const { size: from } = await file.facts();
        const count = await file.write(bytes);
        piecesOf(ino).push({ from, to: from + count, fate: 'unsynced' });
        return count;
      },
      async sync() {
        const fate = failing ? 'lost' : 'durable';
        for (const piece of piecesOf(ino)) if (piece.fate === 'unsynced') piece.fate = fate;
        const failed = failing;
        failing = false;
        if (failed)
          throw Object.assign(new Error(`EIO: i/o error, fdatasync '${path}'`), { code: 'EIO' });
      },
    };
  }

  return {
    layer: {
      ...realFileLayer,
      async open(path, openFor) {
        const file = await realFileLayer.open(path, openFor);
        return wrap(file, fs.lstatSync(path).ino, path);
      },
    },
    failNextSync() {
      failing = true;
    },
    crash(folder) {
      for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const bytes = fs.readFileSync(path);
        let end = 0;
        for (const { from, to, fate } of piecesOf(fs.lstatSync(path).ino)) {
          if (fate === 'durable') end = Math.max(end, to);
          else bytes.fill(0, from, to);
        }
        fs.writeFileSync(path, bytes.subarray(0, end));
      }
    },
  };
}
