// Reading a long session back: every line checked against the one before, every event
// folded. Taken in a new process each time, since it is new processes that have to.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runSession, writeSession } from '../past-sessions.mjs';
import { stepIds, writeJob, writeProject } from '../projects.mjs';
import { limited } from '../rows.mjs';
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

  const samples = [];
  for (let time = 0; time < TIMES; time++) {
    const { stdout } = await run(process.execPath, [...stage.replay, folder, `session/${id}`], {
      env: environment(),
    });
    const outcome = JSON.parse(stdout);
    if (outcome.error !== undefined) throw new Error(outcome.error);
    if (outcome.seq !== EVENTS) throw new Error(`${outcome.seq} events, expected ${EVENTS}`);
    samples.push(outcome);
  }
  const median = (of) => summarize(samples.map((sample) => sample[of])).median;
  return [
    limited(`replay of ${EVENTS} events, new process`, 'ms', median('milliseconds'), 200),
    limited('  processor time, all threads', 'ms', median('worked')),
  ];
}

/** Begins once, then goes round and round. */
/**
 * @param {readonly import('../../src/journal/journal.ts').NewEvent[]} events
 * @param {number} length
 */
function lengthen([started, ...round], length) {
  return Array.from({ length }, (_, at) => (at === 0 ? started : round[(at - 1) % round.length]));
}
