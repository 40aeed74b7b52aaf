// Any valid JSON object is split into members whose texts have the same meaning.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonMembersOf } from './json-members.ts';

test('texts of members are kept exactly', () => {
  const text = '{ "a" : 1.0, "b":[ 1 , "]}" ],"c\\"d": {"x": 12345678901234567890} ,"e":null}\n';
  expect([...jsonMembersOf(text)]).toEqual([
    ['a', '1.0'],
    ['b', '[ 1 , "]}" ]'],
    ['c"d', '{"x": 12345678901234567890}'],
    ['e', 'null'],
  ]);
  expect([...jsonMembersOf('{}')]).toEqual([]);
  expect([...jsonMembersOf('{"a":1,"a":2}')]).toEqual([['a', '2']]);
});

test('every object can be rebuilt from its members', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(objects, fc.constantFrom(0, 2, '\t'), (object, space) => {
      const members = jsonMembersOf(JSON.stringify(object, null, space));
      const back = [...members].map(([name, raw]) => [name, JSON.parse(raw)]);
      expect(back).toEqual(Object.entries(JSON.parse(JSON.stringify(object))));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['string', `"${'x'.repeat(20_000_000)}"`],
  ['string of escapes', `"${'\\"\\\\'.repeat(2_000_000)}"`],
  ['number', '1'.repeat(20_000_000)],
  ['list with much space', `[${' '.repeat(20_000_000)}]`],
])('a long %s is carried over like a short one', (_what, value) => {
  const text = `{"a": ${value},${' '.repeat(20_000_000)}"b": 1}`;
  expect(() => JSON.parse(text)).not.toThrow();
  const members = jsonMembersOf(text);
  expect(members.get('a') === value).toBe(true);
  expect(members.get('b')).toBe('1');
});

test('an object that is nested too deeply is refused', () => {
  const nested = (depth: number) => `{"a": ${'['.repeat(depth)}${']'.repeat(depth)}}`;
  expect(jsonMembersOf(nested(256)).size).toBe(1);
  expect(() => jsonMembersOf(nested(257))).toThrow('too deep');
});
