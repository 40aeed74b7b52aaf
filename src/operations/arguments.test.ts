// However many arguments do not fit, saying so is quick, and the first is told as ever.

import { expect, test } from 'vitest';
import * as z from 'zod';
import { verifies } from '../../test/verifies.ts';
import { readArguments } from './arguments.ts';
import { stepIds } from './guides/parameters.ts';

function misfitsOf(input: z.ZodType, given: unknown) {
  const read = readArguments(input, given);
  return 'misfits' in read ? read.misfits : [];
}

test('what does not fit is told in the order of the parameters, what is not known at the end', () => {
  verifies('GUIDE-3', 'TEAM-4');
  const input = z.strictObject({ one: z.string(), two: z.array(z.string()), three: z.string() });
  expect(misfitsOf(input, { tow: 1, three: 3, two: ['a', 2] })).toEqual([
    { path: ['one'], reason: 'is required', isMissing: true },
    { path: ['two', 1], reason: 'expected string, received number' },
    { path: ['three'], reason: 'expected string, received number' },
    { path: ['tow'], reason: 'is not a parameter', meant: 'two' },
  ]);
});

test('of very many unknown names the first ones are told, and what is known is still judged', () => {
  verifies('TEAM-4');
  const many = Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`k${at}`, at]));
  const input = z.strictObject({ last: z.string() });
  const misfits = misfitsOf(input, { ...many, last: 7 });
  expect(misfits.slice(0, 2)).toMatchObject([{ path: ['last'] }, { path: ['k0'] }]);
  expect(misfits.length).toBeLessThan(1000);
});

test('a list that is too long is refused as a whole, whatever is in it', () => {
  verifies('GUIDE-3');
  const input = z.strictObject({ steps: stepIds('Which') });
  expect(misfitsOf(input, { steps: Array.from({ length: 150_000 }, () => 7) })).toEqual([
    { path: ['steps'], reason: 'has more than 10000 entries' },
  ]);
});
