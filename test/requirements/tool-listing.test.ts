// What a client gets: the server's introduction, its list of tools, and what all answers have in
// common, in both protocol eras; and what is logged of its calls.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { findOperation } from '../../src/operations/table.ts';
import { ANSWER_KEYS, expectWhole } from '../support/answers.ts';
import { ERAS, type Era } from '../support/calls.ts';
import { connect } from '../support/connect.ts';
import { newProject, REVIEW, writeJob } from '../support/project.ts';
import { readRefusal } from '../support/refusal.ts';
import { INITIALIZED, initialize, openWire, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';

/** Clients show no output schemas to models. */
const MAX_TOKENS = 2000;

interface Schema {
  readonly type?: string | string[];
  readonly enum?: unknown[];
  readonly description?: string;
  readonly properties?: Record<string, Schema>;
  readonly required?: string[];
  readonly additionalProperties?: Schema | false;
  readonly items?: Schema;
  readonly anyOf?: Schema[];
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema;
}

const listings = new Map<string, Promise<Tool[]>>();

/** One process for each agent. */
function listingFor(agent: string): Promise<Tool[]> {
  const known = listings.get(agent) ?? askForListing(agent);
  listings.set(agent, known);
  return known;
}

async function askForListing(agent: string): Promise<Tool[]> {
  const wire = openWire(newProject().root, undefined, { SGAI_AGENT_IDENTITY: agent });
  wire.send(initialize(1), INITIALIZED, request(2, 'tools/list'));
  const [, listing] = await wire.next(2);
  return listing?.result.tools;
}

/** What every generator of types understands. */
const KEYWORDS = /^(type|enum|properties|required|additionalProperties|items|anyOf|description)$/;

/** Where a schema leaves open what a value is, or says it in a way that few understand. */
function unclear(schema: Schema, at: string): string[] {
  const { properties = {}, additionalProperties, items, anyOf = [] } = schema;
  const types = [schema.type ?? []].flat();
  const inner: [string, Schema][] = [
    ...anyOf.map((each, index): [string, Schema] => [`${at}|${index}`, each]),
    ...(items === undefined ? [] : [[`${at}[]`, items] as [string, Schema]]),
    ...(additionalProperties ? [[`${at}.*`, additionalProperties] as [string, Schema]] : []),
    ...Object.entries(properties).map(([name, each]): [string, Schema] => [`${at}.${name}`, each]),
  ];
  const isUnclear =
    types.length === 0 ||
    (types.includes('array') && items === undefined) ||
    (types.includes('object') && additionalProperties === undefined && anyOf.length === 0) ||
    !Object.keys(schema).every((keyword) => KEYWORDS.test(keyword));
  return [...(isUnclear ? [at] : []), ...inner.flatMap(([place, each]) => unclear(each, place))];
}

/** Conditions, rules and items, which nest as deep as their authors like. */
const LEFT_OPEN = /\.(runCondition|requireConfirmation|condition|validationCriteria|item\.value)$/;

describe('the list of all tools', () => {
  test('costs an agent at most 2,000 tokens, at four characters each', async () => {
    const tools = await listingFor('coordinator');
    expect(tools).toHaveLength(21);
    const shown = tools.map(
      ({ name, description, inputSchema }) => name + description + JSON.stringify(inputSchema),
    );
    expect(shown.join('').length / 4).toBeLessThanOrEqual(MAX_TOKENS);
  });

  test('describes each tool, and each parameter of jobs and guides', async () => {
    for (const { name, description, inputSchema, outputSchema } of await listingFor(
      'coordinator',
    )) {
      expect(name).toMatch(/^[a-z0-9_]{1,30}$/);
      expect(description, name).toBeTruthy();
      expect(Buffer.byteLength(description), name).toBeLessThan(2048);
      expect(inputSchema.type, name).toBe('object');
      if (outputSchema === undefined) continue;
      for (const [parameter, schema] of Object.entries(inputSchema.properties ?? {})) {
        expect(schema.description, `${name}.${parameter}`).toBeTruthy();
      }
    }
  });

  test('declares all that an answer can hold, and of the team tools none', async () => {
    verifies('JOBS-REQ-001.7.1');
    const tools = await listingFor('coordinator');
    const withSchema = tools.filter(({ outputSchema }) => outputSchema !== undefined);
    expect(withSchema).toHaveLength(11);
    for (const { name, outputSchema = {} } of withSchema) {
      expect(name).toMatch(/workflow|step/);
      expect(outputSchema.type, name).toBe('object');
      const open = unclear(outputSchema, name).filter((place) => !LEFT_OPEN.test(place));
      // A guide is returned as written, and may have fields of other engines.
      expect(open).toEqual(
        name === 'workflow_get' ? ['workflow_get|0', 'workflow_get|0.steps[]'] : [],
      );
      const keys = ANSWER_KEYS[name as keyof typeof ANSWER_KEYS] ?? [];
      expect(outputSchema.anyOf?.[0]?.required, name).toEqual(expect.arrayContaining([...keys]));
    }
  });

  test('declares that an optional parameter may be null, as the server takes it', async () => {
    verifies('JOBS-REQ-001.3.3', 'JOBS-REQ-001.4.3');
    const empty: Readonly<Record<string, unknown>> = { string: 'x', object: {}, array: [] };
    for (const { name, inputSchema } of await listingFor('coordinator')) {
      const { properties = {}, required = [] } = inputSchema;
      const typeOf = (parameter: string) => String([properties[parameter]?.type].flat()[0]);
      const needed = Object.fromEntries(required.map((each) => [each, empty[typeOf(each)]]));
      const fits = new Ajv2020({ strict: false }).compile(inputSchema);
      for (const [parameter, { enum: values }] of Object.entries(properties)) {
        // Models of some clients take only texts as listed values.
        if (required.includes(parameter) || values !== undefined) continue;
        const given = { ...needed, [parameter]: null };
        expect(fits(given), `${name}.${parameter}`).toBe(true);
        expect(() => findOperation(name)?.parse(given), `${name}.${parameter}`).not.toThrow();
      }
    }
  });

  test.each([
    ['coordinator', ['working', 'agent-done', 'complete']],
    ['writer', ['working', 'agent-done']],
  ])('names the statuses that %s may set', async (agent, statuses) => {
    const tool = (await listingFor(agent)).find(({ name }) => name === 'update_workflow_state');
    expect(tool?.inputSchema.properties?.status?.enum).toEqual(statuses);
  });
});

const START = { goal: 'All of it', job_name: 'demo', workflow_name: 'main' };
const OTHER = { ...START, job_name: 'auth-implementation', workflow_name: 'any' };

/**
 * Every tool of jobs, with each kind of answer. The client checks each against the schema that its
 * tool lists. Guides have such a run of their own.
 */
const CALLS: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ['get_workflows', {}],
  ['get_workflows', { x: 1 }],
  ['get_active_workflow', {}],
  ['get_active_workflow', { session_id: 'deadbeef' }],
  ['start_workflow', { ...START, job_name: 'ghost' }],
  ['start_workflow', { ...START, job_name: 'broken' }],
  ['finished_step', { outputs: {} }],
  ['abort_workflow', { explanation: 'Nothing is there' }],
  ['go_to_step', { step_id: 'a' }],
  ['validate_step_outputs', { outputs: {} }],

  ['start_workflow', START],
  ['validate_step_outputs', { outputs: { report: 'b.md' } }],
  ['finished_step', { outputs: { report: 'b.md' } }],
  ['get_active_workflow', {}],
  ['finished_step', { outputs: { other: 'a.md' } }],
  ['finished_step', { outputs: { report: 'a.md' }, notes: 'Done' }],
  ['finished_step', { outputs: { 'b.page': 'b.md' } }],
  // Nested: a guide inside the job, aborted; a job inside it, finished.
  ['start_workflow', OTHER],
  ['abort_workflow', { explanation: 'Was only looking' }],
  ['start_workflow', { ...START, workflow_name: 'short' }],
  ['finished_step', { outputs: { page: ['c.md'] } }],
  ['finished_step', { outputs: { 'c.page': ['c.md'] } }],
  ['finished_step', { outputs: { last: 'a.md' } }],
  ['go_to_step', { step_id: 'ghost' }],
  ['go_to_step', { step_id: 'd' }],
  ['get_active_workflow', {}],
  ['finished_step', { outputs: { last: 'a.md' }, quality_review_override_reason: 'PASSED' }],
];

/** All answers in turn, without what differs from run to run. */
async function runEverything(era: Era): Promise<string[]> {
  const project = newProject({ 'a.md': 'A\n', 'b.md': 'B\n', 'c.md': 'C\n' });
  const rules = { type: 'contains', value: 'A', message: 'Has an A' };
  const report = { type: 'file', description: 'A report', required: true, rules };
  writeJob(
    project,
    'demo',
    {
      a: { inputs: [{ name: 'topic', description: 'What it is about' }], outputs: { report } },
      b: {
        dependencies: ['a'],
        inputs: [{ file: 'report', from_step: 'a' }],
        outputs: { page: 'file', more: 'files?' },
      },
      c: { outputs: { page: 'files' } },
      d: { outputs: { last: 'file' }, reviews: [REVIEW] },
    },
    { main: ['a', ['b', 'c'], 'd'], short: ['c'] },
  );
  project.write('.deepwork/jobs/broken/job.yml', 'name: 7\n');
  const server = await connect(project.root, { era, env: { HOME: project.path('home') } });
  const seen: string[] = [];
  const ids: string[] = [];
  for (const [tool, args] of CALLS) {
    const answer = await server.call(tool, args);
    if (answer.isError) readRefusal(answer);
    else expectWhole(tool as keyof typeof ANSWER_KEYS, answer);
    const id: string | undefined = answer.data.begin_step?.session_id;
    if (id !== undefined && !ids.includes(id)) ids.push(id);
    const text = ids
      .reduce((all, each, nth) => all.replaceAll(each, `<session ${nth}>`), JSON.stringify(answer))
      .replaceAll(project.root, '<root>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
    seen.push(`${tool} ${text}`);
  }
  return seen;
}

describe('both protocol eras', () => {
  test('get the same answer to every call, whole, in text and in structure', async () => {
    verifies('JOBS-REQ-001.7.1', 'JOBS-REQ-001.7.2', 'GUIDE-3');
    const [first = [], second] = await Promise.all(ERAS.map(runEverything));
    expect(second).toEqual(first);
    const statuses = first.flatMap((text) => /"data":\{"status":"(\w+)"/.exec(text)?.[1] ?? []);
    expect(new Set(statuses)).toEqual(new Set(['needs_work', 'next_step', 'workflow_complete']));
    for (const tool of Object.keys(ANSWER_KEYS)) {
      const answers = first.filter((text) => text.startsWith(`${tool} `));
      expect(
        answers.some((text) => text.includes('"isError":true')),
        tool,
      ).toBe(true);
      expect(
        answers.some((text) => text.includes('"isError":false')),
        tool,
      ).toBe(true);
    }
  });

  test('get the same introduction and the same list of tools', async () => {
    verifies('JOBS-REQ-001.1.10', 'JOBS-REQ-001.1.11');
    const { root } = newProject();
    const clients = await Promise.all(
      ERAS.map(async (era) => (await connect(root, { era, args: ['--tools', 'jobs'] })).client),
    );
    const stages = 'Discover Start Execute Checkpoint Iterate Continue Complete'.split(' ');
    for (const client of clients) {
      expect(client.getServerVersion()?.name).toBe('deepwork');
      const instructions = client.getInstructions() ?? '';
      const places = stages.map((stage) => instructions.indexOf(stage));
      expect(places).not.toContain(-1);
      expect(places, 'in the order of the work').toEqual([...places].sort((a, b) => a - b));
      // Clients truncate longer texts.
      expect(Buffer.byteLength(instructions)).toBeLessThan(2048);
    }
    const lists = await Promise.all(clients.map(async (each) => (await each.listTools()).tools));
    expect(lists[1]).toEqual(lists[0]);
    const names = lists[0]?.map(({ name }) => name);
    expect(names).toEqual(Object.keys(ANSWER_KEYS).toSorted());
  });
});

test('the log names tool, outcome, agent, session and stack of every call in one form', async () => {
  verifies('JOBS-REQ-001.1.12');
  const project = newProject();
  writeJob(project, 'demo', { a: { outputs: { notes: 'file' } } }, { main: ['a'] });
  const server = await connect(project.root, { args: ['--agent', 'writer|opus'] });
  const call = (tool: string, args = {}) => server.call(tool, args);
  const start = { goal: 'Try it', job_name: 'demo', workflow_name: 'main' };
  const outer = (await call('start_workflow', start)).data.begin_step.session_id;
  const inner = (await call('start_workflow', start)).data.begin_step.session_id;
  await call('start_workflow', { ...start, job_name: 'ghost' });
  await call('validate_step_outputs', { outputs: {} });
  await call('finished_step', { outputs: {}, session_id: 'ghost' });
  await call('abort_workflow', { explanation: 'Enough' });
  await call('check_inbox');
  await call('check_inbox', { surplus: 1 });
  await server.client.callTool({ name: 'no tool' }).catch(() => {});
  const form =
    /^\S+Z deepwork (\S+|"no tool") (\S+) [\d.]+ms agent=writer\|opus session=(\S+) stack=\[(.*)\]$/;
  await expect.poll(() => server.log().split('\n').length).toBeGreaterThan(9);
  const lines = server.log().trimEnd().split('\n');
  const levels = (stack = '') => stack.match(/demo\/main\S*\ba\b/g)?.length ?? 0;
  const said = lines.map((line) => {
    const [, tool, outcome, session, stack] = form.exec(line) ?? [line];
    return [tool, outcome, session, levels(stack)];
  });
  expect(said).toEqual([
    ['start_workflow', 'ok', outer, 1],
    ['start_workflow', 'ok', inner, 2],
    ['start_workflow', 'job_not_found', '-', 2],
    ['validate_step_outputs', 'invalid', inner, 2],
    ['finished_step', 'session_not_found', 'ghost', 2],
    ['abort_workflow', 'ok', inner, 1],
    ['check_inbox', 'ok', '-', 1],
    ['check_inbox', 'invalid_arguments', '-', 1],
    ['"no tool"', '-32602', '-', 1],
  ]);
});
