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

const keysOf = (tasks: readonly ReviewTask[]) => tasks.map(({ key }) => key);

test.each(['step', 'parts'])('a review of changed content has a new key (%s)', (runEach) => {
  const [before] = tasksOf(runEach, { 'a.md': 'hash 1' });
  const [same] = tasksOf(runEach, { 'a.md': 'hash 1' });
  const [changed] = tasksOf(runEach, { 'a.md': 'hash 2' });
  expect(same?.key).toBe(before?.key);
  expect(changed?.key).not.toBe(before?.key);
});

test('the key of a review depends on its file alone, that of a step review on all files', () => {
  const before = { 'a.md': 'hash 1', 'b.md': 'hash 1' };
  const after = { ...before, 'b.md': 'hash 2' };
  const [a, b] = keysOf(tasksOf('parts', before));
  const [aNow, bNow] = keysOf(tasksOf('parts', after));
  expect(aNow).toBe(a);
  expect(bNow).not.toBe(b);
  expect(keysOf(tasksOf('step', after))).not.toEqual(keysOf(tasksOf('step', before)));
});

test('a passed review does not cover other reports', () => {
  const [before] = tasksOf('parts', { 'a.md': 'hash 1' }, { done: true });
  const [after] = tasksOf('parts', { 'a.md': 'hash 1' }, { done: false });
  expect(after?.key).not.toBe(before?.key);
});
