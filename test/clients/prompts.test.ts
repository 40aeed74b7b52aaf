// Workflows as a client's slash commands: MCP prompts, in both eras.

import { ProtocolError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { ISSUE, triageProject } from '../language/support.ts';
import { ERAS } from '../support/calls.ts';
import { type Connection, connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

function demo(): Project {
  const project = newProject();
  const steps = { a: { outputs: { report: 'file' } } };
  writeJob(project, 'demo', steps, { main: ['a'], other: ['a'] });
  return project;
}

/** The error that `prompts/get` answers with. */
async function refusal({ client }: Connection, name: string, args?: Record<string, string>) {
  const params = args === undefined ? { name } : { name, arguments: args };
  const error = await client.getPrompt(params).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ProtocolError);
  const { code, message } = error as ProtocolError;
  return { code, message };
}

test.for(ERAS)('%s: every workflow and every guide is a prompt', async (era) => {
  verifies('CLIENT-8');
  const project = demo();
  const agent = await connect(project.root, { era });
  const { jobs } = await agent.ok('get_workflows');
  const { workflows: guides } = await agent.ok('workflow_list');
  const names = [
    ...jobs.flatMap(({ name, workflows }: Listed) =>
      workflows.map((workflow) => `${name}/${workflow.name}`),
    ),
    ...guides.map(({ id }: { id: string }) => id),
  ];
  expect(names.length).toBeGreaterThanOrEqual(7);

  const { prompts } = await agent.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(names.sort());
  for (const { description, arguments: expected } of prompts) {
    expect(description).not.toBe('');
    expect(expected).toMatchObject([{ name: 'goal', required: true }]);
  }
});

interface Listed {
  readonly name: string;
  readonly workflows: readonly { readonly name: string }[];
}

test.for(ERAS)('%s: a prompt is one message that starts exactly its run', async (era) => {
  verifies('CLIENT-8');
  const agent = await connect(demo().root, { era });
  for (const [name, started] of [
    ['demo/other', { job_name: 'demo', workflow_name: 'other' }],
    ['ai-task-implementation', GUIDE],
  ] as const) {
    const goal = 'A "quoted" goal\nof two lines, with {braces}';
    const { messages } = await agent.client.getPrompt({ name, arguments: { goal } });
    expect(messages).toHaveLength(1);
    const { role, content } = messages[0] as { role: string; content: { text: string } };
    expect(role).toBe('user');
    const json = content.text.split('\n').find((line) => line.startsWith('{'));
    const args = JSON.parse(json ?? '');
    expect(args).toEqual({ goal, ...started });
    // The arguments are those that start it.
    const { stack } = await agent.ok('start_workflow', args);
    expect(stack.at(-1)).toMatchObject({
      workflow: `${started.job_name}/${started.workflow_name}`,
    });
  }
});

const GUIDE = { job_name: 'ai-task-implementation', workflow_name: 'ai-task-implementation' };

test.for(ERAS)(
  '%s: a prompt that does not exist is refused, and what its start refuses, in the same words',
  async (era) => {
    verifies('CLIENT-8', 'LANG-1');
    const project = triageProject();
    project.write('.deepwork/jobs/broken/job.yml', 'name: [');
    project.write('.deepwork/workflows/torn.json', '{"id": "torn"}');
    const agent = await connect(project.root, { era });
    const goal = 'x';
    const inputs = { issue: ISSUE };
    const starts: readonly [string, string | undefined, Record<string, string>][] = [
      ['demo/main', undefined, {}],
      ['demo/main', goal, { ...inputs, colour: 'red' }],
      ['demo/main', goal, { issue: 'ftp://example.com', count: 'many', severity: 'medium' }],
      ['demo/main', goal, { ...inputs, log: '../x' }],
      ['ai-task-implementation', goal, { colour: 'red' }],
      ['ai-task-implementation', 'x'.repeat(1024 * 1024 + 1), {}],
      ['broken/main', goal, {}],
      ['torn', goal, {}],
    ];
    for (const [name, goal, inputs] of starts) {
      const [job_name, workflow_name = job_name] = name.split('/');
      const { code, message } = await refusal(agent, name, { ...(goal && { goal }), ...inputs });
      expect(code, name).toBe(-32602);
      const start = { goal, job_name, workflow_name, inputs };
      expect(message).toBe(await agent.refused('start_workflow', start));
    }
    const goalOfNumber = { goal: 7 as unknown as string };
    for (const wrong of [undefined, goalOfNumber]) {
      const { code, message } = await refusal(agent, 'demo/main', wrong);
      expect([code, message]).toEqual([-32602, expect.stringContaining('goal')]);
    }
    for (const name of ['demo', 'demo/nothing', 'nothing', 'toString']) {
      const { code, message } = await refusal(agent, name, { goal });
      expect([code, message]).toEqual([-32602, expect.stringContaining(`'${name}'`)]);
    }
  },
);

test.for(ERAS)('%s: inputs of a workflow are arguments, read by their types', async (era) => {
  verifies('CLIENT-8', 'LANG-1');
  const project = triageProject();
  const agent = await connect(project.root, { era });
  const { prompts } = await agent.client.listPrompts();
  const prompt = prompts.find(({ name }) => name === 'demo/main');
  expect(prompt?.arguments?.slice(0, 4)).toEqual([
    expect.objectContaining({ name: 'goal', required: true }),
    { name: 'issue', description: "The issue's address", required: true },
    { name: 'severity', description: 'How bad it is (low, high)', required: false },
    { name: 'count', description: 'How many', required: false },
  ]);
  const given = { goal: 'x', issue: ISSUE, count: '3', strict: 'true' };
  const { messages } = await agent.client.getPrompt({ name: 'demo/main', arguments: given });
  const { content } = messages[0] as { content: { text: string } };
  const { text } = content;
  const args = JSON.parse(text.split('\n').find((line) => line.startsWith('{')) ?? '');
  expect(args.inputs).toEqual({ issue: ISSUE, count: 3, strict: true });
  const { begin_step } = await agent.ok('start_workflow', args);
  expect(begin_step.inputs).toEqual({ ...args.inputs, severity: 'low' });
});

test('a job that is added while the server runs is a prompt at once', async () => {
  verifies('CLIENT-8');
  const project = demo();
  const agent = await connect(project.root);
  await agent.client.listPrompts();
  writeJob(project, 'later', { a: { outputs: { report: 'file' } } }, { main: ['a'] });
  const { prompts } = await agent.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toContain('later/main');
});
