import { expect, test } from 'vitest';
import { openTokens } from './tokens.ts';

const ANN = { name: 'ann', model: null, variant: null };

test('if tokens are off, none is checked', () => {
  expect(openTokens(false, []).bearerOf('Bearer whatever')).toEqual({ kind: 'open' });
});

test('each token identifies its holder until it is revoked', () => {
  const tokens = openTokens(true, ['owner-one', 'owner-two']);
  const { token, revoke } = tokens.issue(ANN);
  const other = tokens.issue({ ...ANN, name: 'bob' });
  expect(tokens.bearerOf('Bearer owner-one')).toEqual({ kind: 'owner' });
  expect(tokens.bearerOf('bearer owner-two')).toEqual({ kind: 'owner' });
  expect(tokens.bearerOf(`Bearer ${token}`)).toEqual({
    kind: 'agent',
    caller: ANN,
    stack: null,
  });
  revoke();
  expect(tokens.bearerOf(`Bearer ${token}`)).toBeNull();
  expect(tokens.bearerOf(`Bearer ${other.token}`)).toMatchObject({ caller: { name: 'bob' } });
});

test('nothing else is accepted', () => {
  const tokens = openTokens(true, ['owner']);
  const wrong = [undefined, '', 'Bearer', 'Bearer ', 'owner', 'Basic owner', 'Bearer  owner'];
  for (const header of [...wrong, 'Bearer owner x', `Bearer ${'x'.repeat(600)}`]) {
    expect(tokens.bearerOf(header), String(header)).toBeNull();
  }
});
