// One run: servers, clients and faults on one project, until there were enough kills; then all
// stop, read what is left, and the checkers get the record.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { newHome } from '../support/http.ts';
import { randomFrom } from '../support/random.ts';
import { type Client, type ClientSetup, emptyInbox, openClient, teamwork } from './clients.ts';
import { type FaultCounts, injectFaults } from './faults.ts';
import { type History, newRecorder } from './history.ts';
import { workOneByOne, workTogether } from './job-clients.ts';
import { newRelayProject } from './job-fixture.ts';
import { keepAnswering, keepAsking } from './questions.ts';
import { httpSlot, type Slot, stdioSlot } from './servers.ts';

export interface Run {
  readonly root: string;
  readonly history: History;
  readonly counts: FaultCounts;
  readonly milliseconds: number;
}

export interface RunSetup {
  readonly seed: number;
  readonly kills: number;
  /** Whether the journal is cut, rolled back and deleted now and then. */
  readonly losesJournal: boolean;
}

const AGENTS = ['ada', 'bob', 'cyd', 'dan', 'eve', 'finn'];

export async function run({ seed, kills, losesJournal }: RunSetup): Promise<Run> {
  const project = newRelayProject(AGENTS);
  const recorder = newRecorder();
  const home = newHome();
  const clockFile = path.join(home, 'clock');
  writeFileSync(clockFile, '0');
  const setup = { root: project.root, home, clockFile, recorder };
  const http = httpSlot(setup, 'http');
  const ofClient = (name: string) => ({ clientSession: name });
  const dan = stdioSlot(setup, 'dan', 'dan', ofClient('dan'));
  const eve1 = stdioSlot(setup, 'eve1', 'eve', ofClient('eve'));
  const eve2 = stdioSlot(setup, 'eve2', 'eve', ofClient('eve'));
  const finn = stdioSlot(setup, 'finn', 'finn', 'own process');
  const slots: readonly Slot[] = [http, dan, eve1, eve2, finn];
  onTestFinished(async () => {
    await Promise.all(slots.map((slot) => slot.end()));
  });

  let minted = 0;
  let isOver = false;
  let lane = 0;
  const everyone = ['coordinator', ...AGENTS];
  const client = (name: string, agent: string, slot: Slot, era: ClientSetup['era']): Client =>
    openClient({
      name,
      agent,
      era,
      slot,
      recorder,
      project,
      random: randomFrom(seed + ++lane),
      others: everyone.filter((other) => other !== agent),
      mint: () => ++minted,
      stopped: () => isOver,
    });
  const ada = new Set<string>();
  const eve = new Set<string>();
  const workers: [Client, () => Promise<void>][] = [];
  const alone = (it: Client) => workers.push([it, workOneByOne(it)]);
  const together = (it: Client, sessions: Set<string>) =>
    workers.push([it, workTogether(it, sessions)]);
  alone(client('coordinator', 'coordinator', http, 'handshake'));
  together(client('ada-1', 'ada', http, 'handshake'), ada);
  together(client('ada-2', 'ada', http, 'stateless'), ada);
  alone(client('bob', 'bob', http, 'handshake'));
  alone(client('cyd', 'cyd', http, 'stateless'));
  alone(client('dan', 'dan', dan, 'handshake'));
  together(client('eve-1', 'eve', eve1, 'handshake'), eve);
  together(client('eve-2', 'eve', eve2, 'handshake'), eve);
  together(client('finn', 'finn', finn, 'handshake'), new Set());
  const asker = client('asker', 'coordinator', http, 'handshake');
  const person = client('person', 'person', http, 'handshake');

  async function work([it, onJob]: [Client, () => Promise<void>]): Promise<void> {
    while (!isOver) {
      if (it.random.chance(0.5)) await onJob();
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
    root: project.root,
    slots,
    clockFile,
    recorder,
    random: randomFrom(seed),
    kills,
    home,
    losesJournal,
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
    counts,
    milliseconds: performance.now() - began,
  };
}
