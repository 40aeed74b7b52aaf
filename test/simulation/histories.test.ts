// A thousand random histories of the decider alone, compared with the reference model: nesting,
// concurrent entries, aborts, going back, lost context, repeats, overlapping calls, edits during
// the run, owners that die.
//
//   DEEPWORK_HISTORIES=1000000   how many
//   DEEPWORK_SEED=1234           that one only
//
// Seeds are consecutive integers from a base that is printed.

import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import type { History } from './calls.ts';
import { checkHistory, describeDifference, predict, shorten } from './check-history.ts';
import { showProgress, timeoutFor } from './long-run.ts';
import { randomHistory } from './random-history.ts';

const BASE_SEED = 20_250_101;
const HISTORIES = 1000;

const only = process.env.DEEPWORK_SEED;
const base = only === undefined ? BASE_SEED : Number(only);
const count = only === undefined ? Number(process.env.DEEPWORK_HISTORIES ?? HISTORIES) : 1;

/** Answers that every full run must include. */
const MET = [
  'start started',
  'start refused workflow_empty',
  'finish needs_work',
  'finish next_step',
  'finish workflow_complete',
  'finish fault',
  ...[
    'no_session',
    'session_not_found',
    'outputs_unknown',
    'outputs_missing',
    'outputs_unmatched',
    'outputs_invalid',
    'output_ambiguous',
    'quality_gate_failed',
    'step_not_current',
    'step_not_found',
    'workflow_not_found',
  ].map((code) => `finish refused ${code}`),
  'overlap needs_work',
  'overlap next_step',
  'overlap workflow_complete',
  'overlap unanswered',
  'overlap refused step_not_current',
  'abort aborted',
  'abort refused no_session',
  'abort refused session_not_found',
  'go_to went_back',
  'go_to refused step_ahead',
  'go_to refused step_not_found',
  'edit happened',
  'die happened',
  'rebuild happened',
];

test('random histories match the reference', { timeout: timeoutFor(count) }, async () => {
  verifies('JOBS-X.7', 'JOBS-X.10', 'JOBS-X.13', 'JOBS-X.14', 'JOBS-X.21');
  process.stdout.write(`simulation: ${count} histories from seed ${base}\n`);
  const met = new Set<string>();
  let played = 0;
  for (let seed = base; seed < base + count; seed++) {
    const { history, prediction } = randomHistory(seed);
    for (const [index, { kind }] of history.calls.entries()) {
      for (const { status, code } of prediction.answers[index] ?? []) {
        met.add(code === null ? `${kind} ${status}` : `${kind} ${status} ${code}`);
      }
    }
    const difference = await checkHistory(history, prediction);
    if (difference !== null) expect.fail(await report(history));
    played += 1;
    showProgress('simulation', played);
  }
  expect(played).toBe(count);
  if (count >= HISTORIES) expect(MET.filter((answer) => !met.has(answer))).toEqual([]);
});

async function report(history: History): Promise<string> {
  const replay = `DEEPWORK_SEED=${history.seed} npx vitest run test/simulation/histories.test.ts`;
  return describeDifference(await shorten(history, checkHistory), replay);
}

test('one seed is one history', () => {
  expect(randomHistory(11)).toEqual(randomHistory(11));
  expect(randomHistory(11).history.calls).not.toEqual(randomHistory(12).history.calls);
  const { history, prediction } = randomHistory(13);
  expect(predict(history).answers).toEqual(prediction.answers);
});

test('a difference is detected, reduced and reported with its seed', async () => {
  const { history } = randomHistory(17);
  const mistaken = async (each: History) => {
    const { answers, model } = predict(each);
    const wrong = answers.map((told) => told.map((answer) => ({ ...answer, code: 'made up' })));
    return checkHistory(each, { answers: wrong, model });
  };
  const shortest = await shorten(history, mistaken);
  expect(shortest.history.calls).toHaveLength(1);
  expect(describeDifference(shortest, 'like this')).toContain(
    'Seed 17 differs from the reference. Play it again: like this',
  );
});
