// What a repository, or a careless person, can put in the place of a file or a folder that
// deepwork opens.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Canary } from './canary.ts';
import type { Place } from './places.ts';

export interface Spoiling {
  readonly name: string;
  /** Left out: both. */
  readonly only?: 'file';
  /** Root can read everything, so this one needs a process without root's rights. */
  readonly asOrdinaryUser?: true;
  spoil(at: string, place: Place, canary: Canary): void;
}

const HUGE_BYTES = 10 * 1024 ** 3;

export const SPOILINGS: readonly Spoiling[] = [
  {
    name: 'a link to its like outside the project',
    spoil: (at, { outside }, canary) => symlinkSync(canary.path(outside), at),
  },
  {
    name: 'a link to something of another kind outside the project',
    spoil: (at, { kind }, canary) =>
      symlinkSync(canary.path(kind === 'file' ? 'jobs' : 'file.txt'), at),
  },
  {
    name: 'a link to a link out of the project',
    spoil(at, { outside }, canary) {
      const hop = path.join(path.dirname(at), '.hop');
      rmSync(hop, { force: true });
      symlinkSync(canary.path(outside), hop);
      symlinkSync('.hop', at);
    },
  },
  {
    name: 'a link to nothing outside the project',
    spoil: (at, _, canary) => symlinkSync(canary.path('to-be-made'), at),
  },
  { name: 'a pipe', spoil: (at) => void execFileSync('mkfifo', [at]) },
  {
    name: 'a folder for a file, a file for a folder',
    spoil: (at, { kind }) => (kind === 'file' ? mkdirSync(at) : writeFileSync(at, 'a file')),
  },
  { name: 'a link to a device that never ends', spoil: (at) => symlinkSync('/dev/zero', at) },
  {
    name: 'ten gigabytes of nothing',
    only: 'file',
    spoil(at) {
      const handle = openSync(at, 'w');
      ftruncateSync(handle, HUGE_BYTES);
      closeSync(handle);
    },
  },
];

/** The same content, without permissions. */
export const UNREADABLE: Spoiling = {
  name: 'closed to the reader',
  asOrdinaryUser: true,
  spoil(at, { kind }) {
    if (!existsSync(at)) {
      if (kind === 'file') writeFileSync(at, '');
      else mkdirSync(at);
    }
    chmodSync(at, 0o000);
  },
};

/** How often a place is cleared again that a running server has filled meanwhile. */
const MAX_TRIES = 50;

/** Replaces the path. A running server may create a file there at any moment. */
export function putInPlace(spoiling: Spoiling, at: string, place: Place, canary: Canary): void {
  mkdirSync(path.dirname(at), { recursive: true });
  for (let tries = 1; ; tries += 1) {
    try {
      if (spoiling.asOrdinaryUser !== true) rmSync(at, { recursive: true, force: true });
      spoiling.spoil(at, place, canary);
      return;
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
    }
  }
}
