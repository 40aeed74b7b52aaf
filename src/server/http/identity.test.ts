import { expect, test } from 'vitest';
import { httpCallerOf } from './identity.ts';
import type { Bearer } from './tokens.ts';

const OPEN: Bearer = { kind: 'open' };

test('work belongs to the agent, with its model and variant if it names them', () => {
  const identities: [string, string][] = [
    ['a', 'agent:a'],
    ['a|m', 'agent:a|m'],
    ['a|m|v', 'agent:a|m|v'],
    ['a||v', 'agent:a||v'],
    ['', 'agent:coordinator'],
  ];
  for (const [identity, owner] of identities) {
    expect(httpCallerOf(OPEN, [identity])).toMatchObject({ owner: { identity: owner } });
  }
});

test('names may be in any script', () => {
  const bytes = Buffer.from('Jürgen|模型').toString('latin1');
  expect(httpCallerOf(OPEN, [bytes])).toMatchObject({ caller: { name: 'Jürgen', model: '模型' } });
});

test("an agent's token determines its identity", () => {
  const caller = { name: 'a', model: 'm', variant: null };
  const bearer: Bearer = { kind: 'agent', caller };
  for (const identities of [[], ['a'], ['a|m']]) {
    expect(httpCallerOf(bearer, identities)).toMatchObject({ caller });
  }
  for (const identity of ['b', '', 'coordinator', 'a|n', 'a|m|v']) {
    expect(httpCallerOf(bearer, [identity])).toMatchObject({ status: 403 });
  }
  expect(httpCallerOf(bearer, ['a', 'a'])).toMatchObject({ status: 400 });
});
