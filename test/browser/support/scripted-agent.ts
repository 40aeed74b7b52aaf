// An agent that does what a test says, over MCP, at the server that the page belongs to.

import { expect } from 'vitest';
import { connectOverHttp } from '../../support/http.ts';
import { newProject, type Project, writeJob } from '../../support/project.ts';

export interface ScriptedAgent {
  /** The id of the session. */
  start(workflow: string, goal: string): Promise<string>;
  /** The whole answer to a submission, as JSON. */
  submit(outputs: Readonly<Record<string, string>>): Promise<Readonly<Record<string, unknown>>>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

export async function connectAgent(url: string, name?: string): Promise<ScriptedAgent> {
  const headers: Record<string, string> =
    name === undefined ? {} : { 'x-sgai-agent-identity': name };
  const client = await connectOverHttp(url, { headers });
  async function call(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
    const { content } = await client.callTool({ name, arguments: { ...args } });
    return (content[0] as { text: string }).text;
  }
  return {
    call,
    async start(workflow, goal) {
      const [job_name, workflow_name] = workflow.split('/');
      const text = await call('start_workflow', { job_name, workflow_name, goal });
      const { begin_step } = JSON.parse(text) as { begin_step: { session_id: string } };
      expect(begin_step.session_id).toBeTypeOf('string');
      return begin_step.session_id;
    },
    async submit(outputs) {
      return JSON.parse(await call('finished_step', { outputs }));
    },
  };
}

/** Three steps; the report of the second has to name its sources. */
export function projectWithJob(): Project {
  const project = newProject();
  const report = {
    type: 'file',
    description: 'What was found',
    required: true,
    rules: [{ type: 'contains', value: 'Sources', message: 'The report must name its Sources.' }],
  };
  writeJob(
    project,
    'study',
    {
      gather: { outputs: { notes: 'file' } },
      report: { outputs: { report } },
      publish: { outputs: {} },
    },
    { main: ['gather', 'report', 'publish'], short: ['gather'] },
  );
  project.write('notes.md', '# Notes\n');
  project.write('report.md', '# Report\n\nIt is so.\n');
  return project;
}
