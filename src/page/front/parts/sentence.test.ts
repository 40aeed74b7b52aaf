import { expect, test } from 'vitest';
import { asSentence, partsOf } from './sentence.ts';

test('a message and what to do next are sentences, and names keep their letters', () => {
  expect(asSentence("There is no run 'zzzz'")).toBe("There is no run 'zzzz'.");
  expect(asSentence('run `deepwork status --all` to see every run.')).toBe(
    'Run `deepwork status --all` to see every run.',
  );
  expect(asSentence('docs/storage.md is no text')).toBe('docs/storage.md is no text.');
  expect(asSentence('abort_workflow is for agents.')).toBe('abort_workflow is for agents.');
  expect(asSentence('')).toBe('');
});

test('text in backticks is code, and a lone backtick is not', () => {
  expect(partsOf('Run `deepwork status` now.')).toEqual([
    { text: 'Run ', isCode: false },
    { text: 'deepwork status', isCode: true },
    { text: ' now.', isCode: false },
  ]);
  expect(partsOf('a ` b')).toEqual([{ text: 'a ` b', isCode: false }]);
  expect(partsOf('`')).toEqual([{ text: '`', isCode: false }]);
});
