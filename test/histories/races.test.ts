// Races on one journal that are too rare to rely on chance: several processes that commit or take
// over at the same moment.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemProcesses } from '../../src/environment/process/process-identity.ts';
import { openStacks } from '../../src/sessions/stacks.ts';
import { type PlainJob, plainJob, plainStep, toWorkflow } from '../simulation/definitions.ts';
import { verifies } from '../verifies.ts';
import type { Actor, Finish } from './calls.ts';
import { openJournalShell } from './journal-shell.ts';
import { play, type Stage } from './play.ts';
import { openProcesses, type Processes } from './processes.ts';

const MORTAL = ['first#1', 'fourth#1', 'fifth#1'];
const [A, B, C] = ['01000000', '02000000', '03000000'] as const;
const found = { untils: {}, items: {} };
let processes: Processes;
beforeEach(() => {
  processes = openProcesses(MORTAL);
});
afterEach(() => processes.close());

function openRace(job: PlainJob = plainJob(plainStep('only', 'out!'))) {
  const shell = openJournalShell(processes);
  const stage: Stage = { shell, jobs: new Map([['job', toWorkflow(job)]]), atOnce: true };
  const start = async (by: Actor, ...ids: string[]) => {
    for (const id of ids) {
      const call = { kind: 'start', actor: by, id, job: 'job', context: {}, found } as const;
      expect((await play(stage, call))[0]?.status).toBe('started');
    }
  };
  const ids = async (owner: string) => (await shell.stack(owner)).map((session) => session.id);
  const abort = (by: Actor, session: string) =>
    play(stage, { kind: 'abort', actor: by, session, explanation: 'no' });
  return { shell, stage, start, ids, abort };
}

const actor = (owner: string, number = 1): Actor => ({ owner, process: `${owner}#${number}` });

function finish(by: Actor, session: string, outputs: Finish['outputs']): Finish {
  const person = { approves: null, loop: null, words: null, edited: 0 };
  const plain = {
    notes: null,
    stepId: null,
    context: {},
    outcomes: {},
    override: null,
    content: 0,
  };
  return { kind: 'finish', actor: by, session, outputs, ...plain, found, person };
}

test('members finished by four processes at once are each accepted once', async () => {
  verifies('JOBS-X.13', 'JOBS-X.18');
  const names = ['a', 'b', 'c', 'd'];
  const members = names.map((name) => plainStep(name, `${name}_out!`));
  const { shell, stage, start } = openRace(plainJob(members, plainStep('last', 'end!')));
  await start(actor('second'), A);
  const received = names.map((name, index) =>
    finish(actor('second', index + 1), A, { [`${name}_out`]: `${name}.md` }),
  );
  const order = [...received.keys()];
  const call = { kind: 'overlap', received, between: [], early: false, order } as const;
  const answers = (await play(stage, call)).map(({ status }) => status);
  expect(answers.sort()).toEqual(['needs_work', 'needs_work', 'needs_work', 'next_step']);
  const session = await shell.load(A);
  expect(session).toMatchObject({ seq: 1 + names.length, position: { members: ['last'] } });
});

test('of two callers that claim one orphan at once, one gets all of it', async () => {
  verifies('JOBS-X.19');
  const { shell, start, ids } = openRace();
  await start(actor('first'), A, B, C);
  await processes.kill('first#1');
  const heirs = [actor('second'), actor('third')];
  const claims = await Promise.all(heirs.map((heir) => shell.claim(heir, B)));
  const [winner, ...others] = heirs.filter((_, index) => 'id' in (claims[index] ?? {}));
  expect(others).toEqual([]);
  expect(await ids(winner?.owner ?? '')).toEqual([A, B, C]);
});

test('a call without a session id takes the only orphan, and none of several', async () => {
  verifies('JOBS-X.19');
  const { shell, start, ids, abort } = openRace();
  await start(actor('first'), A);
  await start(actor('fourth'), B);
  const heir = actor('second');
  expect(await shell.claim(heir, null)).toMatchObject({ code: 'no_session' });
  await processes.kill('first#1');
  await processes.kill('fourth#1');
  const refusal = await shell.claim(heir, null);
  expect(refusal).toMatchObject({ code: 'no_session' });
  expect('next' in refusal && refusal.next).toMatch(new RegExp(`${A}.*${B}`));
  expect(await ids('second')).toEqual([]);
  await abort(heir, B);
  expect(await shell.claim(heir, null)).toMatchObject({ id: A, owner: { identity: 'second' } });
});

test('a stack whose takeover was interrupted is still one, in its order', async () => {
  verifies('JOBS-X.19');
  const { shell, start, ids, abort } = openRace();
  await start(actor('first'), A, B, C);
  // The session that joined the top to the bottom is gone.
  await abort(actor('first'), B);
  await processes.kill('first#1');

  const dying = actor('fourth');
  const { store } = shell.officeOf(dying);
  let commits = 0;
  const commit: typeof store.commit = (...args) => {
    if (++commits > 1) throw new Error('died');
    return store.commit(...args);
  };
  const cutOff = openStacks({ ...store, commit }, shell.clock, systemProcesses);
  await expect(cutOff.claim(shell.ownerOf(dying), null)).rejects.toThrow('died');
  await processes.kill('fourth#1');

  const heir = actor('fifth');
  expect(await shell.officeOf(heir).stacks.peek(shell.ownerOf(heir), null)).toMatchObject({
    id: C,
  });
  await shell.claim(heir, null);
  expect(await ids('fifth')).toEqual([A, C]);
  await processes.kill('fifth#1');
  expect(await shell.claim(actor('second'), null)).toMatchObject({ id: C });
  expect(await ids('second')).toEqual([A, C]);
});

test('an owner that returns in a new process keeps what the old one began', async () => {
  verifies('JOBS-X.19');
  const { shell, start, ids } = openRace();
  await start(actor('first', 1), A);
  await processes.kill('first#1');
  await start(actor('first', 2), B);
  expect(await shell.claim(actor('second'), A)).toMatchObject({ code: 'session_not_found' });
  expect(await ids('first')).toEqual([A, B]);
});

test('a session that ends while its stack is taken over stays ended', async () => {
  verifies('JOBS-X.19');
  const { stage, start, ids } = openRace();
  await start(actor('first'), A, B);
  const call = finish(actor('first'), A, { out: 'out.md' });
  const answers = await play(stage, {
    kind: 'overlap',
    received: [call, { ...call, actor: actor('first', 2) }],
    between: [{ kind: 'die', process: 'first#1' }, finish(actor('second'), B, { out: 'out.md' })],
    early: false,
    order: [1],
  });
  const statuses = ['happened', 'workflow_complete', 'unanswered', 'workflow_complete'];
  expect(answers.map(({ status }) => status)).toEqual(statuses);
  expect([await ids('first'), await ids('second')]).toEqual([[], []]);
});
