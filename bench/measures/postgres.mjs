// The journal in PostgreSQL, on a server of the bench's own: what a durable step costs beside the
// least that a database can do, how many messages sixteen agents get through beside a job queue on
// the same database, and whether a long past is felt: 10,000 ended sessions, or, with
// DEEPWORK_BENCH_LONG=1, 100,000.

import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { renamed, runSession } from '../past-sessions.mjs';
import { stepIds, writeJob, writeProject } from '../projects.mjs';
import { compared, failed } from '../rows.mjs';
import { sampleInTurns, summarize, timed } from '../samples.mjs';
import { finish, start } from '../walk.mjs';
import { environment, startServer } from '../wire.mjs';

const STEPS = stepIds(10);
const LAST = stepIds(10)[9] ?? '';
const SHORT = stepIds(3);
const RUNS = 15;
const WRITERS = 16;
const MESSAGES = 25;
const MANY = process.env.DEEPWORK_BENCH_LONG === '1' ? 100_000 : 10_000;
const FEW = 10;
const BATCH = 500;
const QUEUE = 'graphile-worker@0.18.0';
const MESSAGE = { toAgent: 'builder', body: 'The parser is done; the tests are yours. '.repeat(4) };

/** @param {import('../stage.mjs').Stage} stage */
export async function measurePostgres(stage) {
  const server = await stage.parts.startPostgres();
  try {
    const rows = [];
    for (const measure of [durableStep, messages, longPast]) {
      const database = await server.createDatabase();
      try {
        rows.push(...(await measure(stage, database.url)));
      } catch (error) {
        rows.push(failed(`postgres, ${measure.name}`, error));
      }
      await database.drop();
    }
    return rows;
  } finally {
    await server.end();
  }
}

function connectTo(stage, url, max = 1) {
  return stage.parts.postgres(url, { max, onnotice: () => {} });
}

async function durableStep(stage, url) {
  const project = writeProject(stage.folder('postgres-step'), 5);
  writeJob(project, 'long', STEPS);
  const server = startServer(stage.ours(project), { DEEPWORK_DATABASE_URL: url });
  await server.shakeHands();
  const sql = connectTo(stage, url);
  await sql`create table reference (id bigint generated always as identity primary key, line text)`;
  try {
    await start(server, 'long');
    await finish(server, STEPS[0], 'next_step');
    const [{ line }] = await sql`select line from deepwork.event order by seq desc limit 1`;
    for (const step of STEPS.slice(1)) {
      await finish(server, step, step === LAST ? 'workflow_complete' : 'next_step');
    }
    const advancing = STEPS.slice(0, -1);
    const pair = await sampleInTurns({
      rounds: RUNS * advancing.length,
      warmUp: 2 * advancing.length,
      async ours(round) {
        const at = round % advancing.length;
        if (at === 0) await start(server, 'long');
        const milliseconds = await finish(server, advancing[at], 'next_step');
        if (at === advancing.length - 1) await finish(server, LAST, 'workflow_complete');
        return milliseconds;
      },
      reference: () => timed(() => sql`insert into reference (line) values (${line})`),
    });
    return [
      compared('finished_step on PostgreSQL, durable', 'one INSERT, committed', pair, {
        must: 10,
        aim: 3,
      }),
    ];
  } finally {
    await sql.end();
    await server.kill();
  }
}

async function messages(stage, url) {
  const project = writeProject(stage.folder('postgres-team'), 1);
  const env = { DEEPWORK_DATABASE_URL: url };
  const reader = startServer([...stage.ours(project), '--agent', 'builder'], env);
  await reader.shakeHands();
  await reader.call('check_inbox');
  const writers = [];
  for (let number = 1; number <= WRITERS; number++) {
    const args = [...stage.ours(project), '--agent', `writer-${number}`];
    const server = startServer(args, env);
    await server.shakeHands();
    await server.call('send_message', MESSAGE);
    writers.push(server);
  }
  const queue = await jobQueue(stage, url);
  const perMessage = (milliseconds) => milliseconds / (WRITERS * MESSAGES);
  const many = (send) =>
    timed(() =>
      Promise.all(
        Array.from({ length: WRITERS }, async (_, at) => {
          for (let sent = 0; sent < MESSAGES; sent++) await send(at);
        }),
      ),
    );
  try {
    const pair = await sampleInTurns({
      rounds: 3,
      warmUp: 1,
      ours: async () => perMessage(await many((at) => writers[at].call('send_message', MESSAGE))),
      reference: async () => perMessage(await many(() => queue.addJob('mail', MESSAGE))),
    });
    return [compared(`send_message, ${WRITERS} writers, each`, `addJob of ${QUEUE}`, pair)];
  } finally {
    await queue.release();
    await Promise.all([reader, ...writers].map((each) => each.kill()));
  }
}

/** Installed when it is needed, beside the bench and never as a dependency. */
async function jobQueue(stage, connectionString) {
  const folder = stage.folder('queue');
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
  execFileSync('npm', ['install', '--prefix', folder, ...quiet, QUEUE], { stdio: 'ignore' });
  const { makeWorkerUtils, Logger } = createRequire(path.join(folder, 'x.cjs'))('graphile-worker');
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ connectionString, maxPoolSize: WRITERS, logger });
  await utils.migrate();
  return utils;
}

async function longPast(stage, url) {
  const many = await projectWithPast(stage, url, MANY);
  const few = await projectWithPast(stage, url, FEW);
  const env = { DEEPWORK_DATABASE_URL: url, DEEPWORK_TRUST: '1' };
  const status = await sampleInTurns({
    rounds: 9,
    warmUp: 1,
    ours: () => timeStatus(stage, many, env),
    reference: () => timeStatus(stage, few, env),
  });
  const servers = [many, few].map((project) => startServer(stage.ours(project), env));
  const [old, young] = servers;
  const asked = [];
  for (const server of servers) {
    await server.shakeHands();
    asked.push(await timed(() => server.call('get_active_workflow')));
  }
  const active = await sampleInTurns({
    rounds: 51,
    warmUp: 5,
    ours: () => old.timeCall('get_active_workflow'),
    reference: () => young.timeCall('get_active_workflow'),
  });
  await Promise.all(servers.map((server) => server.kill()));
  const first = { ours: summarize([asked[0]]), reference: summarize([asked[1]]) };
  const against = `${FEW} ended sessions`;
  return [
    compared(`status on PostgreSQL, ${MANY} ended sessions`, against, status, { must: 1.3 }),
    compared(`get_active_workflow there`, against, active, { must: 1.3 }),
    compared('  the first of a new server', against, first),
  ];
}

/** A session that was really run, as often as needed, put into the tables in large batches. */
async function projectWithPast(stage, url, sessions) {
  const project = writeProject(stage.folder(`postgres-past-${sessions}`), 5);
  writeJob(project, 'short', SHORT);
  const session = await runSession(stage, project, { job: 'short', steps: SHORT, until: 'end' });
  const workspace = `past-${sessions}`;
  writeWorkspace(project, workspace);
  const { openPostgresStore, sealOf, checkEvent, writeLine, noHash, evolve } = stage.parts;
  const { openEndedIndex, openViews } = stage.parts;
  const tmp = path.join(project, '.deepwork', 'tmp');
  const index = openEndedIndex(tmp, openViews(tmp));
  const store = openPostgresStore({ url, workspace });
  await store.migrate();
  const { journal: key } = await store.keys();
  await store.close();
  const sql = connectTo(stage, url);
  let events = [];
  let streams = [];
  const flush = async () => {
    await sql`insert into deepwork.event ${sql(events)}`;
    await sql`insert into deepwork.stream (workspace, name, seq, hash, tx)
      select ${workspace}, name, seq, hash, pg_current_xact_id()
      from unnest(${streams.map((each) => each.name)}::text[], ${streams.map((each) => each.seq)}::bigint[],
                  ${streams.map((each) => each.hash)}::text[]) as s(name, seq, hash)`;
    events = [];
    streams = [];
  };
  for (let number = 1; number <= sessions; number++) {
    const stream = `session/${number.toString(16).padStart(8, '0')}`;
    const past = renamed(session, stream.slice(-8)).events;
    const seal = sealOf(key, stream);
    let prev = noHash;
    for (const [index, event] of past.entries()) {
      const { bytes, hash } = writeLine(checkEvent(event), index + 1, prev, seal);
      const line = bytes.toString().slice(1, -1);
      const { type, at, data } = event;
      events.push({ workspace, stream, seq: index + 1, line, type, at, prev, hash, data });
      prev = hash;
    }
    streams.push({ name: stream, seq: past.length, hash: prev });
    const ended = past.reduce((state, event, at) => evolve(state, { ...event, seq: at + 1 }), null);
    index.add(`${past.length}:${prev}`, ended);
    if (number % BATCH === 0 || number === sessions) await flush();
  }
  await sql`analyze deepwork.event, deepwork.stream`;
  await sql.end();
  // The servers that ended them would have noted it, and listed the sessions.
  await index.save();
  const env = { DEEPWORK_DATABASE_URL: url, DEEPWORK_TRUST: '1' };
  const server = startServer(stage.ours(project), env);
  await server.shakeHands();
  await untilAnswered(server);
  await server.kill();
  return project;
}

async function untilAnswered(server) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await server.call('get_active_workflow');
    } catch (error) {
      if (attempt === 10 || !String(error).includes('no answer')) throw error;
    }
  }
}

function writeWorkspace(project, name) {
  const config = path.join(project, '.deepwork', 'config.yml');
  appendFileSync(config, `workspace: ${name}\n`);
}

function timeStatus(stage, project, env) {
  return timed(async () => {
    const { stdout } = spawnSync(process.execPath, [...stage.status, '--path', project], {
      cwd: project,
      env: { ...environment(), ...env },
    });
    const shown = stdout.toString('utf8');
    if (!shown.includes('done')) throw new Error(`status shows no ended session: ${shown}`);
  });
}
