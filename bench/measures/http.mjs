// Many clients at once over HTTP, against the SDK's own server with sessions and the same
// answers; and memory growth over many calls and over sessions that were opened and dropped.
// DEEPWORK_BENCH_LONG=1 makes it fifty thousand calls and five thousand sessions.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openHttpClient, startHttpServer, stopHttpServers } from '../http-wire.mjs';
import { writeProject } from '../projects.mjs';
import { compared, limited } from '../rows.mjs';
import { sampleInTurns, timed } from '../samples.mjs';
import { residentKib } from './memory.mjs';

const CLIENTS = 16;
const CALLS_EACH = 20;
const LONG = process.env.DEEPWORK_BENCH_LONG === '1';
const CALLS = LONG ? 50_000 : 4000;
const SESSIONS = LONG ? 5000 : 1000;
/** The server's limit of sessions; later ones replace others. */
const KEPT_SESSIONS = 1000;
const REST_MS = 500;

/** @param {import('../stage.mjs').Stage} stage */
export async function measureHttp(stage) {
  const project = writeProject(stage.folder('http'), 5);
  const ours = await startHttpServer(stage.oursOverHttp(project), { HOME: stage.folder('home') });
  const { answer, tools } = await lookAt(ours.url);
  const answerFile = path.join(project, 'answer.json');
  writeFileSync(answerFile, JSON.stringify(answer));
  const bare = await startHttpServer(stage.bareSdkOverHttp(answerFile, tools));
  try {
    const rows = [await throughput(ours, bare)];
    bare.kill();
    rows.push(await growth(ours));
    return rows;
  } finally {
    stopHttpServers();
  }
}

async function throughput(ours, bare) {
  const crowdOf = async (url) => {
    const clients = Array.from({ length: CLIENTS }, () => openHttpClient(url));
    for (const client of clients) await client.shakeHands();
    return clients;
  };
  const crowds = { ours: await crowdOf(ours.url), bare: await crowdOf(bare.url) };
  const perCall = async (clients, tool) =>
    (await timed(() =>
      Promise.all(
        clients.map(async (client) => {
          for (let call = 0; call < CALLS_EACH; call++) await client.call(tool);
        }),
      ),
    )) /
    (CLIENTS * CALLS_EACH);
  const pair = await sampleInTurns({
    rounds: 30,
    warmUp: 5,
    ours: () => perCall(crowds.ours, 'get_workflows'),
    reference: () => perCall(crowds.bare, 'trivial_tool_1'),
  });
  for (const client of [...crowds.ours, ...crowds.bare]) client.close();
  return compared(`HTTP call, ${CLIENTS} clients`, 'bare SDK with sessions, same answer', pair, {
    must: 1,
  });
}

/** Resident memory after a while, compared with after the warm-up. */
async function growth({ url, pid }) {
  const client = openHttpClient(url);
  await client.shakeHands();
  const work = async (calls, sessions) => {
    for (let call = 0; call < calls; call++) await client.call('get_workflows');
    for (let session = 0; session < sessions; session++) await dropSession(url);
    await pause(REST_MS);
    return residentKib(pid) / 1024;
  };
  const before = await work(6000, KEPT_SESSIONS);
  const after = await work(CALLS, SESSIONS);
  client.close();
  return limited(
    `HTTP memory growth, ${CALLS} calls and ${SESSIONS} sessions`,
    'MiB',
    Math.max(0, after - before),
    before * 0.25,
  );
}

/** Opened and never used. */
async function dropSession(url) {
  const client = openHttpClient(url);
  await client.shakeHands();
  client.close();
}

async function lookAt(url) {
  const client = openHttpClient(url);
  await client.shakeHands();
  const { result } = await client.request('tools/list');
  const answer = await client.call('get_workflows');
  client.close();
  return { answer, tools: result.tools.length };
}
