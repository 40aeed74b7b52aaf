// One storm: servers, clients and faults on one project, until there were enough kills; then all
// stop, read what is left, and the checkers get the record.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { newHome } from '../support/http.ts';
import { freshDatabase, ownPostgres } from '../support/postgres.ts';
import { randomFrom } from '../support/random.ts';
import { storeEnv } from '../support/shared-project.ts';
import { type Client, type ClientSetup, emptyInbox, openClient, teamwork } from './clients.ts';
import { type FaultCounts, injectFaults } from './faults.ts';
import { type History, newRecorder } from './history.ts';
import { newJourney } from './job.ts';
import { keepAnswering, keepAsking } from './questions.ts';
import { httpSlot, type Slot, stdioSlot } from './servers.ts';
import { readDatabase, readFiles, type Streams } from './streams.ts';
import { workAlone, workTogether } from './workers.ts';

export interface Storm {
  readonly root: string;
  readonly history: History;
  readonly streams: Streams;
  readonly counts: FaultCounts;
  readonly milliseconds: number;
}

export interface StormSetup {
  readonly seed: number;
  readonly kills: number;
  readonly store: 'files' | 'postgres';
  /** Whether the journal is cut, rolled back and deleted now and then. */
  readonly losesJournal: boolean;
}

const AGENTS = ['ada', 'bob', 'cyd', 'dan', 'eve', 'finn'];

export async function runStorm({ seed, kills, store, losesJournal }: StormSetup): Promise<Storm> {
  const project = newJourney(AGENTS);
  const recorder = newRecorder();
  const home = newHome();
  const clockFile = path.join(home, 'clock');
  writeFileSync(clockFile, '0');
  const database = store === 'postgres' ? await ownPostgres() : null;
  const url = database === null ? null : await freshDatabase(database);
  const env = {
    HOME: home,
    DEEPWORK_TEST_CLOCK: clockFile,
    ...(url === null ? {} : storeEnv(url)),
  };
  const setup = { root: project.root, env, recorder };
  const ofClient = (clientSession: string) => ({ clientSession });
  const http = httpSlot(setup, 'http');
  const dan = stdioSlot(setup, 'dan', ofClient('dan'));
  const eve1 = stdioSlot(setup, 'eve1', ofClient('eve'), ['--agent', 'eve']);
  const eve2 = stdioSlot(setup, 'eve2', ofClient('eve'), ['--agent', 'eve']);
  const finn = stdioSlot(setup, 'finn', 'own process');
  const nobody = stdioSlot(setup, 'nobody', 'own process', []);
  const slots: readonly Slot[] = [http, dan, eve1, eve2, finn, nobody];
  onTestFinished(async () => {
    await Promise.all(slots.map((slot) => slot.end()));
  });

  let minted = 0;
  let isOver = false;
  let lane = 0;
  const everyone = ['coordinator', ...AGENTS];
  const client = (
    name: string,
    agent: string,
    slot: Slot,
    era: ClientSetup['era'] = 'handshake',
    isAlone = true,
  ): Client =>
    openClient({
      name,
      agent,
      era,
      slot,
      recorder,
      project,
      isAlone,
      hasViews: database === null && !losesJournal,
      random: randomFrom(seed + ++lane),
      others: everyone.filter((other) => other !== agent),
      mint: () => ++minted,
      stopped: () => isOver,
    });
  const one = (name: string, slot: Slot, era?: ClientSetup['era']) => {
    const it = client(name, name, slot, era);
    return [it, workAlone(it, slot === finn)] as const;
  };
  const pair = (first: Client, second: Client) => {
    const sessions = new Set<string>();
    const twin = (of: Client) =>
      of.slot === http ? null : client(`twin of ${of.name}`, of.agent, of.slot, 'handshake', false);
    return [
      [first, workTogether(first, sessions, twin(second))] as const,
      [second, workTogether(second, sessions, twin(first))] as const,
    ];
  };
  const stranger = client('nobody', 'coordinator', nobody);
  const coordinator = client('coordinator', 'coordinator', http);
  const workers: (readonly [Client, () => Promise<void>])[] = [
    [coordinator, () => teamwork(coordinator)],
    [stranger, workAlone(stranger, true)],
    one('bob', http),
    one('cyd', http, 'stateless'),
    one('dan', dan),
    one('finn', finn),
    ...pair(
      client('ada-1', 'ada', http, 'handshake', false),
      client('ada-2', 'ada', http, 'stateless', false),
    ),
    ...pair(
      client('eve-1', 'eve', eve1, 'handshake', false),
      client('eve-2', 'eve', eve2, 'handshake', false),
    ),
  ];
  const asker = client('asker', 'coordinator', http);
  const person = client('person', 'person', http);

  async function work([it, onJob]: readonly [Client, () => Promise<void>]): Promise<void> {
    while (!isOver) {
      if (it.random.chance(0.6)) await onJob();
      else await teamwork(it);
    }
  }

  const failing = <T>(promise: Promise<T>) =>
    promise.catch((error: unknown) => {
      isOver = true;
      throw error;
    });
  const began = performance.now();
  let isAsking = true;
  const asking = failing(keepAsking(asker)).finally(() => {
    isAsking = false;
  });
  const faults = injectFaults({
    ...{ root: project.root, slots, clockFile, recorder, kills, home, losesJournal, database },
    random: randomFrom(seed),
    stopped: () => isOver,
  }).finally(() => {
    isOver = true;
  });
  const [counts] = await Promise.all([
    faults,
    ...workers.map((each) => failing(work(each))),
    asking,
    failing(keepAnswering(person, http, () => !isAsking)),
  ]);
  const readers = new Map(workers.map(([each]) => [each.agent, each]));
  await Promise.all([...readers.values()].map(emptyInbox));
  return {
    root: project.root,
    history: recorder.history,
    streams: url === null ? readFiles(project.root) : await readDatabase(url),
    counts,
    milliseconds: performance.now() - began,
  };
}
