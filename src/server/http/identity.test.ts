import { expect, test } from 'vitest';
import { httpCallerOf } from './identity.ts';
import type { Bearer } from './tokens.ts';

const OPEN: Bearer = { kind: 'open' };

test('names may be in any script', () => {
  const bytes = Buffer.from('Jürgen|模型').toString('latin1');
  expect(httpCallerOf(OPEN, [bytes])).toMatchObject({ caller: { name: 'Jürgen', model: '模型' } });
});

test("an agent's token determines its identity", () => {
  const caller = { name: 'a', model: 'm', variant: null };
  const bearer: Bearer = { kind: 'agent', caller, stack: null };
  for (const identities of [[], ['a'], ['a|m']]) {
    expect(httpCallerOf(bearer, identities)).toMatchObject({ caller });
  }
  for (const identity of ['b', '', 'coordinator', 'a|n', 'a|m|v']) {
    expect(httpCallerOf(bearer, [identity])).toMatchObject({ status: 403 });
  }
  expect(httpCallerOf(bearer, ['a', 'a'])).toMatchObject({ status: 400 });
});
