// What the documents of the tools show, word for word, through the official client: over stdio and
// HTTP, in every era, with progress followed in each call. The guides' transcripts are in test/guides.

import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { ERAS } from '../support/calls.ts';
import { connectToProcess } from '../support/connect.ts';
import { connectOverHttp, HTTP_ERAS } from '../support/http.ts';
import { serveHttpInProcess } from '../support/in-process-serve.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

/** A call of one agent: its structured answer, or its prose. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
type Call = (name: string, args?: Record<string, unknown>) => Promise<any>;

/** Connects an agent, as `name|model|variant`, whose person takes the first choice of each question. */
type Connect = (identity: string) => Promise<Call>;

const options = { capabilities: { elicitation: { form: {} } } };

const WIRES: readonly (readonly [string, (project: Project) => Promise<Connect>])[] = [
  ...ERAS.map((era) => {
    const open = async ({ root }: Project) => {
      return async (identity: string) => {
        const env = { SGAI_AGENT_IDENTITY: identity };
        return callsBy((await connectToProcess(root, { era, env, client: options })).client);
      };
    };
    return [`stdio, ${era}`, open] as const;
  }),
  ...HTTP_ERAS.map((era) => {
    const open = async ({ root }: Project) => {
      const { url } = await serveHttpInProcess(root);
      return async (identity: string) => {
        const headers = { 'x-sgai-agent-identity': identity };
        return callsBy(await connectOverHttp(url, { era, headers, options }));
      };
    };
    return [`HTTP, ${era}`, open] as const;
  }),
];

interface Form {
  readonly requestedSchema: {
    readonly properties: Record<string, { readonly oneOf?: readonly { readonly const: string }[] }>;
  };
}

async function callsBy(client: Client): Promise<Call> {
  // From now on the client compares each answer with the schema of its tool.
  await client.listTools();
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const { requestedSchema } = params as unknown as Form;
    const content = Object.entries(requestedSchema.properties).flatMap(([name, { oneOf }]) =>
      oneOf?.[0] === undefined ? [] : [[name, oneOf[0].const]],
    );
    return { action: 'accept', content: Object.fromEntries(content) };
  });
  return async (name, args) => {
    const onprogress = () => {};
    const request = { name, ...(args && { arguments: args }) };
    const { isError, content, structuredContent } = await client.callTool(request, { onprogress });
    const [block] = content as { text: string }[];
    if (isError) throw new Error(`${name} was refused: ${block?.text}`);
    return structuredContent ?? block?.text;
  };
}

const CONFIG = `version: "1.0"
platforms:
  - claude

# Quality gate configuration (optional)
quality_gate:
  agent_review_command: "claude --print"  # Command to run quality gate agent
  default_timeout: 120                     # Timeout in seconds
  default_max_attempts: 3                  # Max attempts before failing
`;

describe.each(WIRES)('over %s', (_wire, open) => {
  test('the usage pattern of jobs, with concurrent steps and a nested workflow', async () => {
    verifies('JOBS-REQ-001.3.11', 'JOBS-REQ-001.4.7', 'JOBS-REQ-001.4.18', 'JOBS-REQ-001.6.7');
    const project = newProject({ '.deepwork/config.yml': CONFIG });
    const rules = [{ type: 'contains', value: 'done', message: 'Say that it is done.' }];
    const report = { type: 'file', description: 'A report', required: true, rules };
    const main = ['step_a', ['step_b', 'step_c'], 'step_d'];
    const steps = { step_a: { outputs: { report } }, step_b: {}, step_c: {}, step_d: {} };
    writeJob(project, 'demo', steps, { main, other: ['step_d'] });
    const call = await (await open(project))('coordinator');

    const { jobs } = await call('get_workflows');
    expect(jobs[0]).toMatchObject({
      name: 'demo',
      summary: 'The demo job',
      workflows: [{ name: 'main', summary: 'Runs main' }, { name: 'other' }],
    });
    const start = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };
    const { begin_step, stack } = await call('start_workflow', { ...start, instance_id: 'acme' });
    expect(begin_step).toMatchObject({
      session_id: expect.any(String),
      branch_name: 'deepwork/demo-main-acme',
      step_id: 'step_a',
      step_expected_outputs: [
        { name: 'report', type: 'file', syntax_for_finished_step_tool: 'filepath' },
      ],
      step_quality_criteria: expect.any(Array),
      step_instructions: 'Do step_a now.\n',
    });
    expect(stack).toHaveLength(1);

    const finish = { outputs: ['report.md'], notes: null, quality_review_override_reason: null };
    project.write('report.md', 'Not yet');
    expect(await call('finished_step', finish)).toMatchObject({
      status: 'needs_work',
      feedback: expect.stringContaining('Say that it is done.'),
    });
    project.write('report.md', 'All done');
    const next = await call('finished_step', finish);
    expect(next).toMatchObject({ status: 'next_step', begin_step: { step_id: 'step_b' } });
    expect(next.begin_step.step_instructions).toContain('**CONCURRENT STEPS**');

    const nested = await call('start_workflow', { ...start, workflow_name: 'other' });
    expect(nested.stack).toHaveLength(2);
    expect(await call('abort_workflow', { explanation: 'Not needed' })).toMatchObject({
      aborted_workflow: 'demo/other',
      aborted_step: 'step_d',
      explanation: 'Not needed',
      stack: [{ workflow: 'demo/main' }],
      resumed_workflow: 'demo/main',
      resumed_step: 'step_b',
    });
    await call('finished_step', { outputs: {}, step_id: 'step_b' });
    await call('finished_step', { outputs: {}, step_id: 'step_c' });
    expect(await call('finished_step', { outputs: {} })).toMatchObject({
      status: 'workflow_complete',
      summary: expect.any(String),
      all_outputs: { report: 'report.md' },
      stack: [],
    });
  });

  test('the tools of a team, with the inputs that they are shown with', async () => {
    verifies('TEAM-1', 'TEAM-3');
    const project = newProject({
      '.deepwork/skills/testing/SKILL.md': '---\nname: testing\ndescription: How\n---\nTest it.\n',
      '.sgai/snippets/go/http.go': '// description: A server\npackage main\n',
      'GOAL.md': '---\nflow: |\n  "coordinator" -> "writer"\n---\nWrite.\n',
    });
    const connect = await open(project);
    const coordinator = await connect('coordinator');
    const writer = await connect('writer|opus|high');

    expect(await coordinator('find_skills', { name: '' })).toContain('testing');
    expect(await coordinator('find_skills', { name: 'testing' })).toContain('Test it.');
    expect(await coordinator('find_snippets', { language: '', query: '' })).toContain('go');
    expect(await coordinator('find_snippets', { language: 'go', query: 'http' })).toContain(
      'package main',
    );
    const message = { toAgent: 'writer', body: 'message body' };
    await coordinator('send_message', message);
    expect(await coordinator('check_outbox', {})).toContain('message body');
    expect(await writer('check_inbox', {})).toContain('message body');
    expect(await coordinator('peek_message_bus', {})).toContain('message body');
    const todos = [{ content: 'Write it', status: 'pending', priority: 'high' }];
    await coordinator('project_todowrite', { todos });
    expect(await coordinator('project_todoread', {})).toBe('1 todos\n→ ○ Write it (high)');
    const state = { status: 'agent-done', task: 'Write', addProgress: 'Wrote it' };
    expect(await writer('update_workflow_state', state)).toContain('  Status: agent-done');
    const questions = [{ question: 'Go on?', choices: ['Yes', 'No'], multiSelect: false }];
    expect(await coordinator('ask_user_question', { questions })).toContain('Selected: Yes');
    await coordinator('project_todowrite', { todos: [] });
    expect(await coordinator('update_workflow_state', { status: 'complete' })).toContain(
      '  Status: complete',
    );
  });
});
