import { expect, onTestFinished, test, vi } from 'vitest';
import type { Workspace } from '../../engine/workspace.ts';
import { formTokensOf } from './form-tokens.ts';

const DAY = 24 * 60 * 60 * 1000;

test('a form may wait for a person for thirty days', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const tickets = formTokensOf({ paths: { root: '/project' } } as Workspace);
  const caller = { name: 'coordinator', model: null, variant: null };
  const ticket = { set: 1, shown: { 'q-1': 1 } } as never;
  const state = await tickets.sign(ticket, caller);
  vi.setSystemTime(Date.now() + 29 * DAY);
  expect(await tickets.verify(state, caller)).toEqual(ticket);
  vi.setSystemTime(Date.now() + 2 * DAY);
  await expect(tickets.verify(state, caller)).rejects.toThrow();
});
