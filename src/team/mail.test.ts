// Inboxes held by another process, and answers that wait for the view.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openTestJournal } from '../../test/support/journal.ts';
import { passTime } from '../../test/support/pass-time.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import type { Caller } from '../core/team/caller.ts';
import { decideOffer } from '../core/team/messages.ts';
import { decideUpdate } from '../core/team/work.ts';
import { openAnswers } from '../environment/answer-delivery.ts';
import { systemClock } from '../environment/clock.ts';
import { systemProcesses } from '../environment/process/process-identity.ts';
import { openMail } from './mail.ts';
import { openTeamCommands } from './team-commands.ts';

const BOSS: Caller = { name: 'coordinator', model: null, variant: null };
const AGENT: Caller = { name: 'a', model: null, variant: null };
const MEMBER = { name: 'a', reader: 'a' };

function newTeam() {
  const root = tempFolder();
  const stateFile = join(root, '.sgai', 'state.json');
  mkdirSync(dirname(stateFile));
  const journal = openTestJournal(join(root, 'journal'));
  const commands = openTeamCommands({
    journal: {
      ...journal,
      // Lets other callers run between polls.
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
  return { root, commands, mail: openMail(commands), stateFile };
}

/** For what never happens. */
const patience = () => AbortSignal.timeout(60_000);

/** A message offered by a process that never finishes its answer. */
async function heldBy(holder: string) {
  const { commands, mail } = newTeam();
  await mail.send(BOSS, { to: 'a', body: 'hello' }, () => {});
  await commands.commit((team) =>
    decideOffer(team, { at: commands.clock(), by: MEMBER, holder, takes: null }),
  );
  return mail;
}

test('an offer of an ended process is taken over at once', async () => {
  verifies('TEAM-23');
  const [machine] = systemProcesses.own().split('/');
  const mail = await heldBy(`${machine}/4194305/1`);
  // So it is not taken over because it was held for too long.
  passTime(0);
  const { messages } = await mail.check(AGENT, patience());
  expect(messages).toMatchObject([{ message: { body: 'hello' }, redelivered: true }]);
});

test('an offer that a running process holds for too long is taken over', async () => {
  verifies('TEAM-23');
  const mail = await heldBy(systemProcesses.own());
  // Makes ten seconds pass in half a second.
  passTime(20);
  const { messages } = await mail.check(AGENT, patience());
  expect(messages).toMatchObject([{ message: { body: 'hello' }, redelivered: true }]);
});

test('a call is answered only when the state file shows its change', async () => {
  const { commands, stateFile } = newTeam();
  await commands.enter(BOSS);
  // Another program is in the middle of writing the file, which is waited for only for a second.
  passTime(0);
  writeFileSync(stateFile, '{"theirs": ');
  const update = { status: 'working', task: 'the task', note: undefined, fileTodos: [] };
  const committed = commands.commit((team) =>
    decideUpdate(team, { at: commands.clock(), by: MEMBER, ...update, isLost: () => false }),
  );
  await pause(100);
  writeFileSync(stateFile, '{"theirs": 1}');
  await committed;
  expect(JSON.parse(readFileSync(stateFile, 'utf8'))).toMatchObject({
    task: 'the task',
    theirs: 1,
  });
});

test('an answer of another process counts as lost only if that process is gone', () => {
  const { commands } = newTeam();
  const [machine] = systemProcesses.own().split('/');
  const isLost = (process: string) => commands.isLost({ seq: 1, process });
  expect(isLost(`${machine}/${process.ppid}/unknown`)).toBe(false);
  expect(isLost(`${machine}/4194305/1`)).toBe(true);
  expect(isLost(systemProcesses.own())).toBe(false);
});

test('a lost journal is reported to the next caller, not with an answer that is being delivered', async () => {
  const { root, commands, mail } = newTeam();
  await mail.send(BOSS, { to: 'a', body: 'hello' }, () => {});
  const { end } = await mail.check(AGENT, patience());
  rmSync(join(root, 'journal'), { recursive: true });
  await end(true);
  await expect(commands.enter(AGENT)).rejects.toThrow("The team's journal was deleted");
});

test('an offer of a process on another host is not taken over at once, but in the end', async () => {
  verifies('TEAM-23');
  const mail = await heldBy('elsewhere:b0070000:4026531836/1/1');
  expect((await mail.check(AGENT, AbortSignal.timeout(500))).messages).toEqual([]);
  passTime(20);
  expect((await mail.check(AGENT, patience())).messages).toHaveLength(1);
});
