// Work in a project with much history. Ended sessions do not change, so a call with a
// thousand of them should cost hardly more than with ten.

import { journalOf, renamed, runSession, writeSession } from '../past-sessions.mjs';
import { stepIds, writeJob, writeProject } from '../projects.mjs';
import { compared } from '../rows.mjs';
import { sampleInTurns } from '../samples.mjs';
import { finish, start } from '../walk.mjs';
import { startServer } from '../wire.mjs';

const MANY = 1000;
const FEW = 10;
const STEPS = stepIds(60);
const SHORT = stepIds(3);

/** @param {import('../stage.mjs').Stage} stage */
export async function measureSessions(stage) {
  const sides = {
    many: stage.ours(await projectWithPast(stage, MANY)),
    few: stage.ours(await projectWithPast(stage, FEW)),
  };
  const old = startServer(sides.many);
  const young = startServer(sides.few);
  const against = `${FEW} ended sessions`;
  const rows = [];
  try {
    for (const server of [old, young]) {
      await server.shakeHands();
      await start(server, 'long');
    }
    const asked = await sampleInTurns({
      rounds: 60,
      warmUp: 10,
      ours: () => old.timeCall('get_active_workflow'),
      reference: () => young.timeCall('get_active_workflow'),
    });
    rows.push(compared(`get_active_workflow, ${MANY} ended sessions`, against, asked));
    const finished = await sampleInTurns({
      rounds: STEPS.length - 10,
      warmUp: 5,
      ours: (round) => finish(old, STEPS[round], 'next_step'),
      reference: (round) => finish(young, STEPS[round], 'next_step'),
    });
    rows.push(compared(`finished_step, ${MANY} ended sessions`, against, finished));
  } finally {
    await Promise.all([old.kill(), young.kill()]);
  }
  const opened = await sampleInTurns({
    rounds: 9,
    warmUp: 1,
    ours: () => timeFirstCall(sides.many),
    reference: () => timeFirstCall(sides.few),
  });
  return [...rows, compared(`spawn to get_active_workflow, ${MANY} ended`, against, opened)];
}

async function projectWithPast(stage, sessions) {
  const project = writeProject(stage.folder(`past-${sessions}`), 5);
  writeJob(project, 'long', STEPS);
  writeJob(project, 'short', SHORT);
  const run = await runSession(stage, project, { job: 'short', steps: SHORT, until: 'end' });
  for (let number = 1; number < sessions; number++) {
    const id = number.toString(16).padStart(8, '0');
    await writeSession(stage, journalOf(project), renamed(run, id));
  }
  return project;
}

async function timeFirstCall(args) {
  const server = startServer(args);
  try {
    await server.shakeHands();
    await server.call('get_active_workflow');
    return performance.now() - server.spawnedAt;
  } finally {
    await server.kill();
  }
}
