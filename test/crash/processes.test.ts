// Several servers on one project at once, as when an agent, its subagents and a person at the
// command line work in parallel. The journal is the only lock between them.

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../support/make-temp-folder.ts';
import { type Project, projectAt } from '../support/project.ts';
import { chooseSeed, randomFrom } from '../support/random.ts';
import { verifies } from '../verifies.ts';
import { type Disk, lookAt } from './disk.ts';
import { hammer } from './hammer.ts';
import {
  expectJournalAgrees,
  expectLegal,
  FIRST_STEP,
  LAST_STEP,
  makeFile,
  outputsOf,
  relayProject,
  START,
  STEPS,
} from './relay.ts';
import { startWorkers, WORKERS, type Workers } from './workers.ts';

const TIMEOUT = { timeout: 180_000 };
const BLOWS = 15;
const SHARED = { clientSession: 'workers' } as const;

describe(`${WORKERS} processes of one client`, () => {
  // One set of them for all tests, each with sessions of its own.
  let project: Project;
  let disk: Disk;
  let workers: Workers;
  beforeAll(async () => {
    const root = makeTempFolder('test');
    project = projectAt(root);
    project.write('.deepwork/config.yml', 'git:\n  branch: off\n');
    relayProject(project);
    disk = lookAt(root);
    workers = await startWorkers(root, () => SHARED);
  });
  afterAll(async () => {
    try {
      await workers.dismiss();
    } finally {
      await workers.kill();
      rmSync(project.root, { recursive: true, force: true });
    }
  });

  test('on one session, every acceptance is one event', TIMEOUT, async () => {
    verifies('JOBS-X.18');
    const seed = chooseSeed();
    const start = await workers.first.call('start_workflow', START);
    const sessionId: string = start.data.begin_step.session_id;

    const end = new AbortController();
    const hammering = Promise.all(
      workers.servers.map((server, index) =>
        hammer({
          server,
          random: randomFrom(seed + index),
          sessionId,
          blows: BLOWS,
          name: `worker-${index}`,
          firstStep: FIRST_STEP,
          lastStep: LAST_STEP,
          makeFile: (name) => makeFile(project, name),
        }),
      ),
    ).finally(() => end.abort());
    const [told, reads] = await Promise.all([hammering, readViews(disk, sessionId, end.signal)]);

    const found = await disk.read(sessionId);
    for (const each of told) expectJournalAgrees(each, found);
    expectLegal(found);
    await disk.expectViewShows(sessionId);
    const answered = told.flatMap(({ accepted, returns }) => [...accepted.values(), ...returns]);
    expect(found.events).toHaveLength(1 + answered.length);
    console.log(
      `DEEPWORK_SEED=${seed}: ${WORKERS * BLOWS} actions, ${answered.length} accepted, ` +
        `${found.voids} lines that came second, ${reads} views read meanwhile`,
    );

    const looks = await workers.all('get_active_workflow', {});
    for (const { data } of looks) expect(data).toEqual(looks[0]?.data);
  });

  test('with the same call cause one event and get equal answers', TIMEOUT, async () => {
    verifies('JOBS-X.10', 'JOBS-X.18');
    const start = await workers.first.call('start_workflow', START);
    const session_id: string = start.data.begin_step.session_id;

    const returns = await workers.all('go_to_step', { session_id, step_id: FIRST_STEP });
    for (const { data } of returns) expect(data).toEqual(returns[0]?.data);
    let events = 1 + WORKERS;
    expect((await disk.read(session_id)).events).toHaveLength(events);

    for (const step of STEPS) {
      const outputs = outputsOf(project, step, 'all');
      const notes = `done with ${step}`;
      const answers = await workers.all('finished_step', {
        session_id,
        step_id: step,
        outputs,
        notes,
      });
      events += 1;
      expect(answers[0]?.isError).toBe(false);
      for (const { text } of answers) expect(text).toBe(answers[0]?.text);
      const found = await disk.read(session_id);
      expect(found.events).toHaveLength(events);
      expect(found.log.at(-1)).toBe(`accepted ${step} ${notes}`);
      await disk.expectViewShows(session_id);
    }
    expect((await disk.read(session_id)).session?.status).toBe('completed');

    const second = await workers.first.call('start_workflow', START);
    const given = { session_id: second.data.begin_step.session_id, explanation: 'Enough' };
    const aborts = await workers.all('abort_workflow', given);
    expect(aborts.filter(({ isError }) => !isError)).toHaveLength(1);
    for (const { data } of aborts.filter(({ isError }) => isError)) {
      expect(data.error.code).toBe('session_not_found');
    }
    expect((await disk.read(given.session_id)).log).toEqual(['started Run', 'aborted Enough']);
  });

  test('that start at once share one stack', TIMEOUT, async () => {
    verifies('JOBS-X.5');
    const before = disk.sessionIds();
    const below = (await workers.first.call('get_active_workflow', {})).data.stack.length;
    const started = await workers.all('start_workflow', START);
    const ids = started.map(({ data }) => data.begin_step.session_id);
    expect(new Set(ids).size).toBe(WORKERS);
    expect(disk.sessionIds().sort()).toEqual([...before, ...ids].sort());
    const looks = await workers.all('get_active_workflow', {});
    for (const { data } of looks) {
      expect(data.stack).toHaveLength(below + WORKERS);
      expect(data).toEqual(looks[0]?.data);
    }
  });
});

/** A person who reads the view all the time: it is always readable. */
async function readViews(disk: Disk, sessionId: string, end: AbortSignal): Promise<number> {
  let reads = 0;
  for (; !end.aborted; reads++) {
    expect(disk.view(sessionId)).toMatchObject({ session_id: sessionId });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return reads;
}

test(`${WORKERS} processes that start sessions of their own do not mix`, TIMEOUT, async () => {
  verifies('JOBS-X.5');
  const project = relayProject();
  const disk = lookAt(project.root);
  const workers = await startWorkers(project.root, () => 'own process');
  onTestFinished(workers.kill);
  const teams = await Promise.all(
    workers.servers.map(async (server, index) => {
      const workflow = `team_${index}`;
      const item = { workflow: `relay/${workflow}`, step: FIRST_STEP };
      const start = async (goal: string): Promise<string> => {
        const given = { goal, job_name: 'relay', workflow_name: workflow };
        const { data } = await server.call('start_workflow', given);
        for (const each of data.stack) expect(each).toMatchObject(item);
        return data.begin_step.session_id;
      };
      // Two at once from one client, then one inside of them.
      const outer = await Promise.all([start('left'), start('right')]);
      const inner = await start('inner');
      const { data } = await server.call('get_active_workflow', {});
      expect(data).toMatchObject({ active: true, session_id: inner, orphans: [] });
      expect(data.stack).toMatchObject([item, item, item]);
      expect(data.stack.at(-1).session_id).toBe(inner);
      return { server, workflow, ids: [...outer, inner] };
    }),
  );
  expect(disk.sessionIds().sort()).toEqual(teams.flatMap(({ ids }) => ids).sort());

  const of = teams[1]?.ids[0];
  const notMine = await workers.first.call('abort_workflow', {
    session_id: of,
    explanation: 'Out',
  });
  expect(notMine.data).toMatchObject({ error: { code: 'session_not_found' } });

  await Promise.all(
    teams.map(async ({ server, workflow, ids }) => {
      for (let left = ids.length; left > 0; left--) {
        for (const step of STEPS) {
          const outputs = outputsOf(project, step, workflow);
          const { data, text } = await server.call('finished_step', { outputs });
          expect(text).toMatch(/^\{/);
          expect(data.status === 'workflow_complete').toBe(step === LAST_STEP);
          expect(data.stack).toHaveLength(step === LAST_STEP ? left - 1 : left);
        }
      }
    }),
  );
  for (const { server, workflow, ids } of teams) {
    for (const id of ids) {
      const { session, voids } = await disk.read(id);
      expect(session).toMatchObject({ status: 'completed', workflowName: workflow });
      expect(session?.owner.process.split('/')[1]).toBe(String(server.pid));
      expect([null, ...ids]).toContain(session?.parentId);
      expect(voids).toBe(0);
      await disk.expectViewShows(id);
    }
  }
  await workers.dismiss();
});
