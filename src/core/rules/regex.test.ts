import { expect, test } from 'vitest';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import { compileRegex, compileSchemaPattern, matches } from './regex.ts';
import { runWithin, withoutPauses } from './run-within.ts';

function regexOf(compiled: ReturnType<typeof compileRegex>): RegExp {
  if (compiled.kind === 'problem') throw new Error(compiled.message);
  return compiled.regex;
}

test('the deadline reaches a match that never backtracks', async () => {
  // Without the prefix, V8 compares this literal at each position for seconds, uninterruptibly.
  const half = 'a'.repeat(2000);
  const regex = regexOf(compileRegex(`${half}b${half}`, ''));
  const text = 'a'.repeat(20_000_000);
  await expectPiecesAtMost(150, () => {
    expect(withoutPauses(runWithin(100, () => matches(regex, text))).kind).toBe('interrupted');
  });
});

test('the prefix does not change the meaning of a pattern', () => {
  const cases: [string, string, string][] = [
    ['^a|b$', '', 'xb'],
    ['(a)(b)?\\1', '', 'aba'],
    ['\\1(a)', '', 'a'],
    ['(?<n>a)\\k<n>', '', 'aa'],
    ['\\2(a)', '', '\u0002a'],
    ['$', 'm', 'a\nb'],
    ['b', 'y', 'ab'],
    ['|a', '', ''],
  ];
  for (const [pattern, flags, text] of cases) {
    const plain = new RegExp(pattern, flags).test(text);
    expect(matches(regexOf(compileRegex(pattern, flags)), text), pattern).toBe(plain);
  }
});

test('the length of a pattern is limited', () => {
  expect(compileRegex('a'.repeat(8192), '').kind).toBe('regex');
  expect(compileRegex('a'.repeat(8193), '')).toEqual({
    kind: 'problem',
    field: 'pattern',
    message: 'Invalid regular expression: longer than 8192 characters',
  });
  expect(compileSchemaPattern('a'.repeat(8193)).kind).toBe('problem');
});

test('problems quote only a little of the pattern', () => {
  const flags = compileRegex('a', 'x'.repeat(100_000));
  expect(flags.kind === 'problem' && flags.message.length).toBeLessThan(200);
  const pattern = compileRegex(`${'a'.repeat(8000)}(`, '');
  expect(pattern.kind === 'problem' && pattern.message).toBe(
    'Invalid regular expression: Unterminated group',
  );
});

test('schema patterns support Unicode mode and patterns that are invalid in it', () => {
  expect(matches(regexOf(compileSchemaPattern('^.$')), '😀')).toBe(true);
  expect(matches(regexOf(compileSchemaPattern('^\\p{L}+$')), 'é')).toBe(true);
  expect(matches(regexOf(compileSchemaPattern('^\\w\\-\\w$')), 'a-b')).toBe(true);
});
