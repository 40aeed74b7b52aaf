// Steps of a workflow of a thousand entries beside steps of one of ten: a step costs what it does,
// whatever else the workflow contains. Measured at the beginning and, after half of it is accepted,
// in the middle.

import { stepIds, writeJob, writeProject } from '../projects.mjs';
import { compared } from '../rows.mjs';
import { sampleInTurns } from '../samples.mjs';
import { finish, start } from '../walk.mjs';
import { startServer } from '../wire.mjs';

const MANY = 1000;
const FEW = 10;
const LONG = stepIds(MANY);
const SHORT = stepIds(FEW);
const ROUNDS = 90;
const WARM_UP = 18;
const MIDDLE = MANY / 2;

/** @param {import('../stage.mjs').Stage} stage */
export async function measureLongWorkflow(stage) {
  const project = writeProject(stage.folder('long-workflow'), 5);
  // Block style has more lines than a definition may have.
  writeJob(project, 'long', LONG, JSON.stringify);
  writeJob(project, 'short', SHORT);
  const [long, short] = [startServer(stage.ours(project)), startServer(stage.ours(project))];
  try {
    for (const server of [long, short]) await server.shakeHands();
    await start(long, 'long');
    let at = 0;
    const next = () => finish(long, LONG[at++], 'next_step');
    const beside = () =>
      sampleInTurns({
        rounds: ROUNDS,
        warmUp: WARM_UP,
        ours: next,
        reference: (round) => finishShort(short, round % (FEW - 1)),
      });
    const against = `of ${FEW} entries`;
    const first = await beside();
    while (at < MIDDLE) await next();
    const middle = await beside();
    return [
      compared(`finished_step, the first of ${MANY} entries`, against, first),
      compared(`  after ${MIDDLE} of them`, against, middle, { must: 1.5, aim: 1.2 }),
    ];
  } finally {
    await Promise.all([long.kill(), short.kill()]);
  }
}

/** The last step of a run ends it and is not counted. */
async function finishShort(server, at) {
  if (at === 0) await start(server, 'short');
  const milliseconds = await finish(server, SHORT[at], 'next_step');
  if (at === FEW - 2) await finish(server, SHORT[FEW - 1], 'workflow_complete');
  return milliseconds;
}
