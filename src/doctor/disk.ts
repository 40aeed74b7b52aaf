// Whether the project's disk has room: a journal that cannot grow stops every run.

import { statfs } from 'node:fs/promises';
import { type Checker, ok, problem, type Result, warning } from './check.ts';

const MIB = 1024 * 1024;
const MIN_BYTES = 64 * MIB;
const LOW_BYTES = 512 * MIB;
const FIX = "free some space on the project's disk";

export const disk: Checker = {
  name: 'disk',
  timeoutMs: 10_000,
  async run({ root }) {
    const { bavail, bsize, files, ffree } = await statfs(root);
    return judgeRoom(bavail * bsize, files > 0 ? ffree : null);
  },
};

/** `inodes` is null where a file system has no fixed number of them. */
export function judgeRoom(bytes: number, inodes: number | null): Result {
  const room = `${sized(bytes)} free`;
  if (inodes === 0) return problem('no file can be created: no inodes left', FIX);
  if (bytes < MIN_BYTES) return problem(`only ${room}`, FIX);
  return bytes < LOW_BYTES ? warning(`only ${room}`, FIX) : ok(room);
}

function sized(bytes: number): string {
  const units = ['MiB', 'GiB', 'TiB'];
  let value = bytes / MIB;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
