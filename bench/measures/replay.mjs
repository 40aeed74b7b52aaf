// Replaying a long session: every line checked against the one before, every event folded.
// Measured in a new process each time, since new processes have to do it, against the floor:
// the same lines only hashed and parsed.

import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { runSession, writeSession } from '../past-sessions.mjs';
import { stepIds, writeJob, writeProject } from '../projects.mjs';
import { compared } from '../rows.mjs';
import { summarize } from '../samples.mjs';
import { environment } from '../wire.mjs';

const EVENTS = 10_000;
const TIMES = 9;
const STEPS = stepIds(10);
const run = promisify(execFile);

/** @param {import('../stage.mjs').Stage} stage */
export async function measureReplay(stage) {
  const project = writeProject(stage.folder('replay'), 1);
  writeJob(project, 'long', STEPS);
  const { id, events } = await runSession(stage, project, {
    job: 'long',
    steps: STEPS,
    until: 'return',
  });
  const folder = stage.folder('replay-journal');
  await writeSession(stage, folder, { id, events: lengthen(events, EVENTS) });

  const file = path.join(folder, `session/${id}.jsonl`);
  const ours = [];
  const floor = [];
  // Taken in turns: both see the same machine.
  for (let time = 0; time < TIMES; time++) {
    ours.push(await replayed([...stage.replay, folder, `session/${id}`]));
    floor.push(await replayed([...stage.replayFloor, file]));
  }
  const pair = (of) => ({
    ours: summarize(ours.map((sample) => sample[of])),
    reference: summarize(floor.map((sample) => sample[of])),
  });
  const against = 'lines hashed and parsed';
  return [
    compared(`replay of ${EVENTS} events, new process`, against, pair('milliseconds'), {
      must: 2.5,
    }),
    compared('  processor time, all threads', against, pair('worked')),
  ];
}

/** @param {readonly string[]} args of node */
async function replayed(args) {
  const { stdout } = await run(process.execPath, [...args], { env: environment() });
  const outcome = JSON.parse(stdout);
  if (outcome.error !== undefined) throw new Error(outcome.error);
  if (outcome.seq !== EVENTS) throw new Error(`${outcome.seq} events, expected ${EVENTS}`);
  return outcome;
}

/** Starts once, then repeats the round. */
/**
 * @param {readonly import('../../src/journal/journal.ts').NewEvent[]} events
 * @param {number} length
 */
function lengthen([started, ...round], length) {
  return Array.from({ length }, (_, at) => (at === 0 ? started : round[(at - 1) % round.length]));
}
