import { expect, onTestFinished, test, vi } from 'vitest';
import type { Processes } from '../../core/session/ownership.ts';
import type { Database } from './database.ts';
import { openLeases } from './leases.ts';

test('a lease whose first try failed half-way is renewed by no one once it is given up', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let isDown = true;
  const db = {
    schema: '',
    async query(sql: string) {
      if (isDown && sql.startsWith('delete')) throw new Error('the database is away');
      return [];
    },
    queryOnce: async () => [],
  } as unknown as Database;
  const system: Processes = {
    own: () => 'own',
    livenessOf: () => 'alive',
    describe: () => 'own',
  };
  const leases = openLeases({ db, workspace: 'w', seconds: 30, system, agent: null });
  await expect(leases.hold()).rejects.toThrow('away');
  isDown = false;
  await leases.hold();
  expect(vi.getTimerCount()).toBe(1);
  await leases.end();
  expect(vi.getTimerCount()).toBe(0);
});
