// Listing a hundred times as many jobs. Nothing watches the disk, so each call checks every
// file's stamp; but an unchanged file is neither read nor parsed again, which is verified
// twice: by the bytes the server's process read, and by the library's count.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeProject } from '../projects.mjs';
import { compared, limited } from '../rows.mjs';
import { sampleInTurns, summarize } from '../samples.mjs';
import { startServer } from '../wire.mjs';

const MANY = 500;
const FEW = 5;
/** Longer than the library needs before it relies on a file that was just written. */
const SETTLING_MS = 300;
const WATCHED_CALLS = 10;

/** @param {import('../stage.mjs').Stage} stage */
export async function measureLibrary(stage) {
  const many = writeProject(stage.folder('many-jobs'), MANY);
  const few = writeProject(stage.folder('few-jobs'), FEW);
  await pause(SETTLING_MS);
  const large = startServer(stage.ours(many));
  const small = startServer(stage.ours(few));
  try {
    await Promise.all([large.shakeHands(), small.shakeHands()]);
    const pair = await sampleInTurns({
      rounds: 60,
      warmUp: 10,
      ours: () => large.timeCall('get_workflows'),
      reference: () => small.timeCall('get_workflows'),
    });
    const rows = [compared(`get_workflows, ${MANY} jobs`, `${FEW} jobs`, pair)];
    const read = await bytesReadPerCall(large);
    if (read !== null) {
      const there = jobFileBytes(path.join(many, '.deepwork', 'jobs'));
      const sides = { ours: summarize([read], 'B'), reference: summarize([there], 'B') };
      rows.push(
        compared(`  bytes it read, ${MANY} jobs`, 'in job.yml files', sides, { must: 0.01 }),
      );
    }
    const parsed = await parsedAgain(stage, many);
    return [...rows, limited('  files it parsed again', '', parsed, 0)];
  } finally {
    await Promise.all([large.kill(), small.kill()]);
  }
}

/** As the kernel counts them, including the request itself; null if it does not. */
async function bytesReadPerCall(server) {
  const before = bytesRead(server.pid);
  for (let call = 0; call < WATCHED_CALLS; call++) await server.call('get_workflows');
  const after = bytesRead(server.pid);
  return before === null || after === null ? null : (after - before) / WATCHED_CALLS;
}

function bytesRead(pid) {
  try {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
  } catch {
    return null;
  }
}

function jobFileBytes(folder) {
  return readdirSync(folder).reduce(
    (sum, job) => sum + statSync(path.join(folder, job, 'job.yml')).size,
    0,
  );
}

async function parsedAgain({ parts }, project) {
  const library = parts.openLibrary({
    folders: () => [path.join(project, '.deepwork', 'jobs')],
  });
  await library.list();
  const before = library.parsed;
  if (before !== MANY) throw new Error(`${before} files parsed at first, expected ${MANY}`);
  for (let call = 0; call < WATCHED_CALLS; call++) await library.list();
  return library.parsed - before;
}
