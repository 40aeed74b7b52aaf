import { expect, onTestFinished, test, vi } from 'vitest';
import { reporting } from './reporting.ts';

test.each([
  ['ended', () => {}],
  [
    'failed',
    () => {
      throw new Error('failed');
    },
  ],
])('work that %s is no longer reported as running', async (_how, end) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const running = reporting(
    (message) => told.push(message),
    'check tests',
    async () => {
      await vi.advanceTimersByTimeAsync(25_000);
      end();
    },
  );
  await running.catch(() => {});
  const stillRunning = 'check tests, still running';
  expect(told).toEqual(['check tests', stillRunning, stillRunning]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toHaveLength(3);
});
