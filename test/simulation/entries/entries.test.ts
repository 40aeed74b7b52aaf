// Twenty thousand random histories of workflows with loops, lists, approvals and nested runs, all
// mixed and nested, on the decider alone, compared with the reference call by call.
//
//   DEEPWORK_HISTORIES=1000000   how many
//   DEEPWORK_SEED=1234           that one only

import { expect, test } from 'vitest';
import { randomFrom } from '../../support/random.ts';
import { verifies } from '../../verifies.ts';
import { showProgress, timeoutFor } from '../long-run.ts';
import { isSame } from '../plain.ts';
import type { EntryCall, EntryFacts, Found } from './entry-calls.ts';
import type { PlainEntry } from './plain-entries.ts';
import { openEntries } from './play-entries.ts';
import { randomEntries, randomEntryCall, randomFound } from './random-entries.ts';
import {
  expectEntries,
  factsOfModel,
  namesIn,
  newEntriesModel,
  startEntries,
  waitsFor,
} from './reference-entries.ts';

const BASE_SEED = 20_260_101;
const HISTORIES = 20_000;

const only = process.env.DEEPWORK_SEED;
const base = only === undefined ? BASE_SEED : Number(only);
const count = only === undefined ? Number(process.env.DEEPWORK_HISTORIES ?? HISTORIES) : 1;

interface EntryHistory {
  readonly entries: readonly PlainEntry[];
  readonly first: Found;
  readonly calls: readonly EntryCall[];
}

/** What the reference says of a history: of its start, and of each call. */
interface Prediction {
  readonly started: string;
  readonly facts: readonly EntryFacts[];
}

/** Answers that every full run must include. */
const MET = [
  ...['submit moved', 'submit next_item', 'submit stays', 'submit waiting', 'submit complete'],
  ...['submit waits', 'submit refused items_invalid', 'submit refused loop_undecided'],
  ...['wait ask', 'wait moved', 'wait waiting', 'wait complete', 'wait aborted'],
  ...['wait refused approval_rejected', 'wait refused run_aborted', 'wait refused loop_undecided'],
  ...['nested_ends moved', 'nested_ends stays', 'nested_ends waiting', 'nested_ends complete'],
  ...['go_to back', 'go_to refused step_ahead', 'go_to refused step_not_found'],
  ...['go_to refused step_empty', 'go_to refused items_invalid', 'late late', 'rebuild rebuilt'],
];

test('random histories of entries match the reference', { timeout: timeoutFor(count) }, () => {
  verifies('LANG-3', 'LANG-4', 'LANG-5', 'LANG-6', 'LANG-10');
  process.stdout.write(`entries: ${count} histories from seed ${base}\n`);
  const met = new Set<string>();
  let played = 0;
  for (let seed = base; seed < base + count; seed += 1) {
    const { history, prediction } = randomEntryHistory(seed);
    for (const [index, { kind }] of history.calls.entries()) {
      met.add(`${kind} ${prediction.facts[index + 1]?.answer}`);
    }
    if (play(history, prediction) !== null) expect.fail(report(seed, history));
    played += 1;
    showProgress('entries', played);
  }
  expect(played).toBe(count);
  if (count < HISTORIES) return;
  const answers = new Set([...met].map((answer) => answer.replace(/ back.*/, ' back')));
  expect(MET.filter((answer) => !answers.has(answer))).toEqual([]);
});

test('one seed is one history', () => {
  expect(randomEntryHistory(11)).toEqual(randomEntryHistory(11));
  expect(randomEntryHistory(11)).not.toEqual(randomEntryHistory(12));
});

/** Written with the reference, so that most calls are meaningful. */
function randomEntryHistory(seed: number): { history: EntryHistory; prediction: Prediction } {
  const dice = randomFrom(seed);
  const entries = randomEntries(dice);
  const first = randomFound(dice, entries);
  const model = newEntriesModel(entries);
  const calls: EntryCall[] = [];
  const started = startEntries(model, first);
  const facts: EntryFacts[] = [];
  const history = { entries, first, calls };
  if (started !== 'started') return { history, prediction: { started, facts } };
  facts.push(factsOfModel(model, started));
  const names = namesIn(entries);
  for (let left = dice.between(3, dice.pick([6, 10, 20])); left > 0; left -= 1) {
    const call = randomEntryCall(dice, entries, { waits: waitsFor(model), names });
    calls.push(call);
    facts.push(factsOfModel(model, expectEntries(model, call)));
  }
  return { history, prediction: { started, facts } };
}

function predict({ entries, first, calls }: EntryHistory): Prediction {
  const model = newEntriesModel(entries);
  const started = startEntries(model, first);
  if (started !== 'started') return { started, facts: [] };
  const begun = factsOfModel(model, started);
  const facts = calls.map((call) => factsOfModel(model, expectEntries(model, call)));
  return { started, facts: [begun, ...facts] };
}

interface Difference {
  readonly at: number;
  readonly expected: unknown;
  readonly actual: unknown;
}

function play(history: EntryHistory, prediction = predict(history)): Difference | null {
  const real = openEntries(history.entries);
  const [begun, ...facts] = prediction.facts;
  const started = real.start(history.first);
  if (begun === undefined || !isSame(begun, started)) {
    const isRefused = begun === undefined && started === null;
    return isRefused ? null : { at: -1, expected: begun ?? prediction.started, actual: started };
  }
  for (const [at, call] of history.calls.entries()) {
    const expected = facts[at];
    try {
      const actual = real.play(call);
      if (!isSame(expected, actual)) return { at, expected, actual };
    } catch (error) {
      return { at, expected, actual: String((error as Error).stack) };
    }
  }
  return null;
}

function report(seed: number, history: EntryHistory): string {
  let calls = history.calls.slice(0, (play(history)?.at ?? 0) + 1);
  for (let index = calls.length - 1; index >= 0; index -= 1) {
    const shorter = calls.filter((_, at) => at !== index);
    const difference = play({ ...history, calls: shorter });
    if (difference !== null) calls = shorter.slice(0, difference.at + 1);
  }
  const { expected, actual } = play({ ...history, calls }) as Difference;
  const replay = `DEEPWORK_SEED=${seed} npx vitest run test/simulation/entries/entries.test.ts`;
  return [
    `Seed ${seed} differs from the reference. Play it again: ${replay}`,
    `Entries: ${JSON.stringify(history.entries)}`,
    `First: ${JSON.stringify(history.first)}`,
    ...calls.map((call, index) => `  ${index + 1}. ${JSON.stringify(call)}`),
    `Expected: ${JSON.stringify(expected, null, 2)}`,
    `Actual: ${typeof actual === 'string' ? actual : JSON.stringify(actual, null, 2)}`,
  ].join('\n');
}
