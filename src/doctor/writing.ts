// Whether writes reach the disk, and how long that takes: every step of a run waits for it. A
// temporary file is written, synced and removed, in `.deepwork/tmp`, or in
// `.deepwork` if there is none. No folder is created for it.

import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathsOf } from '../environment/paths.ts';
import { linkProblem } from '../files/folder-links.ts';
import { describeSystemError } from '../files/system-errors.ts';
import { type Checker, ok, problem, type Result, warning } from './check.ts';

/** Each step of a run waits for a few syncs. */
const SLOW_MS = 500;
/** Much more than SLOW_MS, so that a slow disk is a warning and not a timeout. */
const TIMEOUT_MS = 20_000;
const FIX = 'make the folder writable for you, and see that its disk is not full';

export const writing: Checker = {
  name: 'writing',
  timeoutMs: TIMEOUT_MS,
  async run({ root }) {
    const { own, tmp, journal } = pathsOf(root);
    const link = [own, tmp, journal].map((each) => linkProblem(root, each)).find(Boolean);
    if (link) return problem(link, 'remove the link');
    if (!existsSync(own)) {
      const why = whyNotWritable(root);
      return why === null ? ok('the project can be written to') : cannot('the project', why);
    }
    for (const folder of [journal, path.join(journal, 'session'), path.join(journal, 'team')]) {
      const why = existsSync(folder) ? whyNotWritable(folder) : null;
      if (why !== null) return cannot(path.relative(root, folder), why);
    }
    const folder = existsSync(tmp) ? tmp : own;
    const shown = path.relative(root, folder);
    try {
      return judge(await writeOnce(folder), shown);
    } catch (error) {
      return cannot(shown, describeSystemError(error));
    }
  },
};

function cannot(folder: string, why: string): Result {
  return problem(`${folder} cannot be written to: ${why}`, FIX);
}

function whyNotWritable(folder: string): string | null {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return describeSystemError(error);
  }
}

/** Returns how many milliseconds it took. */
async function writeOnce(folder: string): Promise<number> {
  const file = path.join(folder, `.${randomBytes(6).toString('hex')}-${process.pid}.tmp`);
  const began = performance.now();
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.write('deepwork doctor\n');
    await handle.sync();
    return performance.now() - began;
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
}

function judge(milliseconds: number, shown: string): Result {
  const took = `${shown}: written and synced in ${milliseconds.toFixed(1)} ms`;
  if (milliseconds < SLOW_MS) return ok(took);
  return warning(took, 'every step waits for this; use a local disk that is less busy');
}
