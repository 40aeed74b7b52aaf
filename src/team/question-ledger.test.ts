// The ledger of questions on the journal.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openTestJournal } from '../../test/support/journal.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import type { Caller } from '../core/team/caller.ts';
import { openAnswers } from '../environment/answer-delivery.ts';
import { systemClock } from '../environment/clock.ts';
import { systemProcesses } from '../environment/process/process-identity.ts';
import { openTeamService, type TeamService } from './team.ts';

const BOSS: Caller = { name: 'coordinator', model: null, variant: null };
const GO = { question: 'Go?', choices: ['yes', 'no'], multiSelect: false };
const NEVER = new AbortController().signal;
const LONG = 30_000;

function optionsOf(root: string): Parameters<typeof openTeamService>[0] {
  return {
    journal: openTestJournal(join(root, 'journal')),
    stateFile: join(root, '.sgai', 'state.json'),
    clock: systemClock(),
    processes: systemProcesses,
    answers: openAnswers(),
    agents: async (callers) => ({
      kind: 'agents',
      source: 'callers',
      agents: ['coordinator', ...callers].map((name) => ({ name, models: [], command: null })),
    }),
  };
}

const openService = (root: string): TeamService => openTeamService(optionsOf(root));

const given = (...choices: string[]) => ({ choices, other: null });

test('a waiting caller is woken by the answer, not by polling', async () => {
  const service = openService(tempFolder());
  const { ids } = await service.questions.ask(BOSS, [GO]);
  // No timer of a waiting caller ever fires.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const waiting = service.questions.waitFor(ids, NEVER, LONG);
  await service.questions.answer('q-1', given('yes'), 'kim', 'terminal');
  expect(await waiting).toMatchObject([{ outcome: { kind: 'answered' } }]);
});

test('questions imported from a state file older than the journal can be answered', async () => {
  verifies('TEAM-43');
  const root = tempFolder();
  const before = openService(root);
  await before.questions.ask(BOSS, [GO]);
  rmSync(join(root, 'journal'), { recursive: true });
  const service = openService(root);
  expect(await service.questions.open()).toMatchObject([{ id: 'q-1', ...GO }]);
  expect(await service.questions.ask(BOSS, [GO])).toMatchObject({ ids: ['q-1'], attached: true });
});

test('an agent is asking if one of its models is, but not if an agent with a longer name is', async () => {
  const root = tempFolder();
  const service = openTeamService({
    ...optionsOf(root),
    agents: async () => ({
      kind: 'agents',
      source: 'config',
      agents: [{ name: 'coordinator', models: ['opus', 'haiku'], command: null }],
    }),
  });
  expect(await service.questions.isAsking('coordinator')).toBe(false);
  await service.questions.ask({ ...BOSS, model: 'opus' }, [GO]);
  expect(await service.questions.isAsking('coordinator:opus')).toBe(true);
  expect(await service.questions.isAsking('coordinator')).toBe(true);
  expect(await service.questions.isAsking('coord')).toBe(false);
});
