import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import type { Workspace } from '../engine/workspace.ts';
import { TOOLSETS } from '../operations/toolsets.ts';
import { stdioCaller } from './caller-identity.ts';
import { answerDirectly } from './direct-methods.ts';

/** No call can cause an internal error, so a faulty library is used. */
const FAULTY = {
  withinCall: <T>(work: () => Promise<T>) => work(),
  guides: {
    list: () => Promise.reject(new TypeError('a fault of ours')),
  },
} as unknown as Workspace;

const REFERENCE = '0badcafe';

test('an unexpected error is an internal error that refers to the log', async () => {
  verifies('GUIDE-3');
  const faults: [string, unknown][] = [];
  const log = {
    call: () => {},
    fault: (tool: string, error: unknown) => {
      faults.push([tool, error]);
      return REFERENCE;
    },
  };
  const call = { workspace: FAULTY, toolsets: TOOLSETS, ...stdioCaller({}) };
  const ask = (message: object) => answerDirectly({ jsonrpc: '2.0', ...message }, call, log);

  const reply = await ask({ id: 1, method: 'workflow_list' });
  expect(reply).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32603, message: 'Internal error', data: { log: REFERENCE } },
  });
  expect(faults).toEqual([['workflow_list', new TypeError('a fault of ours')]]);
  expect(await ask({ method: 'workflow_list' }), 'to a notification').toBeNull();
  expect(JSON.stringify(reply)).not.toContain('ours');
});
