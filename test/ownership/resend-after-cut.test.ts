// Event numbers are reused after a journal was cut. What a process knows of the answer to its own
// lost event must not be applied to another's event with the same number.

import { readFileSync, statSync, truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { waitUntil } from '../crash/kill-timer.ts';
import { killAfterTest, type RawServer, startServer } from '../crash/raw-server.ts';
import { newHome } from '../support/http.ts';
import { LOG, newTeam } from '../team/support.ts';

const TRIES = 20;

test('a repeated message is recognized although the number of its event was used before', async () => {
  const project = newTeam({ a: [], b: [] });
  const HOME = newHome();
  const servers: RawServer[] = [];
  killAfterTest(servers);
  const start = (agent: string) => {
    const options = { args: ['--agent', agent], env: { HOME } };
    const server = startServer(project.root, 'own process', options);
    servers.push(server);
    return server;
  };
  const log = project.path(LOG);
  const send = (body: string) => ['send_message', { toAgent: 'coordinator', body }] as const;
  const timesStored = (body: string) =>
    readFileSync(log, 'utf8').split(`"body":"${body}"`).length - 1;
  const a = start('a');
  for (let number = 1; number <= TRIES; number++) {
    await a.call(...send(`kept ${number}`));
    const before = statSync(log).size;
    await a.call(...send(`lost ${number}`));
    truncateSync(log, before);
    const b = start('b');
    const answering = b.send(...send(`again ${number}`));
    await waitUntil(() => readFileSync(log, 'utf8').includes(`again ${number}`));
    await b.kill();
    const wasLost = (await answering) === null;
    // The first call reports that the journal was cut, the second one writes.
    await a.call(...send(`next ${number}`));
    await a.call(...send(`next ${number}`));
    if (!wasLost) continue;
    await start('b').call(...send(`again ${number}`));
    expect(timesStored(`again ${number}`)).toBe(1);
    return;
  }
  throw new Error(`The answer was never lost in ${TRIES} tries`);
});
