import { expect, test } from 'vitest';
import { plainStep, toStep } from '../../../test/simulation/definitions.ts';
import { type ReviewTask, reviewTasks } from './tasks.ts';

function tasksOf(
  runEach: string,
  files: Readonly<Record<string, string>>,
  reports = {},
): ReviewTask[] {
  const criteria = [{ name: 'good', text: 'Is it good?' }];
  const step = {
    ...toStep(plainStep('a', 'parts*!')),
    reviews: [{ runEach, criteria, guidance: null }],
  };
  const outputs = { parts: Object.keys(files) };
  const member = { step, sharedNames: [], outputs, files, stamps: {}, reports };
  return reviewTasks(member, 'reviewer');
}

test('the key of a review depends on its file alone, that of a step review on all files', () => {
  const before = { 'a.md': 'hash 1', 'b.md': 'hash 1' };
  const after = { ...before, 'b.md': 'hash 2' };
  const keysOf = (runEach: string, files: typeof before) =>
    tasksOf(runEach, files).map(({ key }) => key);
  const [a, b] = keysOf('parts', before);
  expect(keysOf('parts', { ...before })).toEqual([a, b]);
  expect(keysOf('parts', after)[0]).toBe(a);
  expect(keysOf('parts', after)[1]).not.toBe(b);
  expect(keysOf('step', { ...before })).toEqual(keysOf('step', before));
  expect(keysOf('step', after)).not.toEqual(keysOf('step', before));
});

test('a passed review does not cover other reports', () => {
  const [before] = tasksOf('parts', { 'a.md': 'hash 1' }, { done: true });
  const [after] = tasksOf('parts', { 'a.md': 'hash 1' }, { done: false });
  expect(after?.key).not.toBe(before?.key);
});
