// A conversation begins, or begins anew: the agent gets its open work back.

import { expect, test } from 'vitest';
import { type Connection, connect, connectToProcess } from '../support/connect.ts';
import { claudeInput, hook } from '../support/hook.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const SESSION = 'conversation-1';

async function startHook(project: Project, session = SESSION): Promise<string | null> {
  const input = claudeInput(session, project.root, { source: 'compact' });
  const answer = await hook('start', input, { cwd: project.root });
  if (answer === null) return null;
  expect(answer.hookSpecificOutput.hookEventName).toBe('SessionStart');
  return answer.hookSpecificOutput.additionalContext;
}

function agentIn(project: Project, connectTo = connect): Promise<Connection> {
  return connectTo(project.root, { env: { CLAUDE_CODE_SESSION_ID: SESSION } });
}

test('an agent that knows only the capsule finishes the run, whatever it forgot and when', async () => {
  verifies('CLIENT-3');
  const project = newProject();
  const rules = [{ type: 'regex', pattern: '^- ', message: 'Write a list' }];
  writeJob(
    project,
    'demo',
    {
      facts: { outputs: { facts: { type: 'file', description: 'F', required: true, rules } } },
      text: { outputs: { text: 'file' }, dependencies: ['facts'] },
      tests: { outputs: { tests: 'files' }, dependencies: ['facts'] },
      publish: { outputs: { page: 'file', extra: 'file?' } },
    },
    { main: ['facts', ['text', 'tests'], 'publish'] },
  );
  const first = await agentIn(project, connectToProcess);
  const start = { goal: 'Publish it', job_name: 'demo', workflow_name: 'main' };
  await first.ok('start_workflow', start);
  await first.close();
  let events = 0;
  for (let status = ''; status !== 'workflow_complete'; events++) {
    expect(events).toBeLessThan(10);
    // Every turn is another server and another agent: it has read the capsule, nothing else.
    const capsule = (await startHook(project)) as string;
    expect(capsule.length).toBeLessThanOrEqual(8000);
    expect(capsule).toContain('Goal: Publish it');
    const call = exactCall(capsule);
    for (const name of Object.keys(call.outputs)) {
      const feedback = /Last feedback: (.*)/.exec(capsule)?.[1] ?? '';
      const file = `${name}.md`;
      project.write(file, feedback.includes('Write a list') ? '- it' : 'it');
      call.outputs[name] = Array.isArray(call.outputs[name]) ? [file] : file;
    }
    const agent = await agentIn(project);
    ({ status } = await agent.ok('finished_step', call));
    await agent.close();
  }
  // Facts twice, because of its rule; then text, tests and publish.
  expect(events).toBe(5);
  expect(await startHook(project)).toBeNull();
});

function exactCall(capsule: string) {
  const written = /Next call, when the step is done: finished_step (\{.*\})/.exec(capsule)?.[1];
  return JSON.parse(written as string);
}

test('a capsule with much to say has every part of it, enough of the instructions, and the whole next call', async () => {
  verifies('CLIENT-3');
  const project = newProject();
  const long = (what: string, times = 60) => `${what} has much to say. `.repeat(times);
  const rules = [{ type: 'regex', pattern: '^- ', message: long('The rule', 35) }];
  const report = { type: 'file', description: long('The report'), required: true, rules };
  writeJob(
    project,
    'demo',
    {
      first: { outputs: { parts: 'files' } },
      second: {
        outputs: { report },
        dependencies: ['first'],
        inputs: [{ file: 'parts', from_step: 'first' }],
        reviews: [{ run_each: 'step', quality_criteria: { good: long('The criterion') } }],
      },
    },
    { main: ['first', 'second'] },
    { common_job_info_provided_to_all_steps_at_runtime: long('The job') },
  );
  const instructions = 'Do one more thing.\n'.repeat(5000);
  project.write('.deepwork/jobs/demo/steps/second.md', instructions);
  const agent = await agentIn(project);
  const start = { goal: long('The goal'), job_name: 'demo', workflow_name: 'main' };
  const { begin_step } = await agent.ok('start_workflow', start);
  const parts = Array.from({ length: 60 }, (_, index) => `parts/of-the-first-step-${index}.md`);
  for (const part of parts) project.write(part, 'it');
  await agent.ok('finished_step', { outputs: { parts } });
  project.write('report.md', 'no list');
  await agent.ok('finished_step', { outputs: { report: 'report.md' } });

  const capsule = (await startHook(project)) as string;
  expect(capsule.length).toBeLessThanOrEqual(8000);
  for (const what of ['The goal', 'The job', 'The report', 'The criterion', 'The rule']) {
    expect(capsule).toContain(`${what} has much to say.`);
  }
  expect(capsule).toContain(`get_active_workflow {"session_id":"${begin_step.session_id}"}`);
  for (const title of ['Done so far:', 'Inputs of this step:', 'Last feedback:']) {
    expect(capsule).toContain(title);
  }
  expect(capsule.match(/Do one more thing\./g)?.length).toBeGreaterThan(90);
  expect(exactCall(capsule).outputs).toEqual({ report: '<path>' });
});

test('a conversation that has no work of its own hears of what was left unfinished, once for each run', async () => {
  verifies('CLIENT-3');
  const project = newProject();
  writeJob(project, 'demo', { a: {}, b: {} }, { main: ['a', 'b'] });
  const agent = await agentIn(project, connectToProcess);
  const start = { goal: 'Left behind', job_name: 'demo', workflow_name: 'main' };
  const outer = await agent.ok('start_workflow', start);
  const inner = await agent.ok('start_workflow', start);
  await agent.close();
  const said = (await startHook(project, 'another-conversation')) as string;
  expect(said).toContain(`- ${inner.begin_step.session_id}: demo/main at step 'a'`);
  expect(said).not.toContain(`- ${outer.begin_step.session_id}`);
  expect(said).toContain("goal 'Left behind', last active");
  expect(said).toContain('get_active_workflow');
});
