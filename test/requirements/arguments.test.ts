// Arguments of the wrong type or size, for every parameter of every tool: each is refused with the
// names of the tool and the parameter, and changes nothing.

import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/answers.ts';
import { type Connection, connect } from '../support/connect.ts';
import { keptState } from '../support/kept-state.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import { deepwork } from '../support/run-command.ts';
import { verifies } from '../verifies.ts';

const TEN_MB = 'x'.repeat(10_000_000);

/** Valid arguments for each tool; the tests replace one at a time. */
const RIGHT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  start_workflow: { goal: 'g', job_name: 'demo', workflow_name: 'main' },
  finished_step: { outputs: { report: 'a.md' } },
  abort_workflow: { explanation: 'Because' },
  go_to_step: { step_id: 'only' },
  get_active_workflow: {},
  validate_step_outputs: { outputs: { report: 'a.md' } },
};

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  start_workflow: ['goal', 'job_name', 'workflow_name'],
  finished_step: ['outputs'],
  abort_workflow: ['explanation'],
  go_to_step: ['step_id'],
  validate_step_outputs: ['outputs'],
};

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  start_workflow: ['goal', 'job_name', 'workflow_name', 'instance_id'],
  finished_step: ['notes', 'quality_review_override_reason', 'session_id', 'step_id'],
  abort_workflow: ['explanation', 'session_id'],
  go_to_step: ['step_id', 'session_id'],
  get_active_workflow: ['session_id'],
  validate_step_outputs: ['session_id', 'step_id'],
};

const pairs = (table: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(table).flatMap(([tool, names]) => names.map((name) => [tool, name] as const));

interface Running {
  readonly project: Project;
  readonly server: Connection;
  /** Calls with one argument replaced; expects it to be named and nothing to change. */
  rejects(tool: string, parameter: string, value: unknown): Promise<void>;
}

async function running(): Promise<Running> {
  const project = newProject({ 'a.md': 'A' });
  writeJob(project, 'demo', { only: { outputs: { report: 'file' } } }, { main: ['only'] });
  const server = await connect(project.root);
  await server.ok('start_workflow', RIGHT.start_workflow);
  const before = keptState(project);
  return {
    project,
    server,
    async rejects(tool, parameter, value) {
      const args = { ...RIGHT[tool], [parameter]: value };
      const answer = await server.call(tool, args);
      expectRefusal(answer, new RegExp(`^Invalid arguments for ${tool}: ${parameter}: \\S`));
      expect(Buffer.byteLength(answer.data.error.message)).toBeLessThanOrEqual(4096);
      expect(keptState(project)).toEqual(before);
    },
  };
}

describe('arguments', () => {
  test('a required parameter that is missing or null is named', async () => {
    verifies('JOBS-REQ-001.4.2', 'JOBS-REQ-001.6.2');
    const { rejects } = await running();
    for (const [tool, parameter] of pairs(REQUIRED)) {
      await rejects(tool, parameter, undefined);
      await rejects(tool, parameter, null);
    }
  });

  test('a value of another type is refused for a text', async () => {
    verifies('JOBS-REQ-001.4.3', 'JOBS-REQ-001.6.2', 'JOBS-REQ-001.6.3');
    const { rejects } = await running();
    for (const [tool, parameter] of pairs(TEXTS)) {
      for (const value of [1, true, ['a'], { a: 1 }]) await rejects(tool, parameter, value);
    }
  });

  test('outputs must be a map or a list, context a map', async () => {
    verifies('JOBS-REQ-001.4.2', 'JOBS-REQ-001.4.3');
    const { rejects } = await running();
    for (const tool of ['finished_step', 'validate_step_outputs']) {
      for (const value of ['a.md', 1, false]) await rejects(tool, 'outputs', value);
    }
    for (const tool of ['start_workflow', 'finished_step']) {
      for (const value of ['a', 1, true, [], [{}]]) await rejects(tool, 'context', value);
    }
  });

  test('a text of 10 MB is refused for every parameter', async () => {
    verifies('JOBS-REQ-001.4.3', 'JOBS-REQ-001.6.2');
    const { rejects } = await running();
    for (const [tool, parameter] of pairs(TEXTS)) await rejects(tool, parameter, TEN_MB);
  });

  test('the limit is 1 MiB for a text and 64 KiB for a context', async () => {
    verifies('JOBS-REQ-001.4.3');
    const { server, rejects } = await running();
    const mebibyte = 1024 * 1024;
    await rejects('finished_step', 'notes', 'é'.repeat(mebibyte / 2 + 1));
    await rejects('finished_step', 'context', { a: 'x'.repeat(64 * 1024) });
    let nested: unknown = 1;
    for (let depth = 0; depth < 1000; depth++) nested = { nested };
    await rejects('start_workflow', 'context', nested);
    const answer = await server.ok('finished_step', {
      outputs: { report: 'a.md' },
      notes: 'é'.repeat(mebibyte / 2),
      context: { a: 'x'.repeat(63 * 1024) },
    });
    expect(answer.status).toBe('workflow_complete');
  });

  test('hostile nesting is a wrong argument, not a fault', async () => {
    verifies('JOBS-REQ-001.4.2', 'JOBS-REQ-001.4.3');
    const { root } = newProject();
    // Written by hand, because no client could serialize it.
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const call = (tool: string, args: string) =>
      `{"jsonrpc":"2.0","id":"${tool}","method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`;
    const clientInfo = { name: 'by-hand', version: '1' };
    const { stdout, code } = await deepwork(['serve', '--path', root], {
      cwd: root,
      input: [
        JSON.stringify({
          jsonrpc: '2.0',
          id: 0,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
        }),
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        call('start_workflow', `{"goal":"g","job_name":"j","workflow_name":"w","context":${deep}}`),
        call('finished_step', `{"outputs":{},"context":${deep}}`),
        '',
      ].join('\n'),
    });
    expect(code).toBe(0);
    const answers = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    for (const tool of ['start_workflow', 'finished_step']) {
      const { result } = answers.find(({ id }) => id === tool);
      expect(result.structuredContent.error.message).toMatch(
        new RegExp(`^Invalid arguments for ${tool}: context: \\S`),
      );
    }
  });

  test('ids of sessions are looked up, never used as paths', async () => {
    verifies('JOBS-REQ-001.4.5', 'JOBS-REQ-001.6.3', 'JOBS-X.22', 'JOBS-X.23');
    const { project, server } = await running();
    project.write('.deepwork/journal/x.jsonl', '{}\n');
    const before = keptState(project);
    const ids = ['../x', '..', '/', '/etc/passwd', 'a/b', '\0', '00000000', 'ABCDEF01', '', '*'];
    const tools = Object.keys(RIGHT).filter((tool) => tool !== 'start_workflow');
    for (const tool of tools) {
      for (const session_id of ids) {
        const answer = await server.call(tool, { ...RIGHT[tool], session_id });
        expectRefusal(answer, `Session '${session_id}' not found in active stack`);
      }
    }
    expect(keptState(project)).toEqual(before);
  });

  test('an id of 1 MB is not found either, in a message of bounded size', async () => {
    verifies('JOBS-REQ-001.4.5');
    const { project, server } = await running();
    const before = keptState(project);
    for (const tool of ['finished_step', 'abort_workflow', 'get_active_workflow']) {
      const answer = await server.call(tool, { ...RIGHT[tool], session_id: 'f'.repeat(1_000_000) });
      expectRefusal(answer, /^Session 'ffff.*not found in active stack/s);
      expect(Buffer.byteLength(answer.data.error.message)).toBeLessThanOrEqual(4096);
    }
    expect(keptState(project)).toEqual(before);
  });
});
