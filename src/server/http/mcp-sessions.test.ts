import { Server } from '@modelcontextprotocol/server';
import { onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { openSessions } from './mcp-sessions.ts';
import type { Bearer } from './tokens.ts';

test('an expired session is removed even if it is never requested again', async () => {
  const sessions = openSessions({
    createServer: () => new Server({ name: 'test', version: '1' }, {}),
    limit: 10,
    idleMs: 40,
    now: () => performance.now(),
  });
  onTestFinished(() => sessions.endAll());
  for (let count = 1; count <= 3; count++) await sessions.open({ kind: 'owner' } as Bearer);
  await until(() => sessions.count() === 0);
});
