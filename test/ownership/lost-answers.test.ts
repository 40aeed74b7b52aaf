// A client that lost an answer repeats the call, and it counts once; two equal calls with the first
// one answered count twice. Over HTTP the connection is cut before the answer, over stdio the server
// is killed once the change is in the journal.

import { rmSync } from 'node:fs';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Answer, Calls } from '../support/calls.ts';
import { connect, connectToProcess } from '../support/connect.ts';
import {
  type HttpServer,
  type HttpServerOptions,
  INITIALIZE,
  post,
  serveOverHttp,
} from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { keptState } from '../support/kept-state.ts';
import type { Project } from '../support/project.ts';
import { isAlive } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { callerOf, newDemo, START } from './demo.ts';

type Args = Record<string, unknown>;

/** A call that changes something. */
interface Row {
  readonly tool: string;
  readonly args: Args;
  /** What it leaves in the journal. */
  readonly event: string;
  /** The calls before it, with answers that arrive. */
  readonly before?: readonly (readonly [tool: string, args: Args])[];
  /** A second time changes something. */
  readonly isCounted: boolean;
  /** What the second call answers, if that says more than the count. */
  readonly says?: (answer: Answer) => void;
}

const DONE = { outputs: { result: 'a.md' } };
const QUESTION = { questions: [{ question: 'Go?', choices: ['yes', 'no'] }] };
const NESTED: Row['before'] = [
  ['start_workflow', START],
  ['start_workflow', { ...START, workflow_name: 'short' }],
];

const SEND: Row = {
  ...{ tool: 'send_message', args: { toAgent: 'a', body: 'ping' }, event: 'sent', isCounted: true },
  says: ({ text }) => expect(text).toContain('(ID: 1)'),
};
/** Its outputs fit the next step, too. */
const FINISH: Row = {
  ...{ tool: 'finished_step', args: DONE, event: 'judged', isCounted: true },
  before: [['start_workflow', START]],
  says: ({ data }) => expect(data.begin_step.step_id).toBe('build'),
};

const ROWS: readonly Row[] = [
  {
    ...{ tool: 'start_workflow', args: START, event: 'started', isCounted: true },
    says: ({ data }) => expect(data.stack).toHaveLength(1),
  },
  FINISH,
  {
    ...{ tool: 'finished_step', args: DONE, event: 'judged', before: NESTED, isCounted: false },
    says: ({ data }) => expect(data).toMatchObject({ status: 'workflow_complete' }),
  },
  {
    ...{ tool: 'abort_workflow', args: { explanation: 'x' }, event: 'aborted', before: NESTED },
    isCounted: true,
    says: ({ data }) =>
      expect(data).toMatchObject({ aborted_workflow: 'demo/short', resumed_workflow: 'demo/main' }),
  },
  {
    ...{ tool: 'go_to_step', args: { step_id: 'plan' }, event: 'went_back', isCounted: true },
    before: [
      ['start_workflow', START],
      ['finished_step', DONE],
    ],
    says: ({ data }) => expect(data.invalidated_steps).toEqual(['plan', 'build']),
  },
  {
    ...{ tool: 'update_workflow_state', event: 'updated', isCounted: true },
    args: { status: 'working', addProgress: 'a note' },
    says: ({ text }) => expect(text).toContain('Total progress notes: 1'),
  },
  SEND,
  {
    ...{ tool: 'project_todowrite', event: 'todos_written', isCounted: false },
    args: { todos: [{ id: '1', content: 'c', status: 'pending', priority: 'high' }] },
    says: ({ text }) => expect(text).toMatch(/^1 todos/),
  },
  {
    ...{ tool: 'ask_user_question', event: 'asked', args: QUESTION, isCounted: false },
    says: ({ text }) => expect(text).toContain('q-1'),
  },
];

function newTeamDemo(): Project {
  const project = newDemo();
  const config = 'team:\n  question_wait_seconds: 1\n  agents:\n    - name: a\n';
  project.write('.deepwork/config.yml', `git:\n  branch: off\n${config}`);
  return project;
}

/** Events of this type in all streams. */
function events(project: Project, type: string): number {
  const kept = Object.entries(keptState(project)).filter(([file]) => file.startsWith('journal'));
  const text = kept.map(([, content]) => content).join('');
  return text.split(`"type":"${type}"`).length - 1;
}

/** Rows of one project do not meet: each job has an agent of its own. The team's tools are the coordinator's. */
function agentOf(row: Row): string {
  return /workflow$|_step$/.test(row.tool) ? `agent-${ROWS.indexOf(row)}` : 'coordinator';
}

/** Makes the call, and is gone before it could be answered. */
async function callAndLeave({ url, port, child }: HttpServer, tool: string, args: Args, as = '') {
  const session = (await post(`${url}/mcp`, INITIALIZE)).headers.get('mcp-session-id');
  const params = { name: tool, arguments: args };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const head = [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `X-SGAI-Agent-Identity: ${as}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Mcp-Session-Id: ${session}`,
  ];
  // The server sleeps until the client is gone, so that it cannot answer in time.
  child.kill('SIGSTOP');
  const socket = net.connect(port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  await new Promise((resolve) => socket.once('close', resolve));
  child.kill('SIGCONT');
}

/** The same call again: recognized once, and new from then on. */
async function expectOnce(
  project: Project,
  row: Row,
  { call }: Pick<Calls, 'call'>,
  before: number,
) {
  const again = await call(row.tool, row.args);
  expect(again.isError, `${row.tool}: ${again.text}`).toBe(false);
  row.says?.(again);
  if (!row.isCounted) return;
  expect(events(project, row.event) - before, row.tool).toBe(1);
  await call(row.tool, row.args);
  expect(events(project, row.event) - before, row.tool).toBe(2);
}

test('over HTTP a call of every tool counts once whose connection was cut', async () => {
  const project = newTeamDemo();
  const server = await serveOverHttp(project.root);
  for (const row of ROWS) {
    const client = await callerOf(server, agentOf(row));
    for (const [tool, args] of row.before ?? []) await client.call(tool, args);
    const before = events(project, row.event);
    await callAndLeave(server, row.tool, row.args, agentOf(row));
    await until(() => events(project, row.event) > before);
    await expectOnce(project, row, client, before);
  }
  // Another agent's message is never mistaken for a repeated one.
  await callAndLeave(server, 'send_message', { toAgent: 'a', body: 'mine' }, 'someone');
  await until(() => events(project, 'sent') > 2);
  const other = await callerOf(server, 'someone-else');
  expect((await other.call('send_message', { toAgent: 'a', body: 'mine' })).text).toContain(
    'ID: 4',
  );
});

test.each([FINISH, SEND])(
  'over stdio $tool counts once whose server was killed before the answer was read',
  async (row) => {
    const project = newTeamDemo();
    const first = await connectToProcess(project.root, { closeAfterTest: false });
    for (const [tool, args] of row.before ?? []) await first.ok(tool, args);
    const lost = first.call(row.tool, row.args).catch(() => null);
    await until(() => events(project, row.event) > 0);
    process.kill(first.pid, 'SIGKILL');
    await lost;
    await first.close();
    await expectOnce(project, row, await connect(project.root), 0);
  },
);

test('two equal calls with the first one answered count twice', async () => {
  const project = newTeamDemo();
  const server = await serveHttpInProcess(project.root);
  for (const row of ROWS.filter(({ isCounted, tool }) => isCounted && tool !== 'finished_step')) {
    const { call } = await callerOf(server, agentOf(row));
    for (const [tool, args] of row.before ?? []) await call(tool, args);
    const before = events(project, row.event);
    await call(row.tool, row.args);
    await call(row.tool, row.args);
    expect(events(project, row.event) - before, row.tool).toBe(2);
  }
});

test.each([FINISH, SEND])('also $tool with a server that was closed between them', async (row) => {
  const project = newTeamDemo();
  const first = await connectToProcess(project.root, { closeAfterTest: false });
  for (const [tool, args] of row.before ?? []) await first.ok(tool, args);
  await first.call(row.tool, row.args);
  await first.close();
  await until(() => !isAlive(first.pid));
  const second = await connect(project.root);
  await second.call(row.tool, row.args);
  expect(events(project, row.event)).toBe(2);
});

test('answers of a person on the page count once, and another answer is refused', async () => {
  const project = newTeamDemo();
  const server = await serveHttpInProcess(project.root);
  const { call } = await callerOf(server);
  await call('ask_user_question', { questions: [...QUESTION.questions, ...QUESTION.questions] });
  for (const [where, word] of [
    ['q-1/answer', { choices: ['yes'] }],
    ['q-2/dismiss', {}],
  ] as const) {
    const url = `${server.url}/api/questions/${where}`;
    expect((await post(url, word)).status).toBe(200);
    expect((await post(url, word)).status).toBe(200);
  }
  const other = await post(`${server.url}/api/questions/q-1/answer`, { choices: ['no'] });
  expect(other.status).toBe(409);
  expect(events(project, 'answered')).toBe(1);
});

describe('what a repeated call reports is on the disk', () => {
  const PRELOAD = fileURLToPath(new URL('../support/hold-sync.cjs', import.meta.url));

  async function held({ before = [] }: Row) {
    const project = newTeamDemo();
    const options: HttpServerOptions = {
      env: { NODE_OPTIONS: `--require ${PRELOAD}`, DEEPWORK_TEST_HOLD: project.path('hold') },
    };
    const server = await serveOverHttp(project.root, options);
    const { call } = await callerOf(server);
    for (const [tool, args] of before) await call(tool, args);
    return { project, server, call, release: () => rmSync(project.path('hold')) };
  }
  /** Enough of the server's time to answer, or to find out that its disk fails. */
  async function untilHeld(call: Calls['call']): Promise<void> {
    for (let other = 0; other < 20; other++) await call('get_workflows');
  }

  test.each([FINISH, SEND])('of $tool, before it is answered', async (row) => {
    const { project, server, call, release } = await held(row);
    project.write('hold', '');
    await callAndLeave(server, row.tool, row.args, 'coordinator');
    await until(() => events(project, row.event) > 0);
    let isAnswered = false;
    const repeated = call(row.tool, row.args).finally(() => {
      isAnswered = true;
    });
    await untilHeld(call);
    expect(isAnswered).toBe(false);
    release();
    expect((await repeated).isError).toBe(false);
    expect(events(project, row.event)).toBe(1);
  });

  test.each([FINISH, SEND])(
    'of $tool, or it is refused and counts once when made again',
    async (row) => {
      const { project, call, release } = await held(row);
      project.write('hold', 'fail');
      const lost = call(row.tool, row.args);
      await until(() => events(project, row.event) > 0);
      await untilHeld(call);
      release();
      expect(await lost).toMatchObject({ isError: true });
      expect((await call(row.tool, row.args)).isError).toBe(false);
      expect(events(project, row.event)).toBe(1);
    },
  );
});
