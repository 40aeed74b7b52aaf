// A client that lost an answer may repeat its call while the first one still waits for the disk. What
// the repeated call reports must survive a power failure, as the first answer would have.

import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { serveOverHttp } from '../support/http.ts';
import { START } from './demo.ts';
import {
  type Call,
  type ChangingCall,
  callAndLeave,
  caller,
  events,
  isKept,
  newTeamDemo,
} from './lost-answers.ts';

const PRELOAD = fileURLToPath(new URL('../support/hold-sync.cjs', import.meta.url));
const DONE = { outputs: { result: 'a.md' } };

const ROWS: readonly ChangingCall[] = [
  { tool: 'start_workflow', args: START, event: 'started' },
  { tool: 'finished_step', args: DONE, event: 'judged', before: [['start_workflow', START]] },
  {
    tool: 'go_to_step',
    args: { step_id: 'plan' },
    event: 'went_back',
    before: [
      ['start_workflow', START],
      ['finished_step', DONE],
    ],
  },
  {
    tool: 'abort_workflow',
    args: { explanation: 'Not needed' },
    event: 'aborted',
    before: [['start_workflow', START]],
  },
  { tool: 'send_message', args: { toAgent: 'a', body: 'ping' }, event: 'sent' },
  {
    tool: 'update_workflow_state',
    args: { status: 'working', addProgress: 'a note' },
    event: 'updated',
  },
];

async function held() {
  const project = newTeamDemo();
  const hold = project.path('hold');
  const server = await serveOverHttp(project.root, {
    env: { NODE_OPTIONS: `--require ${PRELOAD}`, DEEPWORK_TEST_HOLD: hold },
  });
  return { project, server, call: await caller(server), release: () => rmSync(hold) };
}

test.each(ROWS)(
  'a repeated $tool is answered when what it reports is on the disk',
  async ({ tool, args, event, before = [] }) => {
    const { project, server, call, release } = await held();
    for (const [earlier, given] of before) await call(earlier, given);
    project.write('hold', '');
    await callAndLeave(server, tool, args);
    await isKept(project, event, 0);
    let isAnswered = false;
    const repeated = call(tool, args).finally(() => {
      isAnswered = true;
    });
    await untilHeld(call);
    expect(isAnswered).toBe(false);
    release();
    expect((await repeated).isError).toBe(false);
    expect(events(project, event)).toBe(1);
    // Its answer has arrived, so the same call is a new one.
    await call(tool, args);
    expect(events(project, event)).toBe(tool === 'abort_workflow' ? 1 : 2);
  },
);

test('a repeated call does not wait for the disk of another session', async () => {
  const { project, server, call, release } = await held();
  await call('start_workflow', START);
  const other = await caller(server, 'someone');
  await other('start_workflow', { ...START, workflow_name: 'short' });
  await other('finished_step', DONE);
  project.write('hold', '');
  await callAndLeave(server, 'finished_step', DONE);
  await isKept(project, 'judged', 1);
  const { data } = await other('finished_step', DONE);
  expect(data).toMatchObject({ status: 'workflow_complete' });
  release();
});

describe('if the disk fails', () => {
  test.each(ROWS)(
    'a $tool that is made again, as its error says, counts once',
    async ({ tool, args, event, before = [] }) => {
      const { project, call, release } = await held();
      for (const [earlier, given] of before) await call(earlier, given);
      project.write('hold', 'fail');
      const lost = call(tool, args);
      await isKept(project, event, 0);
      await untilHeld(call);
      release();
      expect(await lost).toMatchObject({ isError: true, text: /make the same call again/ });
      expect((await call(tool, args)).isError).toBe(false);
      expect(events(project, event)).toBe(1);
    },
  );

  test('an equal call that ran meanwhile is not told that it was accepted', async () => {
    const { project, server, call, release } = await held();
    await call('start_workflow', START);
    project.write('hold', 'fail');
    await callAndLeave(server, 'finished_step', DONE);
    await isKept(project, 'judged', 0);
    const repeated = call('finished_step', DONE);
    await untilHeld(call);
    release();
    expect(await repeated).toMatchObject({ isError: true, text: /make the same call again/ });
    expect((await call('finished_step', DONE)).data).toMatchObject({
      status: 'next_step',
      begin_step: { step_id: 'build' },
    });
  });
});

/** Enough of the server's time to answer, or to find out that its disk fails. */
async function untilHeld(call: Call): Promise<void> {
  for (let other = 0; other < 20; other++) await call('get_workflows');
}
