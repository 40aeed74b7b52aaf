// What Claude Code does with an agent in a workflow where deepwork's hooks are not set up, and
// what it shows its model of deepwork's tools. hooks-in-clients.test.ts has it with the hooks.

import { expect, test } from 'vitest';
import { call, inOrder, say } from '../model/script.ts';
import { claudeCode as client } from './driven/claude-code.ts';
import { drive } from './driven/client.ts';
import { projectWithReportJob, START_REPORT } from './driven/report-job.ts';
import { onlySession } from './driven/session-view.ts';

test('without hooks, Claude Code lets an agent go that says it is done in the middle of a workflow', async (context) => {
  const project = projectWithReportJob();
  const script = inOrder(START_REPORT, say('All done!'));
  const { ask, model } = await drive(context, { client, script, project });

  const ran = await ask('Please write the report.');
  expect(ran.code, ran.text).toBe(0);
  expect(ran.stdout).toContain('All done!');
  // The tool was called, and its answer was followed by the last words.
  expect(model.requests).toHaveLength(2);
  expect(onlySession(project).view).toMatchObject({ status: 'active', current_step_id: 'draft' });
});

test('Claude Code has the tools of a workflow at once, and loads the others when they are asked for', async (context) => {
  const script = inOrder(call('abort_workflow', { explanation: 'x' }), say('All done!'));
  const project = projectWithReportJob();
  const { ask, model } = await drive(context, { client, script, project });
  await ask('Please stop.');

  const ours = (tools: readonly { name: string }[] = []) =>
    tools.map(({ name }) => name).filter((name) => name.startsWith('mcp__deepwork__'));
  const [first, second] = model.requests;
  expect(ours(first?.conversation.tools).sort()).toEqual([
    'mcp__deepwork__finished_step',
    'mcp__deepwork__get_active_workflow',
    'mcp__deepwork__get_workflows',
    'mcp__deepwork__start_workflow',
  ]);
  expect(first?.deferred).toContain('mcp__deepwork__abort_workflow');
  expect(first?.answer).toMatchObject({
    call: { name: 'ToolSearch' },
    args: { query: 'select:mcp__deepwork__abort_workflow' },
  });
  expect(ours(second?.conversation.tools)).toContain('mcp__deepwork__abort_workflow');
});
