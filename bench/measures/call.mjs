// A call that changes nothing, to a warm server: the cost of our own work on top of the SDK
// and the wire. The bare server sends the same answer.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeProject } from '../projects.mjs';
import { compared } from '../rows.mjs';
import { sampleInTurns } from '../samples.mjs';
import { startServer } from '../wire.mjs';

/** @param {import('../stage.mjs').Stage} stage */
export async function measureCall(stage) {
  const project = writeProject(stage.folder('call'), 5);
  const ours = startServer(stage.ours(project));
  await ours.shakeHands();
  const answer = path.join(project, 'answer.json');
  writeFileSync(answer, JSON.stringify(await ours.call('get_workflows')));
  const bare = startServer(stage.bareSdk(answer));
  await bare.shakeHands();
  try {
    return [
      compared(
        'stateless call (get_workflows, 5 jobs)',
        'bare SDK, same answer',
        await sampleInTurns({
          rounds: 600,
          warmUp: 200,
          ours: () => ours.timeCall('get_workflows'),
          reference: () => bare.timeCall('trivial_tool_1'),
        }),
        { must: 1.5 },
      ),
    ];
  } finally {
    await Promise.all([ours.kill(), bare.kill()]);
  }
}
