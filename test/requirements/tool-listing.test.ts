// The list of tools of the built binary: typed on both sides, the same texts for every client, and
// short, since every agent pays for it before its first call.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { findOperation } from '../../src/operations/table.ts';
import { ERAS } from '../support/calls.ts';
import { type Connection, connect } from '../support/connect.ts';
import { newProject, type Project, REVIEW, writeJob } from '../support/project.ts';
import { FAIL, REVIEW_COMMAND, script } from '../support/reviewer.ts';
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

/** Where a schema leaves open what a value is: its type, or the members of an object. */
function undeclared(schema: Schema, at: string): string[] {
  const { properties = {}, additionalProperties, items, anyOf = [] } = schema;
  const types = [schema.type ?? []].flat();
  const inner: [string, Schema][] = [
    ...anyOf.map((each, index): [string, Schema] => [`${at}|${index}`, each]),
    ...(items === undefined ? [] : [[`${at}[]`, items] as [string, Schema]]),
    ...(additionalProperties ? [[`${at}.*`, additionalProperties] as [string, Schema]] : []),
    ...Object.entries(properties).map(([name, each]): [string, Schema] => [`${at}.${name}`, each]),
  ];
  const isOpen =
    types.length === 0 ||
    (types.includes('array') && items === undefined) ||
    (types.includes('object') && additionalProperties === undefined && anyOf.length === 0);
  return [...(isOpen ? [at] : []), ...inner.flatMap(([place, each]) => undeclared(each, place))];
}

/** Conditions, rules and items, which nest as deep as their authors like. */
const LEFT_OPEN = /\.(runCondition|requireConfirmation|condition|validationCriteria|item\.value)$/;

describe('The list of all tools', () => {
  test('costs an agent at most 2,000 tokens, at four characters each', async () => {
    const tools = await listingFor('coordinator');
    expect(tools).toHaveLength(21);
    const shown = tools.map(
      ({ name, description, inputSchema }) => name + description + JSON.stringify(inputSchema),
    );
    expect(shown.join('').length / 4).toBeLessThanOrEqual(MAX_TOKENS);
  });

  test('declares all that an answer can hold, and of the team tools none', async () => {
    verifies('JOBS-REQ-001.7.1');
    const tools = await listingFor('coordinator');
    const withSchema = tools.filter(({ outputSchema }) => outputSchema !== undefined);
    expect(withSchema).toHaveLength(11);
    for (const { name, outputSchema = {} } of withSchema) {
      expect(name).toMatch(/workflow|step/);
      expect(outputSchema.type, name).toBe('object');
      const open = undeclared(outputSchema, name).filter((place) => !LEFT_OPEN.test(place));
      // A guide is returned as written, and may have fields of other engines.
      expect(open).toEqual(
        name === 'workflow_get' ? ['workflow_get|0', 'workflow_get|0.steps[]'] : [],
      );
    }
  });

  test('takes nothing for an answer that lacks what each holds, and is no whole error', async () => {
    verifies('GUIDE-3');
    const ajv = new Ajv2020({ strictTypes: false });
    for (const { name, outputSchema } of await listingFor('coordinator')) {
      if (outputSchema === undefined) continue;
      const fits = ajv.compile(outputSchema);
      const whole = name.startsWith('workflow_')
        ? { code: -32001, message: 'x', data: { workflowId: 'x' } }
        : { code: 'x', message: 'x', next: null };
      expect(fits({ error: whole }), name).toBe(true);
      for (const part of [{}, { warnings: [] }, { error: {} }, { error: { code: whole.code } }]) {
        expect(fits(part), `${name}: ${JSON.stringify(part)}`).toBe(false);
      }
    }
  });

  test('says what each parameter of jobs and guides is for', async () => {
    const tools = await listingFor('coordinator');
    const silent = tools
      .filter(({ outputSchema }) => outputSchema !== undefined)
      .flatMap(({ name, inputSchema }) =>
        Object.entries(inputSchema.properties ?? {})
          .filter(([, { description }]) => !description)
          .map(([parameter]) => `${name}.${parameter}`),
      );
    expect(silent).toEqual([]);
  });

  test('declares that an optional parameter may be null, as the server takes it', async () => {
    verifies('JOBS-REQ-001.3.3', 'JOBS-REQ-001.4.3');
    const tools = await listingFor('coordinator');
    const empty: Readonly<Record<string, unknown>> = { string: 'x', object: {}, array: [] };
    for (const { name, inputSchema } of tools) {
      const { properties = {}, required = [] } = inputSchema;
      const needed = required.map((each) => [
        each,
        empty[String([properties[each]?.type].flat()[0])],
      ]);
      const fits = new Ajv2020({ strict: false }).compile(inputSchema);
      for (const [parameter, { enum: values }] of Object.entries(properties)) {
        // Models of some clients take only texts as listed values.
        if (required.includes(parameter) || values !== undefined) continue;
        const given = { ...Object.fromEntries(needed), [parameter]: null };
        expect(fits(given), `${name}.${parameter}`).toBe(true);
        expect(() => findOperation(name)?.parse(given), `${name}.${parameter}`).not.toThrow();
      }
    }
  });

  test.each([
    ['coordinator', ['working', 'agent-done', 'complete']],
    ['writer', ['working', 'agent-done']],
  ])('names the statuses that %s may set', async (agent, statuses) => {
    const tools = await listingFor(agent);
    const tool = tools.find(({ name }) => name === 'update_workflow_state');
    expect(tool?.inputSchema.properties?.status?.enum).toEqual(statuses);
  });
});

function projectWithEverything(): Project {
  const project = newProject({ 'a.md': 'A\n', 'b.md': 'B\n', 'c.md': 'C\n' });
  writeJob(
    project,
    'demo',
    {
      a: {
        inputs: [{ name: 'topic', description: 'What it is about' }],
        outputs: {
          report: {
            type: 'file',
            description: 'A report',
            required: true,
            rules: { type: 'contains', value: 'A', message: 'Has an A' },
          },
        },
      },
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
  project.write('.deepwork/workflows/broken.json', '{"id":"broken"}');
  return project;
}

const START = { goal: 'All of it', job_name: 'demo', workflow_name: 'main' };
const REASON = { quality_review_override_reason: 'PASSED' };

/** The client validates each answer against the listed schemas; here its content counts, too. */
async function runEverything({ ok, refused }: Connection): Promise<void> {
  const finish = (args: object) => ok('finished_step', args as Record<string, unknown>);
  expect(await ok('get_active_workflow')).toMatchObject({ active: false });
  const listed = await ok('get_workflows');
  expect(listed.errors).not.toEqual([]);
  await refused('get_workflows', { x: 1 });
  await refused('start_workflow', { ...START, job_name: 'ghost' });
  await refused('start_workflow', { ...START, job_name: 'broken' });
  await refused('finished_step', { outputs: {} });
  await refused('abort_workflow', { explanation: 'Nothing is there' });
  await refused('go_to_step', { step_id: 'a' });
  await refused('validate_step_outputs', { outputs: {} });
  await refused('get_active_workflow', { session_id: 'deadbeef' });

  await ok('start_workflow', START);
  await ok('validate_step_outputs', { outputs: { report: 'b.md' } });
  const rules = await finish({ outputs: { report: 'b.md' } });
  expect(rules).toMatchObject({ status: 'needs_work', failed_criteria: [{ passed: false }] });
  await ok('get_active_workflow');
  await refused('finished_step', { outputs: { other: 'a.md' } });
  const next = await finish({ outputs: { report: 'a.md' }, notes: 'Done' });
  expect(next.begin_step.concurrent_steps).toHaveLength(1);
  expect(await finish({ outputs: { 'b.page': 'b.md' } })).toMatchObject({ status: 'needs_work' });

  // Nested: a guide inside the job, aborted; a job inside it, finished.
  await ok('start_workflow', { ...START, job_name: 'auth-implementation', workflow_name: 'any' });
  await ok('abort_workflow', { explanation: 'Was only looking' });
  const nested = await ok('start_workflow', { ...START, workflow_name: 'short' });
  expect(nested.stack).toHaveLength(2);
  const complete = await finish({ outputs: { page: ['c.md'] } });
  expect(complete).toMatchObject({ status: 'workflow_complete' });

  await finish({ outputs: { 'c.page': ['c.md'] } });
  expect(await finish({ outputs: { last: 'a.md' } })).toMatchObject({ status: 'needs_work' });
  await refused('go_to_step', { step_id: 'ghost' });
  await ok('go_to_step', { step_id: 'd' });
  expect(await ok('get_active_workflow')).toMatchObject({ active: true });
  expect(await finish({ outputs: { last: 'a.md' }, ...REASON })).toMatchObject({
    status: 'workflow_complete',
  });

  const { workflows, errors } = await ok('workflow_list');
  expect(errors).toEqual([expect.objectContaining({ id: 'broken' })]);
  for (const { id } of workflows) {
    const { steps } = await ok('workflow_get', { id });
    const ids: string[] = steps.map((step: { id: string }) => step.id);
    for (let done = 0; done <= ids.length; done++) {
      await ok('workflow_next', { workflowId: id, completedSteps: ids.slice(0, done) });
    }
    for (const stepId of ids) {
      await ok('workflow_validate', { workflowId: id, stepId, output: 'Some text' });
      await ok('workflow_validate', { workflowId: id, stepId, output: '' });
    }
  }
  await ok('workflow_get', { id: 'demo/main' });
  await ok('workflow_next', { workflowId: 'demo/main', completedSteps: ['ghost'] });
  for (const id of ['broken', 'ghost']) {
    await refused('workflow_get', { id });
    await refused('workflow_next', { workflowId: id, completedSteps: [] });
    await refused('workflow_validate', { workflowId: id, stepId: 'x', output: 'x' });
  }
  await refused('workflow_list', { x: 1 });
  await refused('workflow_next', { workflowId: 'demo/main', completedSteps: 'a' });
  await ok('start_workflow', { ...START, job_name: 'auth-implementation', workflow_name: 'any' });
}

test.each(ERAS)('every answer of a full run fits the schema of its tool (%s)', async (era) => {
  verifies('JOBS-REQ-001.7.1', 'GUIDE-3');
  const project = projectWithEverything();
  const server = await connect(project.root, { era, env: { HOME: project.path('home') } });
  await runEverything(server);
});

test('a failed review fits the schema of finished_step', async () => {
  verifies('JOBS-REQ-001.7.1');
  const project = projectWithEverything();
  writeJob(
    project,
    'judged',
    { a: { outputs: { report: 'file' }, reviews: [REVIEW] } },
    { main: ['a'] },
  );
  const criteria_results = [{ criterion: 'good', passed: false, feedback: 'No' }];
  script(project, { answer: { ...FAIL, criteria_results } });
  const server = await connect(project.root, { args: ['--quality-gate', REVIEW_COMMAND] });
  await server.ok('start_workflow', { ...START, job_name: 'judged' });
  const answer = await server.ok('finished_step', { outputs: { report: 'a.md' } });
  expect(answer.failed_reviews).toMatchObject([{ passed: false, criteria_results }]);
});
