// What a client's hook costs: it runs at every stop of an agent and before every file that it
// writes, mostly to say nothing. The floor is Node itself.

import { spawnSync } from 'node:child_process';
import { writeProject } from '../projects.mjs';
import { compared } from '../rows.mjs';
import { sampleInTurns, timed } from '../samples.mjs';
import { environment, startServer } from '../wire.mjs';

const ROUNDS = 41;
const WARM_UP = 3;

/** @param {import('../stage.mjs').Stage} stage */
export async function measureHook(stage) {
  const idle = writeProject(stage.folder('hook-idle'), 5);
  const open = writeProject(stage.folder('hook-open'), 5);
  // The hook knows its own by the process that started both.
  const server = startServer(stage.ours(open));
  await server.shakeHands();
  const start = { goal: 'Bench', job_name: 'job_001', workflow_name: 'main' };
  await server.call('start_workflow', start);
  const rows = [
    compared('hook, no open session', 'node -e 0', await race(stage, 'stop', idle), { must: 1.5 }),
    compared('hook, before a write', 'node -e 0', await race(stage, 'tool', idle), { must: 1.5 }),
    compared('hook, capsule of an open session', 'node -e 0', await race(stage, 'start', open), {
      must: 3,
    }),
  ];
  await server.kill();
  return rows;
}

function race(stage, moment, project) {
  const input = JSON.stringify({
    session_id: 'bench',
    cwd: project,
    tool_name: 'Write',
    tool_input: { file_path: 'a.txt' },
  });
  const run = (args) => () =>
    timed(async () => {
      spawnSync(process.execPath, args, { input, cwd: project, env: environment() });
    });
  return sampleInTurns({
    rounds: ROUNDS,
    warmUp: WARM_UP,
    ours: run([...stage.hook, moment]),
    reference: run(['-e', '0']),
  });
}
