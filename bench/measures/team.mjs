// Messages between agents. With a hundred thousand stored ones the next must not cost more
// than with a hundred; a sent message is on disk, which costs at least one line appended and
// synced; and a new process must load them all quickly.

import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { writeMessages } from '../past-messages.mjs';
import { writeProject } from '../projects.mjs';
import { compared, limited } from '../rows.mjs';
import { sampleInTurns, summarize, timed } from '../samples.mjs';
import { startServer } from '../wire.mjs';

const MANY = 100_000;
const FEW = 100;
const ROUNDS = 150;
const WARM_UP = 30;
const MESSAGE = { toAgent: 'builder', body: 'The parser is done; the tests are yours. '.repeat(4) };

/** @param {import('../stage.mjs').Stage} stage */
export async function measureTeam(stage) {
  const many = await team(stage, MANY);
  const few = await team(stage, FEW);
  const old = await staff(stage, many);
  const young = await staff(stage, few);
  const against = `${FEW} stored`;
  try {
    const talk = await sampleInTurns({
      rounds: ROUNDS,
      warmUp: WARM_UP,
      ours: () => talkOnce(old),
      reference: () => talkOnce(young),
    });
    const durable = await durableSend(old, many);
    const first = [];
    for (let round = 0; round < 7; round++) first.push(await timeFirstCall(stage, many));
    return [
      compared(`send_message + check_inbox, ${MANY} stored`, against, talk, { must: 1.3 }),
      compared('send_message, durable', 'append + fdatasync', durable, { must: 5 }),
      limited(`spawn to check_inbox, ${MANY} stored`, 'ms', summarize(first).median),
    ];
  } finally {
    await Promise.all([...Object.values(old), ...Object.values(young)].map((s) => s.kill()));
  }
}

async function team(stage, messages) {
  const project = writeProject(stage.folder(`team-${messages}`), 1);
  await writeMessages(stage, project, messages);
  return project;
}

/** One process for each agent, as clients start them. */
async function staff(stage, project) {
  const sender = startServer([...stage.ours(project), '--agent', 'coordinator']);
  const reader = startServer([...stage.ours(project), '--agent', 'builder']);
  for (const server of [sender, reader]) await server.shakeHands();
  await reader.timeCall('check_inbox');
  return { sender, reader };
}

async function talkOnce({ sender, reader }) {
  return (await sender.timeCall('send_message', MESSAGE)) + (await reader.timeCall('check_inbox'));
}

async function durableSend({ sender, reader }, project) {
  const stream = path.join(project, '.deepwork', 'journal', 'team', 'log.jsonl');
  const before = (await stat(stream)).size;
  await sender.timeCall('send_message', MESSAGE);
  const line = Buffer.alloc((await stat(stream)).size - before, 'x');
  const log = await open(path.join(project, '.deepwork', 'reference.jsonl'), 'a');
  try {
    const pair = await sampleInTurns({
      rounds: ROUNDS,
      warmUp: WARM_UP,
      ours: () => sender.timeCall('send_message', MESSAGE),
      reference: () =>
        timed(async () => {
          await log.write(line);
          await log.datasync();
        }),
    });
    await reader.timeCall('check_inbox');
    return pair;
  } finally {
    await log.close();
  }
}

async function timeFirstCall(stage, project) {
  const server = startServer([...stage.ours(project), '--agent', 'builder']);
  try {
    await server.shakeHands();
    await server.timeCall('check_inbox');
    return performance.now() - server.spawnedAt;
  } finally {
    await server.kill();
  }
}
