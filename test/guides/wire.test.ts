// Requests for guides: the same over every route, with or without a handshake, and every kind of
// failure with its code and data.

import { mkdirSync, symlinkSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { ERAS } from '../support/calls.ts';
import { connect } from '../support/connect.ts';
import { newProject, type Project, writeJob } from '../support/project.ts';
import {
  INITIALIZED,
  initialize,
  type Lines,
  openSpeakingWireInProcess,
  openWireInProcess,
  type Reply,
  request,
} from '../support/wire.ts';
import { verifies } from '../verifies.ts';
import { FOLDER, guideProject, oneStep, step, withCriteria, workflow } from './guide-project.ts';
import { EVERY_WAY, openGuides } from './ways.ts';

const RULE = { type: 'contains', value: 'x', message: 'Say x' };

function demo(): Project {
  return guideProject({
    demo: oneStep('demo', { validationCriteria: RULE }),
    broken: workflow({ id: 'broken', loop: 1 }),
    'bad-rule': withCriteria('bad-rule', { type: 'regex', pattern: '(', message: 'm' }),
    slow: withCriteria('slow', [RULE, { type: 'regex', pattern: '^(a+)+$', message: 'm' }]),
  });
}

/** Only answers to requests; a ping's is the last. */
async function nothingElse(wire: Lines): Promise<void> {
  wire.send(request('last', 'ping'));
  expect(await wire.next(1)).toMatchObject([{ id: 'last' }]);
}

describe('a call', () => {
  test('gives the same over every route, in either era', async () => {
    verifies('GUIDE-1');
    const { ok, fails } = await openGuides(demo(), {}, EVERY_WAY);
    const { workflows, errors } = await ok('workflow_list');
    expect(workflows.map(({ id }: { id: string }) => id)).toContain('demo');
    expect(errors.map(({ id }: { id: string }) => id)).toEqual(['bad-rule', 'broken']);
    expect(await ok('workflow_get', { id: 'demo' })).toMatchObject({ id: 'demo' });
    const at = { workflowId: 'demo', completedSteps: [] };
    expect(await ok('workflow_next', at)).toMatchObject({ step: { id: 'first' } });
    const output = { workflowId: 'demo', stepId: 'first', output: 'y' };
    expect(await ok('workflow_validate', output)).toMatchObject({ valid: false });
    expect(await fails('workflow_get', { id: 'ghost' })).toMatchObject({ code: -32001 });
  });

  test('is answered before, without and after a handshake, on one wire with tool calls', async () => {
    verifies('GUIDE-1');
    const wire = await openWireInProcess(demo().root);
    const next = { workflowId: 'demo', completedSteps: [] };
    wire.send(request('before', 'workflow_next', next));
    const [before] = await wire.next(1);
    expect(before).toMatchObject({ id: 'before', result: { step: { id: 'first' } } });
    wire.send(initialize('hello'), request('meanwhile', 'workflow_next', next), INITIALIZED);
    const replies = await wire.next(2);
    expect(replies.map(({ id }) => id).sort()).toEqual(['hello', 'meanwhile']);
    wire.send(request('after', 'workflow_next', next));
    expect((await wire.next(1))[0]?.result).toEqual(before?.result);
    wire.send(request('tool', 'tools/call', { name: 'workflow_next', arguments: next }));
    const [tool] = await wire.next(1);
    expect(tool?.result.structuredContent).toEqual(before?.result);
    expect(tool?.result.content).toEqual([{ type: 'text', text: JSON.stringify(before?.result) }]);
  });

  test('of any method may carry `_meta`, which must be an object', async () => {
    verifies('GUIDE-1', 'GUIDE-3');
    const wire = await openWireInProcess(demo().root);
    const reply = async (method: string, params: object) => {
      wire.send(request(1, method, params));
      return (await wire.next(1))[0] as Reply;
    };
    for (const [method, params] of [
      ['workflow_list', {}],
      ['workflow_get', { id: 'demo' }],
      ['workflow_next', { workflowId: 'demo', completedSteps: [] }],
      ['workflow_validate', { workflowId: 'demo', stepId: 'first', output: 'x' }],
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
    const wire = await openWireInProcess(demo().root);
    wire.write('{"jsonrpc":"2.0","id":1,"method":"workflow_list"}\n');
    wire.send(request(2, 'workflow_list', null), request(3, 'workflow_list', {}));
    const lists = await wire.next(3);
    for (const { result } of lists) expect(result).toEqual(lists[0]?.result);
    expect(lists[0]?.result.workflows.length).toBeGreaterThan(3);
    for (const params of [[], [1], 'text', 7, true]) {
      wire.send(request(4, 'workflow_list', params));
      expect((await wire.next(1))[0]?.error).toEqual({
        code: -32602,
        message: 'Invalid params: params must be an object',
        data: { field: 'params', reason: 'must be an object' },
      });
    }
    wire.send(request(5, 'workflow_list', { page: 2 }));
    expect((await wire.next(1))[0]?.error.data).toMatchObject({ field: 'page' });
  });

  test('of one guide takes its id by either name', async () => {
    verifies('GUIDE-2');
    const { ok, fails } = await openGuides(demo());
    const whole = await ok('workflow_get', { id: 'demo' });
    expect(whole).toEqual(oneStep('demo', { validationCriteria: RULE }));
    expect(await ok('workflow_get', { workflowId: 'demo' })).toEqual(whole);
    expect(await ok('workflow_get', { id: 'demo', workflowId: 'demo' })).toEqual(whole);
    expect(await ok('workflow_get', { id: null, workflowId: 'demo' })).toEqual(whole);
    expect(await fails('workflow_get', { id: 'demo', workflowId: 'other' })).toMatchObject({
      code: -32602,
      data: { field: 'workflowId' },
    });
    for (const params of [{}, { id: null }]) {
      expect((await fails('workflow_get', params)).data).toMatchObject({ field: 'id' });
    }
  });
});

describe('a failure', () => {
  test('has its code, its words and its data', async () => {
    verifies('GUIDE-3');
    const project = demo();
    mkdirSync(project.path(`${FOLDER}/a-folder.json`));
    symlinkSync('nowhere.json', project.path(`${FOLDER}/dangling.json`));
    symlinkSync(project.write('outside.json', '{}'), project.path(`${FOLDER}/leaving.json`));
    const file = (name: string) => project.path(`${FOLDER}/${name}.json`);
    const { fails } = await openGuides(project);

    expect(await fails('workflow_get', { id: 7 })).toEqual({
      code: -32602,
      message: 'Invalid params: id must be a string',
      data: { field: 'id', reason: 'must be a string' },
    });
    expect(await fails('workflow_get', { id: 'ghost' })).toEqual({
      code: -32001,
      message: 'Workflow not found',
      data: { workflowId: 'ghost' },
    });
    const problems = [{ line: 13, column: 3, path: '/loop', message: 'Not supported: loop' }];
    for (const [method, params] of [
      ['workflow_get', { id: 'broken' }],
      ['workflow_next', { workflowId: 'broken', completedSteps: [], currentStep: 'ghost' }],
      ['workflow_validate', { workflowId: 'broken', stepId: 'ghost', output: 'x' }],
    ] as const) {
      expect(await fails(method, params)).toEqual({
        code: -32002,
        message: 'Invalid workflow',
        data: { workflowId: 'broken', file: file('broken'), problems },
      });
    }
    expect(
      await fails('workflow_validate', { workflowId: 'demo', stepId: 'ghost', output: 'x' }),
    ).toEqual({
      code: -32003,
      message: 'Step not found',
      data: { workflowId: 'demo', stepId: 'ghost' },
    });
    const rule = { workflowId: 'bad-rule', stepId: 'first', output: 'x' };
    expect(await fails('workflow_validate', rule)).toEqual({
      code: -32004,
      message: 'Validation error',
      data: {
        workflowId: 'bad-rule',
        stepId: 'first',
        rule: '/validationCriteria',
        reason: expect.stringContaining('Invalid regular expression'),
      },
    });
    const slow = { workflowId: 'slow', stepId: 'first', output: `${'a'.repeat(40)}!` };
    expect(await fails('workflow_validate', slow)).toEqual({
      code: -32004,
      message: 'Validation error',
      data: {
        workflowId: 'slow',
        stepId: 'first',
        rule: '/validationCriteria/1',
        reason: 'took longer than 100 ms',
      },
    });
    for (const id of ['a-folder', 'dangling']) {
      const error = { code: -32006, message: 'Storage error', data: { workflowId: id } };
      expect(await fails('workflow_get', { id })).toEqual({
        ...error,
        data: { workflowId: id, file: file(id) },
      });
    }
    expect(await fails('workflow_get', { id: 'leaving' })).toEqual({
      code: -32007,
      message: 'Security error',
      data: { workflowId: 'leaving', file: file('leaving') },
    });
  });

  test('is described to a model in words, with the next move', async () => {
    verifies('GUIDE-3');
    const project = demo();
    symlinkSync('nowhere.json', project.path(`${FOLDER}/dangling.json`));
    symlinkSync(project.write('outside.json', '{}'), project.path(`${FOLDER}/leaving.json`));
    const file = (name: string) => project.path(`${FOLDER}/${name}.json`);
    const { call } = await connect(project.root);
    const told = async (tool: string, params: Record<string, unknown>) =>
      (await call(tool, params)).text.split('\n');
    expect(await told('workflow_get', { id: 7 })).toEqual([
      'Invalid params: id must be a string',
      'Next: correct id and call again.',
    ]);
    expect(await told('workflow_get', { id: 'ghost' })).toEqual([
      'Workflow not found',
      'Workflow: ghost',
      expect.stringMatching(
        /^Next: use one of these: .*\bdemo\b.* workflow_list describes each\.$/,
      ),
    ]);
    expect(await told('workflow_get', { id: 'broken' })).toEqual([
      'Invalid workflow',
      'Workflow: broken',
      `File: ${file('broken')}`,
      '/loop: Not supported: loop (line 13, column 3)',
      `Next: fix ${file('broken')} (\`deepwork lint\` checks it), then call again.`,
    ]);
    const ghost = { workflowId: 'demo', stepId: 'ghost', output: 'x' };
    expect(await told('workflow_validate', ghost)).toEqual([
      'Step not found',
      'Workflow: demo',
      'Step: ghost',
      expect.stringMatching(/^Next: use one of these: first\b/),
    ]);
    const rule = { workflowId: 'bad-rule', stepId: 'first', output: 'x' };
    expect(await told('workflow_validate', rule)).toEqual([
      'Validation error',
      'Workflow: bad-rule',
      'Step: first',
      'Rule: /validationCriteria',
      expect.stringMatching(/^Reason: .*Invalid regular expression/),
      "Next: fix this rule of step 'first' in its file, then call again.",
    ]);
    expect((await told('workflow_get', { id: 'dangling' })).at(-1)).toBe(
      `Next: make ${file('dangling')} a file that can be read, then call again.`,
    );
    expect((await told('workflow_get', { id: 'leaving' })).at(-1)).toBe(
      `Next: put the file itself in place of the link ${file('leaving')}, then call again.`,
    );
  });

  test('names the parameter that does not fit', async () => {
    verifies('GUIDE-3', 'GUIDE-23');
    const { fails } = await openGuides(demo());
    const next = { workflowId: 'demo', completedSteps: [] };
    const validate = { workflowId: 'demo', stepId: 'first', output: 'x' };
    for (const [method, params, field] of [
      ['workflow_next', { completedSteps: [] }, 'workflowId'],
      ['workflow_next', { ...next, workflowId: '' }, 'workflowId'],
      ['workflow_next', { ...next, workflowId: 'x'.repeat(2000) }, 'workflowId'],
      ['workflow_next', { ...next, completedSteps: ['a', 'b', 3] }, 'completedSteps[2]'],
      ['workflow_next', { ...next, currentStep: 1 }, 'currentStep'],
      ['workflow_next', { ...next, context: [] }, 'context'],
      ['workflow_next', { ...next, stepId: 'first' }, 'stepId'],
      ['workflow_validate', { ...validate, output: undefined }, 'output'],
      ['workflow_validate', { ...validate, output: { a: 1 } }, 'output'],
      ['workflow_validate', { ...validate, output: null }, 'output'],
      ['workflow_validate', { ...validate, stepId: undefined }, 'stepId'],
      ['workflow_validate', { ...validate, context: 'x' }, 'context'],
      ['workflow_validate', { ...validate, outputName: 'ghost' }, 'outputName'],
    ] as const) {
      const { code, message, data } = await fails(method, params);
      expect([code, data.field]).toEqual([-32602, field]);
      expect(message).toBe(`Invalid params: ${field} ${data.reason}`);
    }
  });

  test('of the frame itself gives the reason or the method', async () => {
    verifies('GUIDE-3', 'GUIDE-4');
    const wire = await openWireInProcess(demo().root);
    wire.write('{"jsonrpc":"1.0","id":1,"method":"workflow_list"}\n');
    expect((await wire.next(1))[0]).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32600,
        message: 'Invalid Request',
        data: { reason: 'jsonrpc must be "2.0"' },
      },
    });
    wire.send(request(2, 'workflow_destroy', { id: 'demo' }));
    expect((await wire.next(1))[0]).toEqual({
      jsonrpc: '2.0',
      id: 2,
      error: { code: -32601, message: 'Method not found', data: { method: 'workflow_destroy' } },
    });
  });

  test.each(ERAS)('fits the output schema that its tool declares (%s)', async (era) => {
    verifies('GUIDE-3');
    const { client, call } = await connect(demo().root, { era });
    const { tools } = await client.listTools();
    for (const [name, good, bad] of [
      ['workflow_list', {}, { x: 1 }],
      ['workflow_get', { id: 'demo' }, { id: 'ghost' }],
      ['workflow_next', { workflowId: 'demo', completedSteps: [] }, {}],
      ['workflow_validate', { workflowId: 'demo', stepId: 'first', output: 'x' }, {}],
    ] as const) {
      const schema = tools.find((tool) => tool.name === name)?.outputSchema;
      const fits = new Ajv2020().compile(schema ?? { not: {} });
      for (const [args, isError] of [
        [good, false],
        [bad, true],
      ] as const) {
        const answer = await call(name, args);
        expect(answer.isError, name).toBe(isError);
        expect(fits(answer.data), name).toBe(true);
      }
      expect(fits({ id: 7, workflows: 7, step: 7, valid: 7 }), `${name} admits anything`).toBe(
        false,
      );
    }
  });
});

describe('frames', () => {
  test('without an id are not answered, with an invalid one refused', async () => {
    verifies('GUIDE-4');
    const wire = await openSpeakingWireInProcess(demo().root);
    wire.send(
      { jsonrpc: '2.0', method: 'workflow_list', params: null },
      { jsonrpc: '2.0', method: 'workflow_get', params: { id: 'ghost' } },
      { jsonrpc: '2.0', method: 'no_such_method' },
    );
    await nothingElse(wire);
    for (const id of ['{}', '[]', 'null', 'true', '1e400']) {
      wire.write(`{"jsonrpc":"2.0","id":${id},"method":"workflow_list","params":null}\n`);
      expect((await wire.next(1))[0]).toMatchObject({ id: null, error: { code: -32600 } });
    }
    for (const id of ['', 'x', 0, -1, 1.5]) {
      wire.send(request(id, 'workflow_list', null));
      expect((await wire.next(1))[0]).toMatchObject({ id, result: {} });
    }
    wire.write(`[${JSON.stringify(request(1, 'workflow_list', null))}]\n[]\n`);
    for (const reply of await wire.next(2)) {
      expect(reply).toMatchObject({ id: null, error: { code: -32600 } });
    }
    await nothingElse(wire);
    for (const line of wire.lines()) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(wire.log()).toContain('workflow_list');
  });

  test('that are too long or no JSON are refused, and the connection survives', async () => {
    verifies('GUIDE-5');
    const wire = await openWireInProcess(demo().root);
    const limit = 10 * 1024 * 1024;
    const sized = (bytes: number) => {
      const frame = JSON.stringify(request(1, 'workflow_list', { pad: '' }));
      return `${frame.replace('"pad":""', `"pad":"${'x'.repeat(bytes - frame.length)}"`)}\n`;
    };
    wire.write(sized(limit));
    expect((await wire.next(1))[0]).toMatchObject({ id: 1, error: { code: -32602 } });
    wire.write(sized(limit + 1));
    expect((await wire.next(1))[0]).toMatchObject({ id: null, error: { code: -32600 } });
    wire.write('{"jsonrpc":"2.0","id":1,\n');
    const error = { code: -32700, message: 'Parse error' };
    expect((await wire.next(1))[0]).toEqual({ jsonrpc: '2.0', id: null, error });
    wire.send(request(2, 'workflow_get', { id: 'demo' }));
    expect((await wire.next(1))[0]).toMatchObject({ id: 2, result: { id: 'demo' } });
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

describe('limits of params', () => {
  const nested = (depth: number) => {
    let value: unknown = {};
    for (let at = 1; at < depth; at++) value = { a: value };
    return value;
  };

  test('apply to context and output, at the edge and past it', async () => {
    verifies('GUIDE-5');
    const { ok, fails } = await openGuides(demo(), {}, EVERY_WAY);
    const next = { workflowId: 'demo', completedSteps: [] };
    const sized = (bytes: number) => ({ a: 'é'.repeat((bytes - 8) / 2) });
    expect(Buffer.byteLength(JSON.stringify(sized(65_536)))).toBe(65_536);
    for (const context of [nested(64), sized(65_536)]) {
      await ok('workflow_next', { ...next, context });
      await ok('workflow_validate', { workflowId: 'demo', stepId: 'first', output: 'x', context });
    }
    for (const context of [nested(65), nested(500), sized(65_538)]) {
      expect((await fails('workflow_next', { ...next, context })).data.field).toBe('context');
    }
    const validate = { workflowId: 'demo', stepId: 'first' };
    const mebibytes = (count: number) => 'x'.repeat(count * 1024 * 1024);
    await ok('workflow_validate', { ...validate, output: mebibytes(5) });
    expect(await fails('workflow_validate', { ...validate, output: `${mebibytes(5)}x` })).toEqual({
      code: -32602,
      message: 'Invalid params: output is larger than 5 MiB',
      data: { field: 'output', reason: 'is larger than 5 MiB' },
    });
  });
});

test('hostile nesting is refused', async () => {
  verifies('GUIDE-5');
  const wire = await openWireInProcess(demo().root);
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const params = `{"workflowId":"demo","completedSteps":[],"context":${deep}}`;
  wire.write(`{"jsonrpc":"2.0","id":1,"method":"workflow_next","params":${params}}\n`);
  expect((await wire.next(1))[0]).toMatchObject({
    id: 1,
    error: { code: -32602, data: { field: 'context', reason: 'is nested deeper than 64' } },
  });
  wire.write(`{"jsonrpc":"2.0","id":2,"method":"workflow_list","params":${deep}}\n`);
  expect((await wire.next(1))[0]).toMatchObject({ id: 2, error: { code: -32602 } });
});

test('an id never becomes a path', async () => {
  verifies('GUIDE-3');
  const project = newProject();
  project.write('secret.json', JSON.stringify(workflow({ id: 'secret', steps: [step()] })));
  writeJob(project, 'demo', { a: {} }, { main: ['a'] });
  const { fails } = await openGuides(project);
  const ids = ['../secret', '../../secret', 'secret', '/etc/passwd', 'demo/../demo', 'demo/main/x'];
  for (const id of [...ids, 'demo/', '/main', '__proto__', 'constructor/name', '\u0000', '.']) {
    expect(await fails('workflow_get', { id })).toMatchObject({
      code: -32001,
      data: { workflowId: id },
    });
  }
});
