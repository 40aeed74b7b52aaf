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

/** The sessions of one server do not meet: each job has an agent of its own. The team's tools are the coordinator's. */
function agentOf(row: ChangingCall): string {
  const isJob = /workflow$|_step$/.test(row.tool);
  return isJob ? `agent-${ROWS.indexOf(row)}` : 'coordinator';
}

async function held() {
  const project = newTeamDemo();
  const hold = project.path('hold');
  const server = await serveOverHttp(project.root, {
    env: { NODE_OPTIONS: `--require ${PRELOAD}`, DEEPWORK_TEST_HOLD: hold },
  });
  return { project, server, call: await caller(server), release: () => rmSync(hold) };
}

type Held = Awaited<ReturnType<typeof held>>;

/** On one server: starting one for each takes longer than the calls. */
async function forEach(
  rows: readonly ChangingCall[],
  check: (row: ChangingCall, on: Held) => Promise<void>,
): Promise<void> {
  const on = await held();
  for (const row of rows) {
    const call = await caller(on.server, agentOf(row));
    for (const [earlier, given] of row.before ?? []) await call(earlier, given);
    await check(row, { ...on, call }).catch((error: unknown) => {
      throw new Error(row.tool, { cause: error });
    });
  }
}

test('a repeated call is answered when what it reports is on the disk', async () => {
  await forEach(ROWS, async (row, { project, server, call, release }) => {
    const { tool, args, event } = row;
    const before = events(project, event);
    project.write('hold', '');
    await callAndLeave(server, tool, args, agentOf(row));
    await isKept(project, event, before);
    let isAnswered = false;
    const repeated = call(tool, args).finally(() => {
      isAnswered = true;
    });
    await untilHeld(call);
    expect(isAnswered, tool).toBe(false);
    release();
    expect((await repeated).isError, tool).toBe(false);
    expect(events(project, event) - before, tool).toBe(1);
    // Its answer has arrived, so the same call is a new one.
    await call(tool, args);
    expect(events(project, event) - before, tool).toBe(tool === 'abort_workflow' ? 1 : 2);
  });
});

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
  // Those of the team write to one stream, whose next write would wait for the disk that failed.
  const isOfTeam = (row: ChangingCall) => agentOf(row) === 'coordinator';
  const groups = [
    ROWS.filter((row) => !isOfTeam(row)),
    ...ROWS.filter(isOfTeam).map((row) => [row]),
  ].map((rows) => [rows.map(({ tool }) => tool).join(', '), rows] as const);

  test.each(groups)(
    'a call that is made again, as its error says, counts once: %s',
    async (_, rows) => {
      await forEach(rows, async ({ tool, args, event }, { project, call, release }) => {
        const before = events(project, event);
        project.write('hold', 'fail');
        const lost = call(tool, args);
        await isKept(project, event, before);
        await untilHeld(call);
        release();
        expect(await lost, tool).toMatchObject({
          isError: true,
          text: expect.stringContaining('make the same call again'),
        });
        expect((await call(tool, args)).isError, tool).toBe(false);
        expect(events(project, event) - before, tool).toBe(1);
      });
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
    expect(await repeated).toMatchObject({
      isError: true,
      text: expect.stringContaining('make the same call again'),
    });
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
