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
    const { milliseconds, seq, error } = JSON.parse(stdout);
    if (error !== undefined) throw new Error(error);
    if (seq !== EVENTS) throw new Error(`${seq} events were read, expected ${EVENTS}`);
    samples.push(milliseconds);
  }
  return [limited(`replay of ${EVENTS} events, new process`, 'ms', summarize(samples).median, 200)];
}

/** Begins once, then goes round and round. */
function lengthen([started, ...round], length) {
  return Array.from({ length }, (_, at) => (at === 0 ? started : round[(at - 1) % round.length]));
}
