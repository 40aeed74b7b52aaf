// An inbox that another process holds, and answers that wait for the view.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openTestJournal } from '../../test/support/journal.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import type { Caller } from '../core/team/caller.ts';
import { decideOffer } from '../core/team/messages.ts';
import { decideUpdate } from '../core/team/work.ts';
import { openAnswers } from '../environment/answers.ts';
import { systemClock } from '../environment/clock.ts';
import { systemProcesses } from '../environment/process-identity.ts';
import { openMail } from './mail.ts';
import { openTeamCommands } from './team-commands.ts';

const BOSS: Caller = { name: 'coordinator', model: null, variant: null };
const AGENT: Caller = { name: 'a', model: null, variant: null };
const MEMBER = { name: 'a', reader: 'a' };

function newDesk() {
  const root = tempFolder();
  const stateFile = join(root, '.sgai', 'state.json');
  mkdirSync(dirname(stateFile));
  const journal = openTestJournal(join(root, 'journal'));
  const desk = openTeamCommands({
    journal: {
      ...journal,
      // Others have their turn, however often somebody looks.
      async version(stream) {
        await pause(1);
        return journal.version(stream);
      },
    },
    stateFile,
    clock: systemClock(),
    processes: systemProcesses,
    answers: openAnswers(),
    agents: async () => ({
      kind: 'agents',
      source: 'callers',
      agents: ['coordinator', 'a'].map((name) => ({ name, models: [], command: null })),
    }),
  });
  return { desk, mail: openMail(desk), stateFile };
}

/** A message whose reader is being answered by this process, which then says nothing more. */
async function heldBy(holder: string) {
  const { desk, mail } = newDesk();
  await mail.send(BOSS, { to: 'a', body: 'hello' }, () => {});
  await desk.commit((team) =>
    decideOffer(team, { at: desk.clock(), by: MEMBER, holder, takes: null }),
  );
  return mail;
}

test('what a process was about to answer when it died is taken over at once', async () => {
  const [machine] = systemProcesses.own().split('/');
  const mail = await heldBy(`${machine}/4194305/1`);
  const { messages } = await mail.check(AGENT, AbortSignal.timeout(4000));
  expect(messages).toMatchObject([{ message: { body: 'hello' }, redelivered: true }]);
});

test('what a living process holds for too long is taken over', async () => {
  const mail = await heldBy(systemProcesses.own());
  const real = performance.now.bind(performance);
  // Ten seconds are over in half a second.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() * 20);
  onTestFinished(() => clock.mockRestore());
  const { messages } = await mail.check(AGENT, AbortSignal.timeout(4000));
  expect(messages).toMatchObject([{ message: { body: 'hello' }, redelivered: true }]);
});

test('nothing is answered before the state file shows it', async () => {
  const { desk, stateFile } = newDesk();
  await desk.enter(BOSS);
  // Somebody else is in the middle of writing the file.
  writeFileSync(stateFile, '{"theirs": ');
  const update = { status: 'working', task: 'the task', note: undefined, fileTodos: [] };
  const committed = desk.commit((team) =>
    decideUpdate(team, { at: desk.clock(), by: MEMBER, ...update, isLost: () => false }),
  );
  await pause(100);
  writeFileSync(stateFile, '{"theirs": 1}');
  await committed;
  expect(JSON.parse(readFileSync(stateFile, 'utf8'))).toMatchObject({
    task: 'the task',
    theirs: 1,
  });
});
