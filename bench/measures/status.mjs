// What `deepwork status` costs in a project of years. It is a process of its own each time, and
// what has ended is not read again: ten thousand ended sessions must hardly be felt.

import { spawnSync } from 'node:child_process';
import { journalOf, renamed, runSession, writeSession } from '../past-sessions.mjs';
import { stepIds, writeJob, writeProject } from '../projects.mjs';
import { compared } from '../rows.mjs';
import { sampleInTurns, timed } from '../samples.mjs';
import { environment, startServer } from '../wire.mjs';

const MANY = 10_000;
const FEW = 10;
const STEPS = stepIds(3);

/** @param {import('../stage.mjs').Stage} stage */
export async function measureStatus(stage) {
  const many = await projectWithPast(stage, MANY);
  const few = await projectWithPast(stage, FEW);
  const pair = await sampleInTurns({
    rounds: 31,
    warmUp: 3,
    ours: () => timeStatus(stage, many),
    reference: () => timeStatus(stage, few),
  });
  const floor = await sampleInTurns({
    rounds: 31,
    warmUp: 3,
    ours: () => timeStatus(stage, few),
    reference: () => timed(async () => run(['-e', '0'], few)),
  });
  return [
    compared(`status, ${MANY} ended sessions`, `${FEW} ended sessions`, pair, { must: 1.3 }),
    compared(`status, ${FEW} ended sessions`, 'node -e 0', floor),
  ];
}

async function projectWithPast(stage, sessions) {
  const project = writeProject(stage.folder(`status-${sessions}`), 5);
  writeJob(project, 'short', STEPS);
  const session = await runSession(stage, project, { job: 'short', steps: STEPS, until: 'end' });
  for (let number = 1; number < sessions; number++) {
    const id = number.toString(16).padStart(8, '0');
    await writeSession(stage, journalOf(project), renamed(session, id));
  }
  // A server that lists the sessions knows afterwards which have ended, as the servers that
  // ended them would have.
  const server = startServer(stage.ours(project));
  await server.shakeHands();
  await server.call('get_active_workflow');
  await server.kill();
  return project;
}

function timeStatus(stage, project) {
  return timed(async () => {
    const shown = run([...stage.status, '--path', project], project);
    if (!shown.includes('done')) throw new Error(`status shows no ended session: ${shown}`);
  });
}

function run(args, cwd) {
  const { stdout } = spawnSync(process.execPath, args, { cwd, env: environment() });
  return stdout.toString('utf8');
}
