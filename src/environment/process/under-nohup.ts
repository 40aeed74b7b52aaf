// Whether this process was started with `nohup`, and so is meant to outlive its terminal. Node no
// longer ignores a signal that was ignored when it started, so SIGHUP would end it, and what the
// system knows about ignored signals says nothing. `nohup` leaves two other traces: shells put the
// path of the program that they start into `_`, and GNU's `nohup` replaces a terminal as the input by
// /dev/null, opened only for writing.

import { fstatSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../files/system-errors.ts';

const INPUT = 0;

export function isUnderNohup(env: NodeJS.ProcessEnv): boolean {
  return path.basename(env._ ?? '') === 'nohup' || isInputUnreadable();
}

function isInputUnreadable(): boolean {
  try {
    // Only from /dev/null does reading take nothing away.
    if (fstatSync(INPUT).rdev === statSync('/dev/null').rdev) readSync(INPUT, Buffer.alloc(1));
    return false;
  } catch (error) {
    return errorCode(error) === 'EBADF';
  }
}
