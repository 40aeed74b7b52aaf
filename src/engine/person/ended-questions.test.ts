// Which questions are dismissed because nothing waits for their answer any more.

import { expect, test } from 'vitest';
import type { Workspace } from '../workspace.ts';
import { dismissEnded } from './ended-questions.ts';

const ABOUT = { session: '0000abcd', arrival: 2, grants: 'approval' };

async function dismissedIf(load: () => Promise<unknown>): Promise<string[]> {
  const dismissed: string[] = [];
  const questions = {
    open: async () => [{ id: 'q-1', set: 1, about: ABOUT }],
    dismiss: async (id: string) => void dismissed.push(id),
    collected: async () => {},
  };
  await dismissEnded({ store: { load }, team: { questions } } as unknown as Workspace);
  return dismissed;
}

const at = (arrival: number, status = 'active') => ({ status, position: { arrival } });

test('a question is dismissed when its session has moved or ended, or is gone', async () => {
  expect(await dismissedIf(async () => at(2))).toEqual([]);
  expect(await dismissedIf(async () => at(3))).toEqual(['q-1']);
  expect(await dismissedIf(async () => at(2, 'aborted'))).toEqual(['q-1']);
  expect(await dismissedIf(async () => null)).toEqual(['q-1']);
});

test('a question stays open while the journal of its session cannot be read', async () => {
  expect(await dismissedIf(() => Promise.reject(new Error('no disk')))).toEqual([]);
});
