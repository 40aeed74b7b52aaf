// Requests for guides: the same over every route, with or without a handshake, and every kind of
// failure with its code and data.

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { ERAS } from '../support/calls.ts';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import {
  INITIALIZED,
  initialize,
  openSpeakingWireInProcess,
  openWireInProcess,
  type Reply,
  request,
} from '../support/wire.ts';
import { verifies } from '../verifies.ts';
import { FOLDER, guideProject, oneStep, step, withCriteria, workflow } from './guide-project.ts';
import { EVERY_WAY, openGuides } from './ways.ts';

const RULE = { type: 'contains', value: 'x', message: 'Say x' };
const NEXT = { workflowId: 'demo', completedSteps: [] };
const VALIDATE = { workflowId: 'demo', stepId: 'first', output: 'x' };

function demo(): Project {
  return guideProject({
    demo: oneStep('demo', { validationCriteria: RULE }),
    broken: workflow({ id: 'broken', loop: 1 }),
    'bad-rule': withCriteria('bad-rule', { type: 'regex', pattern: '(', message: 'm' }),
    slow: withCriteria('slow', [RULE, { type: 'regex', pattern: '^(a+)+$', message: 'm' }]),
  });
}

/** Also with files that cannot be read. */
function unreadable(): Project {
  const project = demo();
  mkdirSync(project.path(`${FOLDER}/a-folder.json`));
  execFileSync('mkfifo', [project.path(`${FOLDER}/pipe.json`)]);
  symlinkSync('nowhere.json', project.path(`${FOLDER}/dangling.json`));
  symlinkSync('circle.json', project.path(`${FOLDER}/circle.json`));
  symlinkSync(project.write('outside.json', '{}'), project.path(`${FOLDER}/leaving.json`));
  return project;
}

/** Sends one request at a time. */
async function openReplies(project = demo()) {
  const wire = await openWireInProcess(project.root);
  return {
    wire,
    async reply(method: string, params?: unknown): Promise<Reply> {
      wire.send(request(1, method, params));
      return (await wire.next(1))[0] as Reply;
    },
  };
}

describe('a call', () => {
  test('gives the same over every route, in either era', async () => {
    verifies('GUIDE-1');
    const { ok, fails } = await openGuides(demo(), {}, EVERY_WAY);
    const { workflows, errors } = await ok('workflow_list');
    expect(workflows).toContainEqual(expect.objectContaining({ id: 'demo' }));
    expect(errors.map(({ id }: { id: string }) => id)).toEqual(['bad-rule', 'broken']);
    expect(await ok('workflow_get', { id: 'demo' })).toMatchObject({ id: 'demo' });
    expect(await ok('workflow_next', NEXT)).toMatchObject({ step: { id: 'first' } });
    const wrong = { ...VALIDATE, output: 'y' };
    expect(await ok('workflow_validate', wrong)).toMatchObject({ valid: false });
    expect(await fails('workflow_get', { id: 'ghost' })).toMatchObject({ code: -32001 });
  });

  test('is answered before, without and after a handshake, on one wire with tool calls', async () => {
    verifies('GUIDE-1');
    const { wire, reply } = await openReplies();
    const { result } = await reply('workflow_next', NEXT);
    expect(result).toMatchObject({ step: { id: 'first' } });
    wire.send(initialize('hello'), request('meanwhile', 'workflow_next', NEXT), INITIALIZED);
    const replies = await wire.next(2);
    expect(replies.map(({ id }) => id).sort()).toEqual(['hello', 'meanwhile']);
    expect((await reply('workflow_next', NEXT)).result).toEqual(result);
    const tool = await reply('tools/call', { name: 'workflow_next', arguments: NEXT });
    expect(tool.result).toMatchObject({
      structuredContent: result,
      content: [{ type: 'text', text: JSON.stringify(result) }],
    });
  });

  test('of any method may carry `_meta`, which must be an object', async () => {
    verifies('GUIDE-1', 'GUIDE-3');
    const { reply } = await openReplies();
    for (const [method, params] of [
      ['workflow_list', {}],
      ['workflow_get', { id: 'demo' }],
      ['workflow_next', NEXT],
      ['workflow_validate', VALIDATE],
      ['initialize', initialize(1).params],
      ['ping', {}],
      ['tools/list', {}],
      ['tools/call', { name: 'workflow_list', arguments: {} }],
      ['prompts/list', {}],
      ['prompts/get', { name: 'demo', arguments: { goal: 'x' } }],
    ] as const) {
      const plain = await reply(method, params);
      expect(plain.error, method).toBeUndefined();
      for (const _meta of [{}, { progressToken: 7, 'example.org/trace': { id: 1 } }, null]) {
        expect(await reply(method, { ...params, _meta }), method).toEqual(plain);
      }
      for (const [_meta, field] of [
        [7, '_meta'],
        [[], '_meta'],
        [{ progressToken: {} }, 'progressToken'],
      ] as const) {
        const { error } = await reply(method, { ...params, _meta });
        expect(error, method).toMatchObject({ code: -32602, data: { field } });
      }
    }
  });

  test('of the list takes no params, however they are omitted', async () => {
    verifies('GUIDE-2');
    const { reply } = await openReplies();
    const { result } = await reply('workflow_list');
    expect(result.workflows.length).toBeGreaterThan(3);
    for (const params of [null, {}]) {
      expect((await reply('workflow_list', params)).result).toEqual(result);
    }
    for (const params of [[], [1], 'text', 7, true, { page: 2 }]) {
      const { error } = await reply('workflow_list', params);
      const field = Array.isArray(params) || typeof params !== 'object' ? 'params' : 'page';
      expect(error).toMatchObject({ code: -32602, data: { field } });
    }
  });

  test('of one guide takes its id by either name', async () => {
    verifies('GUIDE-2');
    const { ok, fails } = await openGuides(demo());
    const whole = oneStep('demo', { validationCriteria: RULE });
    for (const params of [
      { id: 'demo' },
      { workflowId: 'demo' },
      { id: 'demo', workflowId: 'demo' },
      { id: null, workflowId: 'demo' },
    ]) {
      expect(await ok('workflow_get', params)).toEqual(whole);
    }
    const two = await fails('workflow_get', { id: 'demo', workflowId: 'other' });
    expect(two).toMatchObject({ code: -32602, data: { field: 'workflowId' } });
    for (const params of [{}, { id: null }]) {
      expect((await fails('workflow_get', params)).data).toMatchObject({ field: 'id' });
    }
  });
});

describe('a failure', () => {
  test('has its code, its words and its data', async () => {
    verifies('GUIDE-3');
    const project = unreadable();
    const file = (name: string) => project.path(`${FOLDER}/${name}.json`);
    const { fails } = await openGuides(project);
    const wrong = { field: 'id', reason: 'must be a string' };
    const problems = [{ line: 13, column: 3, path: '/loop', message: 'Not supported: loop' }];
    const invalid = { workflowId: 'broken', file: file('broken'), problems };
    const ghost = { workflowId: 'demo', stepId: 'ghost' };
    const ruleOf = (workflowId: string) => ({ workflowId, stepId: 'first' });
    const output = `${'a'.repeat(40)}!`;
    const slow = { rule: '/validationCriteria/1', reason: 'took longer than 100 ms' };
    const bad = { rule: '/validationCriteria', reason: expect.any(String) };
    const stored = (id: string) => ({ workflowId: id, file: file(id) });
    const next = { completedSteps: [], currentStep: 'ghost' };
    for (const [method, params, code, message, data] of [
      ['workflow_get', { id: 7 }, -32602, 'Invalid params: id must be a string', wrong],
      ['workflow_get', { id: 'ghost' }, -32001, 'Workflow not found', { workflowId: 'ghost' }],
      ['workflow_get', { id: 'broken' }, -32002, 'Invalid workflow', invalid],
      ['workflow_next', { workflowId: 'broken', ...next }, -32002, 'Invalid workflow', invalid],
      ['workflow_validate', { ...ghost, output: 'x' }, -32003, 'Step not found', ghost],
      [
        'workflow_validate',
        { ...ruleOf('bad-rule'), output },
        -32004,
        'Validation error',
        { ...ruleOf('bad-rule'), ...bad },
      ],
      [
        'workflow_validate',
        { ...ruleOf('slow'), output },
        -32004,
        'Validation error',
        { ...ruleOf('slow'), ...slow },
      ],
      ...['a-folder', 'dangling', 'pipe', 'circle'].map(
        (id) => ['workflow_get', { id }, -32006, 'Storage error', stored(id)] as const,
      ),
      ['workflow_get', { id: 'leaving' }, -32007, 'Security error', stored('leaving')],
    ] as const) {
      expect(await fails(method, params)).toEqual({ code, message, data });
    }
  });

  test('is described to a model in words, with the next move', async () => {
    verifies('GUIDE-3');
    const project = unreadable();
    const { call } = await connect(project.root);
    const ghost = { ...VALIDATE, stepId: 'ghost' };
    for (const [tool, params, message, ...named] of [
      ['workflow_get', { id: 7 }, 'Invalid params: id must be a string', 'id'],
      ['workflow_get', { id: 'ghost' }, 'Workflow not found', 'ghost', 'demo'],
      ['workflow_get', { id: 'broken' }, 'Invalid workflow', '(line 13, column 3)', 'broken.json'],
      ['workflow_validate', ghost, 'Step not found', 'ghost', 'first'],
      [
        'workflow_validate',
        { ...VALIDATE, workflowId: 'bad-rule' },
        'Validation error',
        '/validationCriteria',
        "'first'",
      ],
      ['workflow_get', { id: 'dangling' }, 'Storage error', 'dangling.json'],
      ['workflow_get', { id: 'leaving' }, 'Security error', 'leaving.json'],
    ] as const) {
      const { text } = await call(tool, params);
      const lines = text.split('\n');
      expect([lines[0], lines.at(-1)]).toEqual([message, expect.stringMatching(/^Next: /)]);
      for (const name of named) expect(text).toContain(name);
      // What to use or mend is in the next move.
      expect(lines.at(-1)).toContain(named.at(-1));
    }
  });

  test('names the parameter that does not fit', async () => {
    verifies('GUIDE-3', 'GUIDE-23');
    const { fails } = await openGuides(demo());
    for (const [method, params, field] of [
      ['workflow_next', { completedSteps: [] }, 'workflowId'],
      ['workflow_next', { ...NEXT, workflowId: '' }, 'workflowId'],
      ['workflow_next', { ...NEXT, workflowId: 'x'.repeat(2000) }, 'workflowId'],
      ['workflow_next', { ...NEXT, completedSteps: ['a', 'b', 3] }, 'completedSteps[2]'],
      ['workflow_next', { ...NEXT, currentStep: 1 }, 'currentStep'],
      ['workflow_next', { ...NEXT, context: [] }, 'context'],
      ['workflow_next', { ...NEXT, stepId: 'first' }, 'stepId'],
      ['workflow_validate', { ...VALIDATE, output: undefined }, 'output'],
      ['workflow_validate', { ...VALIDATE, output: { a: 1 } }, 'output'],
      ['workflow_validate', { ...VALIDATE, output: null }, 'output'],
      ['workflow_validate', { ...VALIDATE, stepId: undefined }, 'stepId'],
      ['workflow_validate', { ...VALIDATE, context: 'x' }, 'context'],
      ['workflow_validate', { ...VALIDATE, outputName: 'ghost' }, 'outputName'],
    ] as const) {
      const { code, message, data } = await fails(method, params);
      expect([code, data.field]).toEqual([-32602, field]);
      expect(message).toBe(`Invalid params: ${field} ${data.reason}`);
    }
  });

  test.each(ERAS)('fits the output schema that its tool declares (%s)', async (era) => {
    verifies('GUIDE-3');
    const { client, call } = await connect(demo().root, { era });
    const { tools } = await client.listTools();
    for (const [name, good, bad] of [
      ['workflow_list', {}, { x: 1 }],
      ['workflow_get', { id: 'demo' }, { id: 'ghost' }],
      ['workflow_next', NEXT, {}],
      ['workflow_validate', VALIDATE, {}],
    ] as const) {
      const schema = tools.find((tool) => tool.name === name)?.outputSchema;
      const fits = new Ajv2020().compile(schema ?? { not: {} });
      for (const [args, isError] of [
        [good, false],
        [bad, true],
      ] as const) {
        const answer = await call(name, args);
        expect([answer.isError, fits(answer.data)], name).toEqual([isError, true]);
      }
      const nonsense = { id: 7, workflows: 7, step: 7, valid: 7 };
      expect(fits(nonsense), `${name} admits anything`).toBe(false);
    }
  });
});

describe('frames', () => {
  test('without an id are not answered; with an invalid one, or of no kind, they are refused', async () => {
    verifies('GUIDE-3', 'GUIDE-4');
    const wire = await openSpeakingWireInProcess(demo().root);
    wire.send(
      { jsonrpc: '2.0', method: 'workflow_list', params: null },
      { jsonrpc: '2.0', method: 'workflow_get', params: { id: 'ghost' } },
      { jsonrpc: '2.0', method: 'no_such_method' },
    );
    const refused = { id: null, error: { code: -32600 } };
    for (const id of ['{}', '[]', 'null', 'true', '1e400']) {
      wire.write(`{"jsonrpc":"2.0","id":${id},"method":"workflow_list","params":null}\n`);
      expect((await wire.next(1))[0]).toMatchObject(refused);
    }
    for (const id of ['', 'x', 0, -1, 1.5]) {
      wire.send(request(id, 'workflow_list', null));
      expect((await wire.next(1))[0]).toMatchObject({ id, result: {} });
    }
    wire.write(`[${JSON.stringify(request(1, 'workflow_list', null))}]\n[]\n`);
    expect(await wire.next(2)).toMatchObject([refused, refused]);
    wire.write('{"jsonrpc":"1.0","id":1,"method":"workflow_list"}\n');
    wire.send(request(2, 'workflow_destroy', { id: 'demo' }));
    const data = { method: 'workflow_destroy' };
    expect((await wire.next(2)).map(({ id, error }) => [id, error])).toEqual([
      [1, { code: -32600, message: 'Invalid Request', data: { reason: 'jsonrpc must be "2.0"' } }],
      [2, { code: -32601, message: 'Method not found', data }],
    ]);
    // Only answers to requests; a ping's is the last.
    wire.send(request('last', 'ping'));
    expect(await wire.next(1)).toMatchObject([{ id: 'last' }]);
    for (const line of wire.lines()) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(wire.log()).toContain('workflow_list');
  });

  test('that are too long, too deep or no JSON are refused, and the connection survives', async () => {
    verifies('GUIDE-5');
    const { wire, reply } = await openReplies();
    const limit = 10 * 1024 * 1024;
    const sized = (bytes: number) => {
      const frame = JSON.stringify(request(1, 'workflow_list', { pad: '' }));
      return frame.replace('"pad":""', `"pad":"${'x'.repeat(bytes - frame.length)}"`);
    };
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const params = `{"workflowId":"demo","completedSteps":[],"context":${deep}}`;
    for (const [line, id, code] of [
      [sized(limit), 1, -32602],
      [sized(limit + 1), null, -32600],
      ['{"jsonrpc":"2.0","id":1,', null, -32700],
      [`{"jsonrpc":"2.0","id":1,"method":"workflow_next","params":${params}}`, 1, -32602],
      [`{"jsonrpc":"2.0","id":2,"method":"workflow_list","params":${deep}}`, 2, -32602],
    ] as const) {
      wire.write(`${line}\n`);
      expect((await wire.next(1))[0]).toMatchObject({ id, error: { code } });
    }
    expect(await reply('workflow_get', { id: 'demo' })).toMatchObject({ result: { id: 'demo' } });
  });

  test('may be cut anywhere, also inside a character', async () => {
    verifies('GUIDE-5');
    const wire = await openWireInProcess(demo().root);
    const frame = Buffer.from(`${JSON.stringify(request('é😀', 'workflow_get', { id: 'ж😀' }))}\n`);
    for (const [at] of frame.entries()) {
      wire.write(frame.subarray(at, at + 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await wire.next(1))[0]).toMatchObject({
      id: 'é😀',
      error: { code: -32001, data: { workflowId: 'ж😀' } },
    });
  });
});

test('context and output have limits, at the edge and past it', async () => {
  verifies('GUIDE-5');
  const { ok, fails } = await openGuides(demo(), {}, EVERY_WAY);
  const nested = (depth: number): unknown => (depth === 1 ? {} : { a: nested(depth - 1) });
  const sized = (bytes: number) => ({ a: 'é'.repeat((bytes - 8) / 2) });
  for (const context of [nested(64), sized(65_536)]) {
    await ok('workflow_next', { ...NEXT, context });
    await ok('workflow_validate', { ...VALIDATE, context });
  }
  for (const context of [nested(65), nested(500), sized(65_538)]) {
    expect((await fails('workflow_next', { ...NEXT, context })).data.field).toBe('context');
  }
  const output = 'x'.repeat(5 * 1024 * 1024);
  await ok('workflow_validate', { ...VALIDATE, output });
  const tooLong = await fails('workflow_validate', { ...VALIDATE, output: `${output}x` });
  expect(tooLong).toMatchObject({ code: -32602, data: { field: 'output' } });
  const completed = (count: number) => ({ completedSteps: Array<string>(count).fill('first') });
  expect(await ok('workflow_next', { ...NEXT, ...completed(10_000) })).toMatchObject({
    step: null,
  });
  const tooMany = await fails('workflow_next', { ...NEXT, ...completed(10_001) });
  expect(tooMany).toMatchObject({ code: -32602, data: { field: 'completedSteps' } });
});

test('an id never becomes a path', async () => {
  verifies('GUIDE-3');
  const project = newProject();
  project.write('secret.json', JSON.stringify(workflow({ id: 'secret', steps: [step()] })));
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  const { fails } = await openGuides(project);
  const ids = ['../secret', '../../secret', 'secret', '/etc/passwd', 'demo/../demo', 'demo/main/x'];
  for (const id of [...ids, 'demo/', '/main', '__proto__', 'constructor/name', '\u0000', '.']) {
    const error = { code: -32001, data: { workflowId: id } };
    expect(await fails('workflow_get', { id })).toMatchObject(error);
  }
});
