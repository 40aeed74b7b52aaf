// Arguments of the wrong type or size, for every parameter of every tool: each is refused with the
// name of the parameter, and changes nothing.

import { expect, test } from 'vitest';
import { connect } from '../support/connect.ts';
import { newProject, writeJob } from '../support/project.ts';
import { refusedUnchanged } from '../support/refusal.ts';
import { deepwork } from '../support/run-command.ts';
import { initialize, request } from '../support/wire.ts';
import { verifies } from '../verifies.ts';

/** Valid arguments for each tool; the tests replace one at a time. */
const RIGHT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  start_workflow: { goal: 'g', job_name: 'demo', workflow_name: 'main' },
  finished_step: { outputs: { report: 'a.md' } },
  abort_workflow: { explanation: 'Because' },
  go_to_step: { step_id: 'only' },
  get_active_workflow: {},
  validate_step_outputs: { outputs: { report: 'a.md' } },
};

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  start_workflow: ['goal', 'job_name', 'workflow_name', 'instance_id'],
  finished_step: ['notes', 'quality_review_override_reason', 'session_id', 'step_id'],
  abort_workflow: ['explanation', 'session_id'],
  go_to_step: ['step_id', 'session_id'],
  get_active_workflow: ['session_id'],
  validate_step_outputs: ['session_id', 'step_id'],
};

const TOO_LONG = 'é'.repeat(512 * 1024 + 1);

async function running() {
  const project = newProject({ 'a.md': 'A' });
  writeJob(project, 'demo', { only: { outputs: { report: 'file' } } }, { main: ['only'] });
  const server = await connect(project.root);
  await server.ok('start_workflow', RIGHT.start_workflow);
  return {
    project,
    server,
    /** Calls with one argument replaced: refused, named, and nothing changes. */
    async rejects(tool: string, parameter: string, ...values: readonly unknown[]) {
      for (const value of values) {
        const args = { ...RIGHT[tool], [parameter]: value };
        const { code, message } = await refusedUnchanged(project, server, tool, args);
        expect(code).toBe('invalid_arguments');
        expect(message).toMatch(new RegExp(`${tool}: ${parameter}: \\S`));
        expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
      }
    },
  };
}

test('a parameter that is required must be given, and a text be a text of at most 1 MiB', async () => {
  verifies('JOBS-REQ-001.3.2', 'JOBS-REQ-001.3.3', 'JOBS-REQ-001.4.2', 'JOBS-REQ-001.4.3');
  verifies('JOBS-REQ-001.6.2', 'JOBS-REQ-001.6.3', 'JOBS-X.4');
  const { rejects } = await running();
  for (const [tool, right] of Object.entries(RIGHT)) {
    for (const parameter of Object.keys(right)) await rejects(tool, parameter, undefined, null);
    for (const parameter of TEXTS[tool] ?? []) {
      await rejects(tool, parameter, 1, true, ['a'], { a: 1 }, TOO_LONG);
    }
    await rejects(tool, 'surplus', 'x', null);
    await rejects(tool, 'constructor', {});
  }
});

test('outputs must be a map or a list, context a map of limited size and depth', async () => {
  verifies('JOBS-REQ-001.4.2', 'JOBS-REQ-001.4.3');
  const { server, rejects } = await running();
  for (const tool of ['finished_step', 'validate_step_outputs']) {
    await rejects(tool, 'outputs', 'a.md', 1, false);
  }
  let nested: unknown = 1;
  for (let depth = 0; depth < 1000; depth++) nested = { nested };
  for (const tool of ['start_workflow', 'finished_step']) {
    await rejects(tool, 'context', 'a', 1, true, [], [{}], { a: 'x'.repeat(64 * 1024) }, nested);
  }
  const answer = await server.ok('finished_step', {
    outputs: { report: 'a.md' },
    notes: TOO_LONG.slice(1),
    context: { a: 'x'.repeat(63 * 1024) },
  });
  expect(answer.status).toBe('workflow_complete');
});

test('hostile nesting is a wrong argument, not a fault', async () => {
  verifies('JOBS-REQ-001.4.2', 'JOBS-REQ-001.4.3');
  const { root } = newProject();
  // Put in as text, because no client could serialize it.
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const tools = ['start_workflow', 'finished_step'];
  const calls = tools.map((name) =>
    JSON.stringify(
      request(name, 'tools/call', { name, arguments: { ...RIGHT[name], context: 0 } }),
    ).replace('"context":0', `"context":${deep}`),
  );
  const { stdout, code } = await deepwork(['serve', '--path', root], {
    cwd: root,
    input: `${[JSON.stringify(initialize(0)), ...calls].join('\n')}\n`,
  });
  expect(code).toBe(0);
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const tool of tools) {
    const { error } = answers.find(({ id }) => id === tool).result.structuredContent;
    expect(error.code).toBe('invalid_arguments');
    expect(error.message).toContain(`${tool}: context: `);
  }
});

test('ids of sessions are looked up, never used as paths', async () => {
  verifies('JOBS-REQ-001.4.5', 'JOBS-REQ-001.6.3', 'JOBS-X.22', 'JOBS-X.23');
  const { project, server } = await running();
  project.write('.deepwork/journal/x.jsonl', '{}\n');
  const paths = ['../x', '..', '/', '/etc/passwd', 'a/b', '\0', '00000000', 'ABCDEF01', '', '*'];
  const { start_workflow: _, ...others } = RIGHT;
  for (const [tool, args] of Object.entries(others)) {
    for (const session_id of [...paths, 'f'.repeat(1_000_000)]) {
      const given = { ...args, session_id };
      const { code, message } = await refusedUnchanged(project, server, tool, given);
      expect([tool, code]).toEqual([tool, 'session_not_found']);
      expect(message).toContain(session_id.slice(0, 100));
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
    }
  }
});
