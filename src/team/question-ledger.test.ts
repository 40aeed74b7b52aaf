// The ledger on the journal, with two services on one project instead of two processes.

import { readFileSync, rmSync } from 'node:fs';
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
const AGENT: Caller = { name: 'a', model: null, variant: null };
const GO = { question: 'Go?', choices: ['yes', 'no'], multiSelect: false };
const WHICH = { question: 'Which?', choices: ['a', 'b'], multiSelect: true };
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

const stateIn = (root: string) =>
  JSON.parse(readFileSync(join(root, '.sgai', 'state.json'), 'utf8'));
const given = (...choices: string[]) => ({ choices, other: null });

test('an answer in one process wakes a caller that waits in another', async () => {
  verifies('TEAM-31');
  const root = tempFolder();
  const [asking, answering] = [openService(root), openService(root)];
  const { ids } = await asking.questions.ask(BOSS, [GO, WHICH]);
  expect(ids).toEqual(['q-1', 'q-2']);
  const waiting = asking.questions.waitFor(ids, NEVER, LONG);
  expect((await answering.questions.open()).map(({ id }) => id)).toEqual(ids);
  await answering.questions.answer('q-2', given('a', 'b'), 'kim', 'dashboard');
  await answering.questions.dismiss('q-1', 'kim', 'terminal');
  expect((await waiting).map(({ outcome }) => outcome)).toMatchObject([
    { kind: 'dismissed', by: 'kim', route: 'terminal' },
    { kind: 'answered', choices: ['a', 'b'], other: null, by: 'kim', route: 'dashboard' },
  ]);
});

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

test('the team waits until both sets are closed, then has its former status', async () => {
  verifies('TEAM-33', 'TEAM-12');
  const root = tempFolder();
  const service = openService(root);
  await service.update(AGENT, { status: 'agent-done', task: '' }, () => {});
  await service.questions.ask(BOSS, [GO]);
  await service.questions.ask(BOSS, [WHICH]);
  expect(stateIn(root)).toMatchObject({
    status: 'waiting-for-human',
    humanMessage: 'Go?',
    multiChoiceQuestion: {
      questions: [
        { id: 'q-1', ...GO },
        { id: 'q-2', ...WHICH },
      ],
    },
  });
  const update = { status: 'working', task: 'meanwhile', note: 'n' };
  expect(await service.update(AGENT, update, () => {})).toMatchObject({
    status: 'waiting-for-human',
    task: 'meanwhile',
    note: 'n',
    noteCount: 1,
  });
  await service.questions.answer('q-1', given('no'), 'kim', 'terminal');
  expect(stateIn(root)).toMatchObject({ status: 'waiting-for-human', humanMessage: 'Which?' });
  await service.questions.answer('q-2', { choices: [], other: 'neither' }, 'kim', 'terminal');
  expect(stateIn(root)).toMatchObject({
    status: 'agent-done',
    task: 'meanwhile',
    humanMessage: '',
  });
  expect(stateIn(root).multiChoiceQuestion).toBeUndefined();
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
