// A step that is finished and made durable, without a review. The unavoidable cost is one line
// appended and synced; the rest is ours: reading the definition, hashing the output, deciding,
// the view, the next instructions, and the wire.

import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { stepIds, writeJob, writeProject } from '../projects.mjs';
import { compared } from '../rows.mjs';
import { sampleInTurns, summarize, timed } from '../samples.mjs';
import { finish, finishAll, start } from '../walk.mjs';
import { startServer } from '../wire.mjs';

const STEPS = stepIds(10);
const RUNS = 25;
const WARM_UP_RUNS = 3;

/** @param {import('../stage.mjs').Stage} stage */
export async function measureStep(stage) {
  const project = writeProject(stage.folder('step'), 5);
  writeJob(project, 'long', STEPS);
  const server = startServer(stage.ours(project));
  await server.shakeHands();
  const line = Buffer.alloc(await lineSize(server, project), 'x');
  const log = await open(path.join(project, '.deepwork', 'reference.jsonl'), 'a');
  try {
    // Every round is one step; the last step of a run ends it and is not counted.
    const advancing = STEPS.slice(0, -1);
    const pings = [];
    const pair = await sampleInTurns({
      rounds: RUNS * advancing.length,
      warmUp: WARM_UP_RUNS * advancing.length,
      async ours(round) {
        const at = round % advancing.length;
        if (at === 0) await start(server, 'long');
        const milliseconds = await finish(server, advancing[at], 'next_step');
        if (at === advancing.length - 1)
          await finish(server, STEPS[STEPS.length - 1], 'workflow_complete');
        pings.push(await timed(() => server.request('ping')));
        return milliseconds;
      },
      reference: () =>
        timed(async () => {
          await log.write(line);
          await log.datasync();
        }),
    });
    const wire = { ours: summarize(pings), reference: pair.reference };
    return [
      compared('finished_step, durable, no review', 'append + fdatasync', pair, { must: 5 }),
      compared('  of which the wire (ping)', 'append + fdatasync', wire),
    ];
  } finally {
    await log.close();
    await server.kill();
  }
}

/** The length of the line of one finished step, taken from one run. */
async function lineSize(server, project) {
  const id = await start(server, 'long');
  const stream = path.join(project, '.deepwork', 'journal', 'session', `${id}.jsonl`);
  const before = (await stat(stream)).size;
  await finishAll(server, STEPS);
  return Math.round(((await stat(stream)).size - before) / STEPS.length);
}
