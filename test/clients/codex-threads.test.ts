// Codex names its thread with each call, and the same id with each hook. Its threads may share a
// process, as the servers and hooks here share this one: each is held to its own work.

import { expect, test } from 'vitest';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { claudeInput, hook, hookProcess } from '../support/hook.ts';
import { connectOverHttp } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const START = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };

function demo(): Project {
  const project = newProject();
  const steps = { a: { outputs: { report: 'file' } }, b: { outputs: { page: 'file' } } };
  writeJob(project, 'demo', steps, { main: ['a', 'b'] });
  project.write('report.md', 'x');
  return project;
}

interface Thread {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  call(tool: string, args?: object): Promise<any>;
}

/** `id`: as Codex sends it; a root thread has the id of its session. */
function threadOn(server: Connection, id: unknown, session = id): Thread {
  // Seen from Codex 0.166.0.
  const turn = { session_id: session, thread_id: id, thread_source: 'user', turn_id: 't' };
  const _meta = { threadId: id, sessionId: session, 'x-codex-turn-metadata': turn };
  return {
    async call(tool, args = {}) {
      const params = { name: tool, arguments: { ...args }, _meta };
      const { structuredContent, isError, content } = await server.client.callTool(params);
      return isError ? { refused: JSON.stringify(content) } : structuredContent;
    },
  };
}

const serverOn = ({ root }: Project) => connect(root, { namesConversations: true });

const thread = async (project: Project, id: unknown, session = id) =>
  threadOn(await serverOn(project), id, session);

async function started(agent: Thread, goal: string): Promise<string> {
  const { begin_step } = await agent.call('start_workflow', { ...START, goal });
  return begin_step.session_id;
}

const codexHook = (moment: string, project: Project, session: string) =>
  hook(moment, claudeInput(session, project.root), { client: 'codex', cwd: project.root });

const stop = (project: Project, session: string) => codexHook('stop', project, session);

test('threads of one Codex process are each sent back to their own work, or let go', async () => {
  verifies('CLIENT-4');
  const project = demo();
  const ids = ['thread-1', 'thread-2'];
  for (const id of ids) {
    const run = await started(await thread(project, id), `Goal of ${id}`);
    expect((await stop(project, id)).reason).toContain(`session ${run}`);
  }
  for (const id of ids) {
    const { hookSpecificOutput } = await codexHook('start', project, id);
    expect(hookSpecificOutput.additionalContext).toContain(`Goal: Goal of ${id}\n`);
    expect((await stop(project, id)).decision).toBe('block');
  }
  expect(await stop(project, 'thread-3')).toBeNull();
  expect(await codexHook('start', project, 'thread-3')).toBeNull();
});

test("a subagent's own run is not what the thread that started it is sent back to", async () => {
  verifies('CLIENT-4');
  const project = demo();
  await started(await thread(project, 'subagent', 'root'), 'Of the subagent');
  expect(await stop(project, 'root')).toBeNull();
  const run = await started(await thread(project, 'root'), 'Of the root');
  expect((await stop(project, 'root')).reason).toContain(`session ${run}`);
});

test('a thread that is resumed in another process goes on with its own work, whatever else was left', async () => {
  verifies('CLIENT-4');
  const project = demo();
  const runs = new Map<string, string>();
  const first = await connectToProcess(project.root, { closeAfterTest: false });
  for (const id of ['thread-1', 'thread-2', 'thread-3']) {
    runs.set(id, await started(threadOn(first, id), `Goal of ${id}`));
  }
  // Threads of one server have a stack each.
  const idle = await threadOn(first, 'thread-4').call('get_active_workflow');
  expect(idle).toMatchObject({ active: false });
  await first.close();
  const { hookSpecificOutput } = await codexHook('start', project, 'thread-2');
  expect(hookSpecificOutput.additionalContext).toContain('Goal: Goal of thread-2\n');
  const agent = await thread(project, 'thread-2');
  expect(await agent.call('get_active_workflow')).toMatchObject({ goal: 'Goal of thread-2' });
  const outputs = { report: 'report.md' };
  const { status, begin_step } = await agent.call('finished_step', { outputs });
  expect([status, begin_step?.session_id]).toEqual(['next_step', runs.get('thread-2')]);
  expect((await stop(project, 'thread-2')).reason).toContain("Step 'b'");
  // One that has nothing of its own is told what there is.
  const other = await thread(project, 'thread-4');
  expect(await other.call('get_active_workflow')).toMatchObject({ active: false });
});

test("naming the thread of a server that runs gives no way into that one's work", async () => {
  verifies('CLIENT-4');
  const project = demo();
  const run = await started(await thread(project, 'thread-1'), 'Mine');
  const thief = threadOn(await connectToProcess(project.root), 'thread-1');
  expect(await thief.call('get_active_workflow')).toMatchObject({ active: false });
  const outputs = { report: 'report.md' };
  expect((await thief.call('finished_step', { outputs })).refused).toContain('No active workflow');
  for (const tool of ['finished_step', 'abort_workflow', 'get_active_workflow']) {
    const args = {
      ...(tool === 'finished_step' && { outputs }),
      ...(tool === 'abort_workflow' && { explanation: 'Not mine' }),
    };
    const { refused } = await thief.call(tool, { session_id: run, ...args });
    expect(refused).toContain('It is being worked on by process');
  }
});

test("over HTTP the work is the agent's, whatever thread a call names", async () => {
  verifies('CLIENT-4');
  const project = demo();
  const { url } = await serveHttpInProcess(project.root);
  const client = await connectOverHttp(url);
  const turn = { 'x-codex-turn-metadata': { thread_id: 'thread-1' } };
  const call = (name: string, args: object, _meta = {}) =>
    client.callTool({ name, arguments: { ...args }, _meta });
  await call('start_workflow', START, turn);
  const { structuredContent } = await call('get_active_workflow', {});
  expect(structuredContent).toMatchObject({ active: true, goal: START.goal });
});

test.each([
  ['no text', 7],
  ['empty', ''],
  ['a path', '../thread-1'],
  ['too long', 'x'.repeat(200)],
  ['two lines', 'a\nb'],
])("a thread's id that is %s is not used: the process tells", async (_what, id) => {
  verifies('CLIENT-4');
  const project = demo();
  const agent = await thread(project, id);
  const run = await started(agent, 'G');
  const input = claudeInput('thread-1', project.root);
  const { reason } = await hookProcess('stop', input, { client: 'codex', cwd: project.root });
  expect(reason).toContain(`session ${run}`);
});
