// A client that lost an answer repeats the call, and it counts once; two equal calls with the
// first one answered count twice. For every tool that changes anything: over HTTP the connection is
// cut before the answer, over stdio the server is killed once the change is in the journal.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/calls.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import { type HttpServer, post, serveOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { type Project, writeJob } from '../support/project.ts';
import { until } from '../support/until.ts';
import { START } from './demo.ts';
import {
  type Call,
  type ChangingCall,
  callAndLeave,
  caller,
  events,
  isKept,
  newTeamDemo,
  sessions,
} from './lost-answers.ts';

interface Row extends ChangingCall {
  readonly name: string;
  /** How often it counts, from what is stored; null if a second time changes nothing. */
  readonly count: ((project: Project) => number) | null;
  /** What the second call answers, if that says more than the count. */
  readonly says?: (answer: Answer) => void;
}

const DONE = { outputs: { result: 'a.md' } };
const QUESTION = { questions: [{ question: 'Go?', choices: ['yes', 'no'] }] };

const ROWS: readonly Row[] = [
  {
    name: 'start_workflow',
    tool: 'start_workflow',
    event: 'started',
    args: START,
    count: (project) => sessions(project).length,
    says: ({ data }) => {
      expect(data.stack).toHaveLength(1);
      expect(data.begin_step.step_id).toBe('plan');
    },
  },
  {
    name: 'finished_step, where the outputs fit the next step too',
    tool: 'finished_step',
    event: 'judged',
    args: DONE,
    before: [['start_workflow', START]],
    count: (project) => events(project, 'judged'),
    says: ({ data }) => expect(data.begin_step.step_id).toBe('build'),
  },
  {
    name: 'finished_step of the last step, within another workflow',
    tool: 'finished_step',
    event: 'judged',
    args: DONE,
    before: [
      ['start_workflow', START],
      ['start_workflow', { ...START, workflow_name: 'short' }],
    ],
    count: null,
    says: ({ data }) => expect(data).toMatchObject({ status: 'workflow_complete' }),
  },
  {
    name: 'abort_workflow, within another workflow',
    tool: 'abort_workflow',
    event: 'aborted',
    args: { explanation: 'Not needed' },
    before: [
      ['start_workflow', START],
      ['start_workflow', { ...START, workflow_name: 'short' }],
    ],
    count: (project) => events(project, 'aborted'),
    says: ({ data }) =>
      expect(data).toMatchObject({ aborted_workflow: 'demo/short', resumed_workflow: 'demo/main' }),
  },
  {
    name: 'go_to_step',
    tool: 'go_to_step',
    event: 'went_back',
    args: { step_id: 'plan' },
    before: [
      ['start_workflow', START],
      ['finished_step', DONE],
    ],
    count: (project) => events(project, 'went_back'),
    says: ({ data }) => expect(data.invalidated_steps).toEqual(['plan', 'build']),
  },
  {
    name: 'update_workflow_state',
    tool: 'update_workflow_state',
    event: 'updated',
    args: { status: 'working', addProgress: 'a note' },
    count: (project) => events(project, 'updated'),
    says: ({ text }) => expect(text).toContain('Total progress notes: 1'),
  },
  {
    name: 'send_message',
    tool: 'send_message',
    event: 'sent',
    args: { toAgent: 'a', body: 'ping' },
    count: (project) => events(project, 'sent'),
    says: ({ text }) => expect(text).toContain('(ID: 1)'),
  },
  {
    name: 'project_todowrite',
    tool: 'project_todowrite',
    event: 'todos_written',
    args: { todos: [{ id: '1', content: 'c', status: 'pending', priority: 'high' }] },
    count: null,
    says: ({ text }) => expect(text).toMatch(/^1 todos/),
  },
  {
    name: 'ask_user_question',
    tool: 'ask_user_question',
    event: 'asked',
    args: QUESTION,
    count: null,
    says: ({ text }) => expect(text).toContain('Still open: q-1.'),
  },
];

/** Rows of one project do not meet: each job has an agent of its own. The team's tools are the coordinator's. */
function agentOf(row: Row): string {
  const isJob = /workflow$|_step$/.test(row.tool);
  return isJob ? `agent-${ROWS.indexOf(row)}` : 'coordinator';
}

async function loseAndRepeat(project: Project, server: HttpServer, row: Row): Promise<void> {
  const call = await caller(server, agentOf(row));
  for (const [tool, args] of row.before ?? []) await call(tool, args);
  const before = events(project, row.event);
  const counted = row.count?.(project);
  await callAndLeave(server, row.tool, row.args, agentOf(row));
  await isKept(project, row.event, before);
  await expectOnce(project, row, call, counted);
}

describe('over HTTP, with the connection cut before the answer', () => {
  test('a call of every tool counts once', async () => {
    const project = newTeamDemo();
    const server = await serveOverHttp(project.root);
    for (const row of ROWS) {
      await loseAndRepeat(project, server, row).catch((error: unknown) => {
        throw new Error(row.name, { cause: error });
      });
    }
  });

  test('answers of a person on the page count once', async () => {
    const project = newTeamDemo();
    const server = await serveHttpInProcess(project.root);
    const call = await caller(server);
    await call('ask_user_question', { questions: [...QUESTION.questions, ...QUESTION.questions] });
    const words: readonly (readonly [string, object])[] = [
      ['q-1/answer', { choices: ['yes'] }],
      ['q-2/dismiss', {}],
    ];
    for (const [where, word] of words) {
      const url = `${server.url}/api/questions/${where}`;
      expect((await post(url, word)).status).toBe(200);
      expect((await post(url, word)).status).toBe(200);
    }
    // A different answer is still a different one.
    const other = await post(`${server.url}/api/questions/q-1/answer`, { choices: ['no'] });
    expect(other.status).toBe(409);
    expect(events(project, 'answered')).toBe(1);
  });
});

describe('over stdio, with the server killed before the answer was read', () => {
  test.each(ROWS)('$name counts once', async (row) => {
    const project = newTeamDemo();
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    for (const [tool, args] of row.before ?? []) await first.ok(tool, args);
    const before = events(project, row.event);
    const lost = first.call(row.tool, row.args).catch(() => null);
    await isKept(project, row.event, before);
    process.kill(first.pid, 'SIGKILL');
    await lost;
    await first.close();
    const second = await connect(project.root);
    await expectOnce(project, row, second.call);
  });
});

/** The same call again: recognized once, and new from then on. */
async function expectOnce(project: Project, row: Row, call: Call, before = 0): Promise<void> {
  const again = await call(row.tool, row.args);
  expect(again.isError, `${row.name}: ${again.text}`).toBe(false);
  row.says?.(again);
  if (row.count === null) return;
  expect(row.count(project) - before, row.name).toBe(1);
  // Its answer has arrived, so the same call is a new one.
  await call(row.tool, row.args);
  expect(row.count(project) - before, row.name).toBe(2);
}

describe('two equal calls with the first one answered', () => {
  const counted = ROWS.filter(({ count }) => count !== null);

  test('count twice, one after the other and at once, over HTTP', async () => {
    const project = newTeamDemo();
    const server = await serveHttpInProcess(project.root);
    for (const row of counted.filter(({ tool }) => tool !== 'finished_step')) {
      const call = await caller(server, agentOf(row));
      for (const [tool, args] of row.before ?? []) await call(tool, args);
      const count = () => row.count?.(project) ?? 0;
      const before = count();
      await call(row.tool, row.args);
      await call(row.tool, row.args);
      expect(count() - before, row.name).toBe(2);
      if (row.tool === 'abort_workflow') continue;
      await Promise.all([1, 2, 3].map(() => call(row.tool, row.args)));
      expect(count() - before, row.name).toBe(5);
    }
  });

  test.each(counted)(
    'count twice with a server that was closed between them: $name',
    async (row) => {
      const project = newTeamDemo();
      const first = await connectToProcess(project.root, { closeAfterTest: false });
      for (const [tool, args] of row.before ?? []) await first.ok(tool, args);
      await first.call(row.tool, row.args);
      await first.close();
      await until(() => !isRunning(first.pid));
      const second = await connect(project.root);
      await second.call(row.tool, row.args);
      expect(row.count?.(project)).toBe(2);
    },
  );

  test('a message is not mistaken for one that was sent before a crash and confirmed since', async () => {
    const project = newTeamDemo();
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    await first.call('send_message', { toAgent: 'a', body: 'ping' });
    await first.call('send_message', { toAgent: 'a', body: 'pong' });
    process.kill(first.pid, 'SIGKILL');
    await first.close();
    const second = await connect(project.root);
    const { text } = await second.call('send_message', { toAgent: 'a', body: 'ping' });
    expect(text).toContain('(ID: 3)');
  });
});

describe('a call that is repeated after another client of the same agent continued', () => {
  const outputs = { result: 'file' } as const;
  const first = { outputs: { 'x.result': 'a.md' } };
  const second = { outputs: { 'x.result': 'b.md' } };

  async function newPair() {
    const project = newTeamDemo();
    project.write('b.md', 'B');
    const steps = { x: { outputs }, y: { outputs }, z: { outputs } };
    writeJob(project, 'pair', steps, { main: [['x', 'y'], 'z'] });
    const server = await serveOverHttp(project.root);
    const call = await caller(server);
    await call('start_workflow', { goal: 'g', job_name: 'pair', workflow_name: 'main' });
    return { project, server, call };
  }

  test('does not undo what the other submitted', async () => {
    const { project, server, call } = await newPair();
    await callAndLeave(server, 'finished_step', first);
    await isKept(project, 'judged', 0);
    await call('finished_step', second);
    const again = await call('finished_step', first);
    expect(again.data).toMatchObject({ status: 'needs_work' });
    expect(events(project, 'judged')).toBe(2);
    const done = (await call('get_active_workflow')).data.completed_steps;
    expect(done).toMatchObject([{ step_id: 'x', outputs: { result: 'b.md' } }]);
    // Its answer has arrived, so the same call is a new one.
    await call('finished_step', first);
    expect(events(project, 'judged')).toBe(3);
  });

  test('is recognized by another server if the first one was killed', async () => {
    const { project, server, call } = await newPair();
    await call('finished_step', first);
    await call('finished_step', second);
    process.kill(server.child.pid as number, 'SIGKILL');
    await until(() => !isRunning(server.child.pid as number));
    const later = await caller(await serveHttpInProcess(project.root));
    expect((await later('finished_step', first)).data).toMatchObject({ status: 'needs_work' });
    expect(events(project, 'judged')).toBe(2);
  });

  test('does not finish the step after the next', async () => {
    const project = newTeamDemo();
    project.write('b.md', 'B');
    const steps = { x: { outputs }, y: { outputs }, z: { outputs } };
    writeJob(project, 'row', steps, { main: ['x', 'y', 'z'] });
    const server = await serveOverHttp(project.root);
    const call = await caller(server);
    await call('start_workflow', { goal: 'g', job_name: 'row', workflow_name: 'main' });
    await callAndLeave(server, 'finished_step', DONE);
    await isKept(project, 'judged', 0);
    await call('finished_step', { outputs: { result: 'b.md' } });
    const { data } = await call('finished_step', DONE);
    expect(data).toMatchObject({ status: 'next_step', begin_step: { step_id: 'z' } });
    expect(events(project, 'judged')).toBe(2);
  });
});

test('a message of a caller with another name is never mistaken for a repeated one', async () => {
  const project = newTeamDemo();
  const server = await serveOverHttp(project.root);
  const message = { toAgent: 'a', body: 'ping' };
  await callAndLeave(server, 'send_message', message, 'someone');
  await isKept(project, 'sent', 0);
  const other = await caller(server, 'someone-else');
  expect((await other('send_message', message)).text).toContain('(ID: 2)');
  const same = await caller(server, 'someone');
  expect((await same('send_message', message)).text).toContain('(ID: 1)');
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
