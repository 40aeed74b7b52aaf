// Every line of the log shows the stack of the caller. Sessions are read for it only if the answer
// shows it, too.

import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { verifies } from '../../test/verifies.ts';
import { openWorkspace } from '../engine/workspace.ts';
import type { Operation } from '../operations/operation.ts';
import { findOperation } from '../operations/table.ts';
import { stdioCaller } from './caller-identity.ts';
import type { LoggedCall } from './log.ts';
import { callTool, logUnknown } from './tools.ts';

function openServer() {
  const opened = openWorkspace({
    projectRoot: tempFolder(),
    standardGuidesDir: path.resolve('standard_workflows'),
  });
  onTestFinished(() => opened.stop());
  let listings = 0;
  const stacks: typeof opened.stacks = {
    ...opened.stacks,
    actedOn: (owner) => {
      listings++;
      return opened.stacks.actedOn(owner);
    },
  };
  const lines: LoggedCall[] = [];
  const log = { call: (line: LoggedCall) => void lines.push(line), fault: () => 'none' };
  const origin = { workspace: { ...opened, stacks }, ...stdioCaller({}) };
  const { signal } = new AbortController();
  const context = { ...origin, signal, progress: () => {}, afterAnswer: () => {} };
  return {
    call: (name: string, given: object = {}) =>
      callTool(findOperation(name) as Operation, given, context, log),
    unknown: (name: string) => logUnknown(name, -32601, origin, log),
    listings: () => listings,
    lines,
  };
}

test('sessions are read only for an answer that shows the stack; the log always has it', async () => {
  verifies('JOBS-REQ-001.1.12');
  const { call, unknown, listings, lines } = openServer();
  const { result } = await call('start_workflow', {
    goal: 'x',
    job_name: 'auth-implementation',
    workflow_name: 'any',
  });
  expect(listings()).toBe(1);
  await call('check_inbox');
  await call('workflow_list');
  await call('workflow_get', { id: 7 });
  await unknown('workflow_nothing');
  expect(listings()).toBe(1);
  expect(result).not.toHaveProperty('isError');
  const { stack } = result.structuredContent ?? {};
  expect(stack).toHaveLength(1);
  expect(lines.map(({ tool, outcome, stack }) => ({ tool, outcome, stack }))).toEqual([
    { tool: 'start_workflow', outcome: 'ok', stack },
    { tool: 'check_inbox', outcome: 'ok', stack },
    { tool: 'workflow_list', outcome: 'ok', stack },
    { tool: 'workflow_get', outcome: '-32602', stack },
    { tool: 'workflow_nothing', outcome: '-32601', stack },
  ]);
});
