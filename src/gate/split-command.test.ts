import { expect, test } from 'vitest';
import { splitCommand } from './split-command.ts';

test.each([
  ['claude -p', ['claude', '-p']],
  [' a  b\tc ', ['a', 'b', 'c']],
  [`review "two words" 'and two' x"y"'z'`, ['review', 'two words', 'and two', 'xyz']],
  [`a "say \\"no\\"" 'a\\b' c\\ d`, ['a', 'say "no"', 'a\\b', 'c d']],
  [`a "" ''`, ['a', '', '']],
])('%s is split as a shell would', (text, words) => {
  expect(splitCommand(text)).toEqual(words);
});

test.each(['', '  \t', 'review "two words', "review 'it", 'review "it\\"'])(
  'a text without a program or with an open quote is refused: %s',
  (text) => {
    expect(splitCommand(text)).toBeNull();
  },
);
