// What a repository, or a person who is careless, can put in the place of a file or a
// folder that deepwork opens.

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
  /** Root can read everything, so this one is for a process without its rights. */
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

/** What is there, closed. */
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

/** Removes what is there and puts the spoiling in its place. */
export function putInPlace(spoiling: Spoiling, at: string, place: Place, canary: Canary): void {
  mkdirSync(path.dirname(at), { recursive: true });
  // The living server makes a temporary file ahead, maybe in this very moment.
  const patiently = { recursive: true, force: true, maxRetries: 5 } as const;
  if (spoiling.asOrdinaryUser !== true) rmSync(at, patiently);
  spoiling.spoil(at, place, canary);
}
