// What a client waits for when it starts a server: the answer to its first request, the list
// of tools that it requests next, and the first call of a tool.

import { writeProject } from '../projects.mjs';
import { compared } from '../rows.mjs';
import { sampleInTurns } from '../samples.mjs';
import { startServer, statelessParams } from '../wire.mjs';

const ROUNDS = 31;
const WARM_UP = 3;

/** @param {import('../stage.mjs').Stage} stage */
export async function measureStart(stage) {
  const ours = stage.ours(writeProject(stage.folder('start'), 5));
  const bareSdk = stage.bareSdk();
  return [
    compared(
      'spawn to initialize',
      'bare SDK',
      await race(ours, bareSdk, (server) => server.shakeHands()),
    ),
    compared(
      'spawn to tools/list',
      'bare SDK',
      await race(ours, bareSdk, async (server) => {
        await server.shakeHands();
        return server.request('tools/list');
      }),
      { must: 1.5, aim: 1 },
    ),
    compared(
      'spawn to get_workflows',
      'bare SDK',
      await race(ours, bareSdk, async (server) => {
        await server.shakeHands();
        return server.request('tools/call', { name: 'get_workflows', arguments: {} });
      }),
    ),
    compared(
      'spawn to server/discover',
      'bare SDK',
      await race(ours, bareSdk, (server) => server.request('server/discover', statelessParams())),
    ),
  ];
}

function race(ours, reference, open) {
  return sampleInTurns({
    rounds: ROUNDS,
    warmUp: WARM_UP,
    ours: () => timeOpening(ours, open),
    reference: () => timeOpening(reference, open),
  });
}

async function timeOpening(args, open) {
  const server = startServer(args);
  try {
    const { at } = await open(server);
    return at - server.spawnedAt;
  } finally {
    // Before the next one starts, so that nothing runs beside the measured one.
    await server.kill();
  }
}
