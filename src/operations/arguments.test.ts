// Invalid arguments are reported quickly however many there are, in the order of the parameters.

import { expect, test } from 'vitest';
import * as z from 'zod';
import { verifies } from '../../test/verifies.ts';
import { readArguments } from './arguments.ts';
import { stepIds } from './guides/parameters.ts';

function problemsOf(input: z.ZodType, given: unknown) {
  const read = readArguments(input, given);
  return 'problems' in read ? read.problems : [];
}

test('invalid arguments are listed in the order of the parameters, unknown ones at the end', () => {
  verifies('GUIDE-3', 'TEAM-4');
  const input = z.strictObject({ one: z.string(), two: z.array(z.string()), three: z.string() });
  expect(problemsOf(input, { tow: 1, three: 3, two: ['a', 2] })).toEqual([
    { path: ['one'], reason: 'is required', isMissing: true },
    { path: ['two', 1], reason: 'expected string, received number' },
    { path: ['three'], reason: 'expected string, received number' },
    { path: ['tow'], reason: 'is not a parameter', meant: 'two' },
  ]);
});

test('only the first of very many unknown names are listed, and known arguments are still checked', () => {
  verifies('TEAM-4');
  const many = Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`k${at}`, at]));
  const input = z.strictObject({ last: z.string() });
  const problems = problemsOf(input, { ...many, last: 7 });
  expect(problems.slice(0, 2)).toMatchObject([{ path: ['last'] }, { path: ['k0'] }]);
  expect(problems.length).toBeLessThan(1000);
});

test('a list that is too long is refused as a whole', () => {
  verifies('GUIDE-3');
  const input = z.strictObject({ steps: stepIds('Which') });
  expect(problemsOf(input, { steps: Array.from({ length: 150_000 }, () => 7) })).toEqual([
    { path: ['steps'], reason: 'has more than 10000 entries' },
  ]);
});
