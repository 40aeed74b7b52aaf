import { expect, test } from 'vitest';
import { httpCallerOf } from './identity.ts';
import type { Bearer } from './tokens.ts';

const OPEN: Bearer = { kind: 'open' };

test('names may be in any script', () => {
  const bytes = Buffer.from('Jürgen|模型').toString('latin1');
  expect(httpCallerOf(OPEN, [bytes])).toMatchObject({ caller: { name: 'Jürgen', model: '模型' } });
});
