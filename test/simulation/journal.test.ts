// The same histories through the real store and stacks: several processes on one journal, committing
// at the same moment. And the races that are too rare to rely on chance.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { Refused } from '../../src/core/refusal.ts';
import { systemProcesses } from '../../src/environment/process/process-identity.ts';
import { openStacks } from '../../src/sessions/stacks.ts';
import { verifies } from '../verifies.ts';
import type { Actor, Finish, Start } from './calls.ts';
import { describeDifference, shorten } from './check-history.ts';
import { checkOnJournal } from './check-journal.ts';
import { type PlainJob, plainJob, plainStep } from './definitions.ts';
import { openJournalShell } from './journal-shell.ts';
import { play } from './play.ts';
import { openProcesses, type Processes } from './processes.ts';
import { randomHistory } from './random-history.ts';
import { openStage, type Stage } from './stage.ts';

const BASE_SEED = 7_000_000;
const HISTORIES = 150;

const only = process.env.DEEPWORK_SEED;
const base = only === undefined ? BASE_SEED : Number(only);
const count = only === undefined ? Number(process.env.DEEPWORK_JOURNAL_HISTORIES ?? HISTORIES) : 1;

test('histories of several processes on one journal match the reference', {
  timeout: 3_600_000,
}, async () => {
  verifies('JOBS-X.5', 'JOBS-X.10', 'JOBS-X.13', 'JOBS-X.18', 'JOBS-X.19');
  process.stdout.write(`simulation on a journal: ${count} histories from seed ${base}\n`);
  let played = 0;
  for (let seed = base; seed < base + count; seed++) {
    const { history } = randomHistory(seed);
    if ((await checkOnJournal(history)) !== null) {
      const replay = `DEEPWORK_SEED=${seed} npx vitest run test/simulation/journal.test.ts`;
      expect.fail(describeDifference(await shorten(history, checkOnJournal), replay));
    }
    played += 1;
  }
  expect(played).toBe(count);
});

const MORTAL = ['first#1', 'fourth#1', 'fifth#1'];
let processes: Processes;
beforeEach(() => {
  processes = openProcesses(MORTAL);
});
afterEach(() => processes.close());

function openRace(job: PlainJob) {
  const shell = openJournalShell(processes);
  return { shell, stage: openStage([job], shell, true) };
}

const actor = (owner: string, number = 1): Actor => ({ owner, process: `${owner}#${number}` });

async function start(stage: Stage, by: Actor, id: string): Promise<void> {
  const call: Start = { kind: 'start', actor: by, id, job: 'job', context: {} };
  expect((await play(stage, call))[0]?.status).toBe('started');
}

function finish(by: Actor, session: string, outputs: Finish['outputs']): Finish {
  const plain = {
    notes: null,
    stepId: null,
    context: {},
    outcomes: {},
    override: null,
    content: 0,
  };
  return { kind: 'finish', actor: by, session, outputs, ...plain };
}

test('members finished by four processes at once are each accepted once', async () => {
  verifies('JOBS-X.13', 'JOBS-X.18');
  const ids = ['a', 'b', 'c', 'd'];
  const { shell, stage } = openRace(
    plainJob(
      ids.map((id) => plainStep(id, `${id}_out!`)),
      plainStep('last', 'end!'),
    ),
  );
  await start(stage, actor('second'), '00000001');
  const received = ids.map((id, index) =>
    finish(actor('second', index + 1), '00000001', { [`${id}_out`]: `${id}.md` }),
  );
  const order = [...received.keys()];
  const answers = await play(stage, {
    kind: 'overlap',
    received,
    between: [],
    early: false,
    order,
  });
  expect(answers.map((each) => each.status).sort()).toEqual([
    'needs_work',
    'needs_work',
    'needs_work',
    'next_step',
  ]);
  const session = await shell.load('00000001');
  expect(session?.position.members).toEqual(['last']);
  expect(session?.seq).toBe(1 + ids.length);
});

test('of two callers that claim one orphan at once, one gets all of it', async () => {
  verifies('JOBS-X.19');
  const { shell, stage } = openRace(plainJob(plainStep('only', 'out!')));
  for (const id of ['00000001', '00000002', '00000003']) await start(stage, actor('first'), id);
  await processes.kill('first#1');
  const heirs = [actor('second'), actor('third')];
  const claims = await Promise.allSettled(
    heirs.map((heir) => shell.officeOf(heir).stacks.claim(shell.ownerOf(heir), '00000002')),
  );
  const [winner] = heirs.filter((_, index) => claims[index]?.status === 'fulfilled');
  expect(claims.map((claim) => claim.status).sort()).toEqual(['fulfilled', 'rejected']);
  const taken = await shell.stack(winner?.owner ?? '');
  expect(taken.map((session) => session.id)).toEqual(['00000001', '00000002', '00000003']);
});

test('a call without a session id takes the only orphan, and none of several', async () => {
  verifies('JOBS-X.19');
  const { shell, stage } = openRace(plainJob(plainStep('only', 'out!')));
  await start(stage, actor('first'), '00000001');
  await start(stage, actor('fourth'), '00000002');
  const heir = actor('second');
  const claim = () => shell.claim(heir, null);
  const message = 'No active workflow session. Use start_workflow to begin a workflow.';
  expect(await claim()).toMatchObject({ code: 'no_session', message });
  await processes.kill('first#1');
  await processes.kill('fourth#1');
  const refusal = await claim();
  expect(refusal).toMatchObject({ code: 'no_session', message });
  expect('next' in refusal && refusal.next).toMatch(/00000001.*00000002/);
  expect(await shell.stack('second')).toEqual([]);

  await play(stage, { kind: 'abort', actor: heir, session: '00000002', explanation: 'one less' });
  expect(await claim()).toMatchObject({ id: '00000001', owner: { identity: 'second' } });
});

test('a stack keeps its order when it is adopted', async () => {
  verifies('JOBS-X.19');
  const { shell, stage } = openRace(plainJob(plainStep('only', 'out!')));
  await start(stage, actor('first'), '00000001');
  await start(stage, actor('fourth'), '00000002');
  await processes.kill('first#1');
  await shell.claim(actor('fourth'), '00000001');
  const ids = async (owner: string) => (await shell.stack(owner)).map((session) => session.id);
  expect(await ids('fourth')).toEqual(['00000002', '00000001']);
  await processes.kill('fourth#1');
  expect(await shell.claim(actor('second'), null)).toMatchObject({ id: '00000001' });
  expect(await ids('second')).toEqual(['00000002', '00000001']);
});

test('a stack whose takeover was interrupted is still one, in its order', async () => {
  verifies('JOBS-X.19');
  const { shell, stage } = openRace(plainJob(plainStep('only', 'out!')));
  const [bottom, middle, top] = ['00000001', '00000002', '00000003'] as const;
  for (const id of [bottom, middle, top]) await start(stage, actor('first'), id);
  // The session that joined the top to the bottom is gone.
  await play(stage, { kind: 'abort', actor: actor('first'), session: middle, explanation: 'no' });
  await processes.kill('first#1');

  const dying = actor('fourth');
  const { store } = shell.officeOf(dying);
  let commits = 0;
  const cutOff = openStacks(
    {
      ...store,
      commit(...args) {
        if (++commits > 1) throw new Error('died');
        return store.commit(...args);
      },
    },
    shell.clock,
    systemProcesses,
  );
  await expect(cutOff.claim(shell.ownerOf(dying), null)).rejects.toThrow('died');
  await processes.kill('fourth#1');

  const ids = async (owner: string) => (await shell.stack(owner)).map(({ id }) => id);
  const heir = actor('fifth');
  const found = await shell.officeOf(heir).stacks.peek(shell.ownerOf(heir), null);
  expect(found?.id).toBe(top);
  await shell.claim(heir, null);
  expect(await ids('fifth')).toEqual([bottom, top]);

  await processes.kill('fifth#1');
  expect(await shell.claim(actor('second'), null)).toMatchObject({ id: top });
  expect(await ids('second')).toEqual([bottom, top]);
});

test('an owner that returns in a new process keeps what the old one began', async () => {
  verifies('JOBS-X.19');
  const { shell, stage } = openRace(plainJob(plainStep('only', 'out!')));
  await start(stage, actor('first', 1), '00000001');
  await processes.kill('first#1');
  await start(stage, actor('first', 2), '00000002');
  const thief = actor('second');
  const claim = shell.officeOf(thief).stacks.claim(shell.ownerOf(thief), '00000001');
  await expect(claim).rejects.toThrow(Refused);
  expect((await shell.stack('first')).map((session) => session.id)).toEqual([
    '00000001',
    '00000002',
  ]);
});

test('a session that ends while its stack is taken over stays ended', async () => {
  verifies('JOBS-X.19');
  const { shell, stage } = openRace(plainJob(plainStep('only', 'out!')));
  await start(stage, actor('first'), '00000001');
  await start(stage, actor('first'), '00000002');
  const heir = actor('second');
  const call = finish(actor('first'), '00000001', { out: 'out.md' });
  const answers = await play(stage, {
    kind: 'overlap',
    received: [call, { ...call, actor: actor('first', 2) }],
    between: [{ kind: 'die', process: 'first#1' }, finish(heir, '00000002', { out: 'out.md' })],
    early: false,
    order: [1],
  });
  expect(answers.map((each) => each.status)).toEqual([
    'happened',
    'workflow_complete',
    'unanswered',
    'workflow_complete',
  ]);
  expect(await shell.stack('first')).toEqual([]);
  expect(await shell.stack('second')).toEqual([]);
});
