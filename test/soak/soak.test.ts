// Twenty clients of every era at one server, for DEEPWORK_SOAK_MINUTES minutes; a few seconds
// without it. Nothing may fail, the event loop may not stall (the watchdog checks that), and
// memory must stay constant once the server is warm: what an ended session leaves behind is
// measured and bounded.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { step, workflow, writeGuide } from '../guides/guide-project.ts';
import { HTTP_ERAS, type HttpServer, newHome, serveOverHttp } from '../support/http.ts';
import { writeJob } from '../support/project.ts';
import { watchStalls } from '../support/stalls.ts';
import { until } from '../support/until.ts';
import { newTeam } from '../team/support.ts';
import { openSoakClient } from './client.ts';
import { openLatencies } from './latencies.ts';

const MINUTES = Number(process.env.DEEPWORK_SOAK_MINUTES ?? 0);
const MILLISECONDS = MINUTES > 0 ? MINUTES * 60_000 : 4000;
const CLIENTS = 20;
/** The first part of the run in which caches fill and code is compiled. */
const WARM_UP = 0.3;
/**
 * What may remain of an ended session: its entry in the index of ended sessions, and its message
 * here, which the team keeps forever. Until the journal's cache of a thousand streams is full, that
 * grows, too.
 */
const MAX_BYTES_OF_SESSION = { warm: 4096, cold: 16 * 1024 };
const WARM_AFTER = 1500;
const PROBE = fileURLToPath(new URL('memory-probe.cjs', import.meta.url));

interface Memory {
  readonly heap: number;
  readonly rss: number;
}

test('twenty clients at once cause no error, no stall and no memory growth', {
  timeout: MILLISECONDS + 120_000,
}, async () => {
  const names = Array.from({ length: CLIENTS - 1 }, (_, at) => `agent_${at}`);
  const project = newTeam(Object.fromEntries(names.map((name) => [name, []])));
  project.write('report.md', '# Report\n');
  project.write('.deepwork/skills/soaking/SKILL.md', '---\nname: soaking\n---\nSoak it well.\n');
  const outputs = { outputs: { report: 'file' } };
  writeJob(project, 'demo', { a: outputs, b: outputs }, { main: ['a', 'b'], short: ['a'] });
  const schema = { type: 'object', required: ['done'] };
  const validationCriteria = [{ type: 'schema', schema, message: 'Must be done' }];
  writeGuide(
    project,
    'demo-guide',
    workflow({ id: 'demo-guide', steps: [step({ id: 'first', validationCriteria })] }),
  );

  const home = newHome();
  const memoryFile = path.join(home, 'memory');
  const watch = watchStalls();
  const server = await serveOverHttp(project.root, {
    home,
    env: {
      ...watch.env,
      NODE_OPTIONS: `${watch.env.NODE_OPTIONS} --require ${JSON.stringify(PROBE)}`,
      MEMORY_REPORT: memoryFile,
    },
  });
  const latencies = openLatencies();
  let ended = 0;
  const clients = await Promise.all(
    ['coordinator', ...names].map((name, at, all) =>
      openSoakClient({
        url: server.url,
        name,
        era: HTTP_ERAS[at % HTTP_ERAS.length] ?? 'handshake',
        peer: all[(at + 1) % all.length] as string,
        latencies,
        sessionEnded: () => {
          ended += 1;
        },
      }),
    ),
  );

  const run = async (milliseconds: number): Promise<void> => {
    const until = performance.now() + milliseconds;
    await Promise.all(
      clients.map(async (client) => {
        do await client.round();
        while (performance.now() < until);
      }),
    );
  };
  await run(MILLISECONDS * WARM_UP);
  const before = { ended, memory: await memoryOf(server, memoryFile) };
  await run(MILLISECONDS * (1 - WARM_UP));
  const after = { ended, memory: await memoryOf(server, memoryFile) };

  const sessions = after.ended - before.ended;
  const heapOfSession = (after.memory.heap - before.memory.heap) / sessions;
  const mib = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  process.stdout.write(
    `${latencies.table()}\n${latencies.count()} calls, ${after.ended} sessions ended; heap ${mib(before.memory.heap)} -> ${mib(after.memory.heap)}, resident ${mib(before.memory.rss)} -> ${mib(after.memory.rss)}; ${heapOfSession.toFixed(0)} bytes of heap per ended session\n`,
  );
  expect(watch.stalls()).toEqual([]);
  expect(sessions).toBeGreaterThan(CLIENTS / 2);
  // In a few seconds nothing is warm, and one compiled function takes more than a session.
  const most = MAX_BYTES_OF_SESSION[before.ended > WARM_AFTER ? 'warm' : 'cold'];
  if (MINUTES > 0) expect(heapOfSession).toBeLessThan(most);
});

async function memoryOf({ child }: HttpServer, file: string): Promise<Memory> {
  // Only complete lines: the file exists before its first line, and a line before its end.
  const lines = () => {
    try {
      return readFileSync(file, 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  };
  const before = lines().length;
  child.kill('SIGUSR2');
  await until(() => lines().length > before);
  return JSON.parse(lines().at(-1) as string) as Memory;
}
