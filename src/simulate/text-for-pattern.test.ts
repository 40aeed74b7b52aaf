// Texts for the patterns that people write into rules.

import { expect, test } from 'vitest';
import { compileRegex, matches } from '../core/rules/regex.ts';
import { textFor } from './text-for-pattern.ts';

test.for([
  ['hello', ''],
  ['^hello$', ''],
  ['^## Steps', 'm'],
  ['(?m)^- ', ''],
  ['\\d+ failed', ''],
  ['^- .+ \\(.+\\)$', 'm'],
  ['Source: \\S[\\s\\S]*?Source: \\S[\\s\\S]*?Source: \\S', ''],
  ['^name:\\s*\\S', 'm'],
  ['(?i)bcrypt|argon2|scrypt', ''],
  ['(?i)\\bsecurity\\b[^\\n]{0,40}\\b(?:high|normal)\\b', ''],
  ['\\b(?:GET|POST)\\b[^\\n]{0,5}[/\\w]', ''],
  ['[\\w-]{2}\\.[a-z][a-z0-9]{0,7}\\b|\\w/(?=[\\s`,;)]|$)', ''],
  ['revo(?:ke|cation|king)|log(?:ging)?[ -]?out', ''],
  ['^(?!TODO)[A-Z][a-z]+', ''],
  ['(?<year>\\d{4})-\\d{2}', ''],
  ['[^a-z0-9 ]{3}', ''],
  ['\\u00E4\\x4a\\n\\t\\/\\.', ''],
  ['a|', ''],
  ['(a)\\1', ''],
  ['\\p{Lu}\\p{Ll}', 'u'],
] as const)('%s (%s) has a text that it matches', ([pattern, flags]) => {
  const compiled = compileRegex(pattern, flags);
  if (compiled.kind !== 'regex') throw new Error(compiled.message);
  const text = textFor(compiled.regex);
  expect(matches(compiled.regex, text), JSON.stringify(text)).toBe(true);
});

test('any other pattern gives some text, in bounded time', () => {
  for (const pattern of ['(a+)+$', 'x{100000}', '(?=a)b', '((((((((((a))))))))))', '[']) {
    const compiled = compileRegex(pattern, '');
    if (compiled.kind === 'regex') expect(textFor(compiled.regex).length).toBeLessThan(100_000);
  }
});
