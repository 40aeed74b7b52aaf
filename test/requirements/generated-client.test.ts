// A client that was generated from the list of tools: its types are all that its author knows of
// deepwork. It compiles, the compiler finds wrong uses, and it runs a workflow on the built server.

import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { BINARY, connect } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';
import { verifies } from '../verifies.ts';

const execute = promisify(execFile);
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const KNOWN = /^(type|enum|properties|required|additionalProperties|items|anyOf|description)$/;

/** As TypeScript. */
function typeOf(schema: Schema): string {
  const strange = Object.keys(schema).filter((keyword) => !KNOWN.test(keyword));
  if (strange.length > 0) throw new Error(`No type for ${strange} in ${JSON.stringify(schema)}`);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  return [schema.type ?? []]
    .flat()
    .map((name) => typeNamed(name, schema))
    .join(' | ');
}

function typeNamed(name: string, schema: Schema): string {
  const { properties, required = [], additionalProperties, items } = schema;
  if (/^(string|boolean|null)$/.test(name)) return name;
  if (/^(number|integer)$/.test(name)) return 'number';
  if (name === 'array') return items === undefined ? 'unknown[]' : `(${typeOf(items)})[]`;
  if (name !== 'object') throw new Error(`No type for ${name} in ${JSON.stringify(schema)}`);
  if (properties !== undefined) {
    const members = Object.entries(properties).map(
      ([member, each]) => `${member}${required.includes(member) ? '' : '?'}: ${typeOf(each)};`,
    );
    return `{ ${members.join(' ')} }`;
  }
  return `Record<string, ${additionalProperties ? typeOf(additionalProperties) : 'unknown'}>`;
}

interface Tool {
  readonly name: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema;
}

function clientFor(tools: readonly Tool[]): string {
  const given = tools.map(({ name, inputSchema }) => `  ${name}: ${typeOf(inputSchema)};`);
  const answers = tools.map(
    ({ name, outputSchema }) =>
      `  ${name}: ${outputSchema === undefined ? 'string' : typeOf(outputSchema)};`,
  );
  return `import type { Client } from '@modelcontextprotocol/client';
export interface Given {\n${given.join('\n')}\n}
export interface Answers {\n${answers.join('\n')}\n}
export async function call<Tool extends keyof Given>(
  client: Client, name: Tool, given: Given[Tool],
): Promise<Answers[Tool]> {
  const { structuredContent, content } = await client.callTool({ name, arguments: { ...given } });
  const [block] = content;
  return (structuredContent ?? (block?.type === 'text' ? block.text : '')) as Answers[Tool];
}
`;
}

const PROGRAM = `
import { writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Answers, call } from './tools.js';

const client = new Client({ name: 'generated', version: '1' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: process.argv.slice(2) }));
// From now on the client checks each answer against the schema of its tool.
await client.listTools();

function whole<A extends object>(answer: A): Exclude<A, { error: object }> {
  if ('error' in answer) throw new Error(JSON.stringify(answer.error));
  return answer as Exclude<A, { error: object }>;
}

type BeginStep = Extract<Answers['start_workflow'], { begin_step: unknown }>['begin_step'];
const did: string[] = [];

function describe({ step_id, item, loop, concurrent_steps, step_reports = [] }: BeginStep): string {
  const others = concurrent_steps.map((step) => step.step_id).join('+');
  const reports = step_reports.map(({ name, type }) => name + ':' + type).join(',');
  return [step_id, item && item.index + ' of ' + item.of, loop && 'pass ' + loop.pass, others, reports]
    .filter(Boolean).join(' ');
}

async function finish(step: BeginStep): Promise<Record<string, string | string[]> | null> {
  did.push(describe(step));
  const expected = [step, ...step.concurrent_steps].flatMap((each) => each.step_expected_outputs);
  const outputs = Object.fromEntries(
    expected.map(({ name, type }) => [name, type === 'file' ? 'list.json' : ['list.json']]),
  );
  const context = Object.fromEntries((step.step_reports ?? []).map(({ name }) => [name, step.loop?.pass === 2]));
  const given = { outputs, context, notes: null };
  const answer = whole(await call(client, 'finished_step', given));
  switch (answer.status) {
    case 'needs_work':
      if (answer.reason !== 'rules') throw new Error(answer.feedback ?? 'No feedback');
      did.push('lacks: ' + answer.failed_criteria?.map(({ criterion }) => criterion));
      writeFileSync('list.json', '["x", "y"]');
      return finish(step);
    case 'next_step':
      if (answer.begin_step === null) throw new Error('No step');
      return finish(answer.begin_step);
    case 'workflow_complete':
      return answer.all_outputs;
  }
}

const { jobs } = whole(await call(client, 'get_workflows', {}));
const start = { goal: 'Try it', job_name: jobs[0]?.name ?? '', workflow_name: 'main', inputs: { size: 2 } };
const { begin_step, stack } = whole(await call(client, 'start_workflow', { ...start, instance_id: null }));
const outputs = await finish(begin_step);
const refused = await call(client, 'go_to_step', { step_id: 'list' });
const guide = whole(await call(client, 'workflow_next', { workflowId: 'auth-implementation', completedSteps: [] }));
const inbox: string = await call(client, 'check_inbox', {});

// @ts-expect-error: a goal is a text
() => call(client, 'start_workflow', { ...start, goal: 7 });
// @ts-expect-error: it may be a failure
(answer: Answers['start_workflow']) => answer.begin_step;
// @ts-expect-error: there is no such member
() => begin_step.step_name;
// @ts-expect-error: only in a for_each
() => begin_step.item.index;
// @ts-expect-error: a step may be the last
() => guide.step.id;

console.log(JSON.stringify({
  did, outputs, inbox, size: begin_step.inputs?.size, stack: stack.map(({ step }) => step),
  refused: 'error' in refused ? refused.error.code : null, guide: guide.step?.id,
}));
await client.close();
`;

test('a client generated from the list of tools compiles and runs a workflow', async () => {
  verifies('JOBS-REQ-001.7.1', 'GUIDE-3');
  const project = newProject({ 'list.json': '[]' });
  const wanted = { type: 'contains', value: 'x', message: 'Has an x' };
  writeJob(
    project,
    'demo',
    {
      list: {
        outputs: {
          items: { type: 'file', description: 'A list', required: true, rules: [wanted] },
        },
      },
      each: { outputs: { pages: 'files' } },
      fix: { reports: { done: { type: 'boolean', description: 'Is it?' } } },
      one: { outputs: { page: 'file' } },
      two: { outputs: { page: 'file' } },
    },
    {},
    {
      workflows: [
        {
          name: 'main',
          summary: 'All of it',
          inputs: { size: { description: 'How large', type: 'number' } },
          steps: [
            'list',
            { for_each: { name: 'all', items: 'list.items', step: 'each' } },
            { loop: { name: 'until', steps: ['fix'], until: { when: { var: 'done' } }, max: 5 } },
            ['one', 'two'],
          ],
        },
      ],
    },
  );
  symlinkSync(MODULES, project.path('node_modules'));
  project.write('package.json', '{ "type": "module" }');
  const { client } = await connect(project.root);
  const { tools } = await client.listTools();
  project.write('tools.ts', clientFor(tools as readonly Tool[]));
  project.write('program.ts', PROGRAM);
  const flags =
    '--strict --noUncheckedIndexedAccess --skipLibCheck --target es2023 --module nodenext';
  const how = [...flags.split(' '), '--types', 'node', '--ignoreConfig', 'program.ts'];
  const compiled = await execute(process.execPath, [`${MODULES}/typescript/bin/tsc`, ...how], {
    cwd: project.root,
  }).catch((error) => error);
  expect(compiled.stdout).toBe('');

  const server = [BINARY, 'serve', '--path', project.root];
  const ran = await execute(process.execPath, ['program.js', ...server], { cwd: project.root });
  expect(JSON.parse(ran.stdout)).toEqual({
    did: [
      'list',
      'lacks: Has an x',
      'list',
      'each#1 1 of 2 each#2',
      'fix pass 1 done:boolean',
      'fix pass 2 done:boolean',
      'one two',
    ],
    outputs: {
      items: 'list.json',
      'each#1.pages': ['list.json'],
      'each#2.pages': ['list.json'],
      'one.page': 'list.json',
      'two.page': 'list.json',
    },
    inbox: 'You have no messages.',
    size: 2,
    stack: ['list'],
    refused: 'no_session',
    guide: 'survey-application',
  });
});
