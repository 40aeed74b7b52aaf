// Random histories of whole jobs, compared with the reference model call by call: concurrent entries,
// conditions, loops, lists, approvals, nested runs, aborts, going back, people who steer, lost
// context, repeats, overlapping calls, owners that die. First on the deciders alone; then some of
// them through the real store and stacks, with several processes on one journal.
//
//   DEEPWORK_HISTORIES=100000   how many; one in twenty goes through the journal, too
//   DEEPWORK_SEED=1234          that one only
//
// Seeds are consecutive integers from a base that is printed.

import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import {
  type Check,
  checkHistory,
  checkOnJournal,
  type Difference,
  describeDifference,
  shorten,
} from './check.ts';
import { randomHistory } from './random-history.ts';

const BASE_SEED = 20_260_101;
const HISTORIES = 3000;

const only = process.env.DEEPWORK_SEED;
const base = only === undefined ? BASE_SEED : Number(only);
const count = only === undefined ? Number(process.env.DEEPWORK_HISTORIES ?? HISTORIES) : 1;
const timeout = Math.max(3_600_000, count * 40);

/** What every full run must meet: a call, where its session stands, and the answer to it. */
const MET = [
  ...each('start', 'started', 'refused workflow_empty', 'refused items_invalid'),
  ...each('finish', 'workflow_complete', 'refused no_session', 'refused session_not_found'),
  ...each('finish at steps', 'fault', 'needs_work', 'next_step', 'waiting', 'workflow_complete'),
  ...each('finish at steps', 'refused outputs_unknown', 'refused outputs_missing'),
  ...each('finish at steps', 'refused outputs_unmatched', 'refused outputs_invalid'),
  ...each('finish at steps', 'refused output_ambiguous', 'refused quality_gate_failed'),
  ...each('finish at steps', 'refused step_not_current', 'refused step_not_found'),
  ...each('finish at steps', 'refused items_invalid', 'refused loop_undecided'),
  ...each('finish at steps', 'refused steered_by_person', 'refused workflow_empty'),
  ...each('finish at for_each', 'needs_work', 'next_step', 'waiting', 'workflow_complete'),
  ...each('finish at for_each', 'refused outputs_missing', 'refused step_not_found'),
  ...each('finish at approve', 'next_step', 'waiting', 'workflow_complete'),
  ...each('finish at approve', 'refused approval_rejected', 'refused loop_undecided'),
  ...each('finish at approve', 'refused outputs_unknown', 'refused step_not_current'),
  ...each('finish at limit', 'aborted', 'next_step', 'waiting', 'workflow_complete'),
  ...each('finish at run', 'next_step', 'refused run_open', 'refused run_aborted'),
  ...each('overlap', 'needs_work', 'next_step', 'workflow_complete', 'waiting', 'unanswered'),
  ...each('overlap', 'fault', 'aborted', 'went_back', 'steered', 'started'),
  ...each('overlap', 'refused step_not_current', 'refused approval_rejected'),
  ...each('abort', 'aborted', 'refused no_session', 'refused session_not_found'),
  ...each('go_to', 'went_back', 'refused step_ahead', 'refused step_not_found'),
  ...each('go_to', 'refused step_empty', 'refused steered_by_person'),
  ...each('steer', 'steered', 'refused session_not_found', 'refused step_ahead'),
  ...each('steer', 'refused step_not_found', 'refused step_empty'),
  ...['die: happened', 'rebuild: happened', 'a loop in a loop', 'a third pass', 'a nested run'],
  ...['sent back by a person', 'stack changed', 'opened again by a person'],
  'a parent that could not go on',
];

function each(call: string, ...answers: string[]): string[] {
  return answers.map((answer) => `${call}: ${answer}`);
}

async function playAll(check: Check, many: number): Promise<ReadonlySet<string>> {
  process.stdout.write(`histories: ${many} from seed ${base}\n`);
  const met = new Set<string>();
  for (let seed = base; seed < base + many; seed++) {
    const history = randomHistory(seed);
    if ((await check(history, met)) !== null) {
      const replay = `DEEPWORK_SEED=${seed} npx vitest run test/histories`;
      expect.fail(describeDifference(await shorten(history, check), replay));
    }
    const played = seed - base + 1;
    if (played % 50_000 === 0) process.stdout.write(`histories: ${played} matched so far\n`);
  }
  return met;
}

test('random histories match the reference', { timeout }, async () => {
  verifies('JOBS-X.7', 'JOBS-X.10', 'JOBS-X.13', 'JOBS-X.14', 'JOBS-X.21');
  verifies('LANG-3', 'LANG-4', 'LANG-5', 'LANG-6', 'LANG-10');
  const met = await playAll(checkHistory, count);
  if (count >= HISTORIES) expect(MET.filter((what) => !met.has(what))).toEqual([]);
});

test('histories of several processes on one journal match the reference', { timeout }, async () => {
  verifies('JOBS-X.5', 'JOBS-X.10', 'JOBS-X.13', 'JOBS-X.18', 'JOBS-X.19');
  const met = await playAll(checkOnJournal, Math.ceil(count / 20));
  const raced = each('overlap', 'next_step', 'refused step_not_current', 'unanswered');
  if (count >= HISTORIES) expect([...met]).toEqual(expect.arrayContaining(raced));
});

test('one seed is one history', () => {
  expect(randomHistory(11)).toEqual(randomHistory(11));
  expect(randomHistory(11).calls).not.toEqual(randomHistory(12).calls);
});

test('a difference is reduced to the call that shows it, and reported with its seed', async () => {
  const history = randomHistory(17);
  const mistaken: Check = async ({ calls }): Promise<Difference | null> => {
    const at = calls.findIndex(({ kind }) => kind === 'finish');
    return at === -1 ? null : { at, expected: 'this', actual: 'that' };
  };
  const shortest = await shorten(history, mistaken);
  expect(shortest.history.calls).toMatchObject([{ kind: 'finish' }]);
  const report = describeDifference(shortest, 'like this');
  expect(report).toMatch(/Seed 17 .* like this/);
});
