import { expect, onTestFinished, test, vi } from 'vitest';
import type { Workspace } from '../../engine/workspace.ts';
import { formTokensOf } from './form-tokens.ts';

const DAY = 24 * 60 * 60 * 1000;

test('a form may wait for a person for thirty days', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const tokens = formTokensOf({
    paths: { root: '/project' },
    database: async () => null,
  } as Workspace);
  const caller = { name: 'coordinator', model: null, variant: null };
  const token = { set: 1, shown: { 'q-1': 1 } } as never;
  const state = await tokens.sign(token, caller);
  vi.setSystemTime(Date.now() + 29 * DAY);
  expect(await tokens.verify(state, caller)).toEqual(token);
  vi.setSystemTime(Date.now() + 2 * DAY);
  await expect(tokens.verify(state, caller)).rejects.toThrow();
});
