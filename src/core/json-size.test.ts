import { expect, test } from 'vitest';
import { hasMoreValuesThan } from './json-size.ts';

test('values are counted at every level, but not inside strings', () => {
  expect(hasMoreValuesThan(3, '[1, 2, 3, 4]')).toBe(true);
  expect(hasMoreValuesThan(5, '[1, 2, 3, 4]')).toBe(false);
  expect(hasMoreValuesThan(2, '"[,{,[,\\",[,"')).toBe(false);
  expect(hasMoreValuesThan(2, '{"a": {"b": [[]]}}')).toBe(true);
  expect(hasMoreValuesThan(2, '"\\\\",[,[')).toBe(true);
  expect(hasMoreValuesThan(2, '"never closed [[[[[')).toBe(false);
});

test('a text that is not JSON is counted, too', () => {
  expect(hasMoreValuesThan(1000, '['.repeat(2000))).toBe(true);
  expect(hasMoreValuesThan(1000, '\\'.repeat(2000))).toBe(false);
});
