// Which members a call submits, and with which outputs.

import { describe, expect, test } from 'vitest';
import { type PlainStep, plainStep, toStep } from '../../../test/simulation/definitions.ts';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Json } from './state.ts';
import { assignOutputs, describeOutputs, shownOutputs } from './submission.ts';

interface Circumstances {
  readonly done?: readonly string[];
  readonly stepId?: string;
}

function read(members: PlainStep[], sent: Json, { done = [], stepId }: Circumstances = {}) {
  return assignOutputs(members.map(toStep), (id) => done.includes(id), sent, stepId ?? null);
}

/** By member, or the code of a refusal with what it names. */
type Result = Record<string, object> | readonly [code: string, names: string];

function expectAssigned(given: Parameters<typeof read>, expected: Result): void {
  const result = read(...given);
  if (result.kind === 'refused') {
    const { code, message } = result.refusal;
    const [wanted, names] = expected as readonly string[];
    expect([code, message]).toEqual([wanted, expect.stringContaining(names ?? '')]);
    return;
  }
  const submitted = result.submitted.map(({ step, outputs }) => [
    step.id,
    Object.fromEntries(outputs),
  ]);
  expect(Object.fromEntries(submitted)).toEqual(expected);
}

type Row = [what: string, sent: Json, result: Result, circumstances?: Circumstances];

describe('names', () => {
  const step = plainStep('a', 'report!', 'log');
  const odd = plainStep('constructor', 'toString!', '__proto__');

  test.each<Row>([
    ['an optional one may be missing', { report: 'r' }, { a: { report: 'r' } }],
    ['all of them', { log: 'l', report: 'r' }, { a: { log: 'l', report: 'r' } }],
    ['null is not given', { report: 'r', log: null }, { a: { report: 'r' } }],
    ['qualified without need', { 'a.report': 'r' }, { a: { report: 'r' } }],
    ['unknown ones, sorted', { report: 'r', z: 'x', y: 'x' }, ['outputs_unknown', 'y, z']],
    ['unknown ones come first', { zebra: 'x' }, ['outputs_unknown', 'zebra']],
    ['missing ones', { report: null }, ['outputs_missing', 'report']],
    ['no object at all', 'report', ['outputs_missing', 'report']],
    ['inherited ones', { report: 'r', constructor: 'c' }, ['outputs_unknown', 'constructor']],
  ])('%s', (_what, sent, result) => {
    const [code] = Array.isArray(result) ? result : [];
    if (code === undefined) verifies('JOBS-REQ-001.5.3');
    else verifies(code === 'outputs_unknown' ? 'JOBS-REQ-001.5.1' : 'JOBS-REQ-001.5.2');
    expectAssigned([[step], sent], result);
  });

  test('what objects inherit may be declared, and nothing has to be', () => {
    verifies('JOBS-REQ-001.5.1', 'JOBS-REQ-001.5.2');
    const sent = '{"toString": "t", "__proto__": "p"}';
    expectAssigned([[odd], JSON.parse(sent)], JSON.parse(`{"constructor": ${sent}}`));
    expectAssigned([[plainStep('a')], {}], { a: {} });
    expectAssigned([[plainStep('a', 'x')], null], { a: {} });
    expectAssigned([[plainStep('a')], { x: 'y' }], ['outputs_unknown', 'x']);
    expectAssigned([[plainStep('a', 'two!', 'one!')], {}], ['outputs_missing', 'one, two']);
    expect(describeOutputs([])).toContain('{}');
  });

  test('of very many unknown ones the first are listed', () => {
    verifies('JOBS-REQ-001.5.1');
    const names = Array.from({ length: 200 }, (_, index) => `n${1000 + index}`);
    const result = read([step], Object.fromEntries(names.map((name) => [name, 'x'])));
    expect(result).toMatchObject({
      refusal: { message: expect.stringMatching(/n1099 and 100 m/) },
    });
  });
});

describe('a list', () => {
  const several = [plainStep('a', 'report.md!', 'data', 'parts/*')];
  const single = [plainStep('a', 'report!')];
  const shared = [plainStep('a', 'report!'), plainStep('b', 'report!')];
  const paths = ['out/report.md', 'data', 'parts/1', './parts/2'];
  const matched = {
    'report.md': 'out/report.md',
    data: 'data',
    'parts/': ['parts/1', './parts/2'],
  };

  test.each<[what: string, members: PlainStep[], sent: Json, result: Result]>([
    ['is the only output', single, ['any/path.md'], { a: { report: 'any/path.md' } }],
    ['is all its paths', [plainStep('a', 'p*!')], ['x', 'y'], { a: { p: ['x', 'y'] } }],
    ['by path, basename and folder', several, paths, { a: matched }],
    [
      'of two members',
      [plainStep('a', 'x!'), plainStep('b', 'y!')],
      ['w/y', 'x'],
      { a: { x: 'x' }, b: { y: 'w/y' } },
    ],
    ['that is empty', [plainStep('a', 'x')], [], { a: {} }],
    ['that is empty where it must not be', several, [], ['outputs_missing', 'report.md']],
    ['of two for a single file', single, ['x', 'y'], ['outputs_unmatched', 'report']],
    [
      'with a stranger',
      several,
      ['report.md', 's.md'],
      ['outputs_unmatched', 'data, parts/, report.md'],
    ],
    [
      'with one file twice',
      several,
      ['report.md', 'w/report.md'],
      ['outputs_unmatched', 'data, parts/, report.md'],
    ],
    [
      'with no path in it',
      several,
      ['report.md', 7],
      ['outputs_unmatched', 'data, parts/, report.md'],
    ],
    ['with part of a name', several, ['report'], ['outputs_unmatched', 'data, parts/, report.md']],
    ['of a shared name', shared, ['report'], ['outputs_unmatched', 'a.report, b.report']],
  ])('%s', (_what, members, sent, result) => {
    verifies('JOBS-X.7');
    expectAssigned([members, sent], result);
  });

  const many = (count: number) => Array.from({ length: count }, (_, index) => `parts/${index}`);
  test.each<[what: string, members: PlainStep[], sent: Json]>([
    ['list for one output', single, many(30_000)],
    ['list for several outputs', several, ['report.md', ...many(30_000)]],
    [
      'object with many names',
      [plainStep('a', ...many(300))],
      Object.fromEntries(many(30_000).map((name) => [name, 'x'])),
    ],
  ])('costs what its length costs: %s', async (_what, members, sent) => {
    await expectPiecesAtMost(20, () => read(members, sent));
  });
});

describe('concurrent members', () => {
  const a = plainStep('a', 'report!', 'x');
  const b = plainStep('b', 'report!');
  const idle = plainStep('idle', 'extra');
  const all = [a, b, idle];

  test('show shared names qualified, others plain', () => {
    verifies('JOBS-X.13');
    const shown = shownOutputs(all.map(toStep)).map((each) => each.shown);
    expect(shown).toEqual(['a.report', 'x', 'b.report', 'extra']);
  });

  test.each<Row>([
    ['are submitted by their own outputs', { 'b.report': 'r' }, { b: { report: 'r' } }],
    [
      'several at once',
      { 'b.report': 'r', 'a.report': 's' },
      { a: { report: 's' }, b: { report: 'r' } },
    ],
    ['again after completion', { 'a.report': 'n' }, { a: { report: 'n' } }, { done: ['a'] }],
    ['need all that is required of them', { x: 'x' }, ['outputs_missing', 'a.report']],
    ['make a shared name ambiguous', { report: 'r' }, ['output_ambiguous', 'a.report, b.report']],
    ['are told apart by step_id', { report: 'r' }, { b: { report: 'r' } }, { stepId: 'b' }],
    ['need it with step_id, too', {}, ['outputs_missing', 'b.report'], { stepId: 'b' }],
    ['without required outputs go by name', {}, { idle: {} }, { stepId: 'idle' }],
    ['are all due if none is named', {}, ['outputs_missing', 'a.report, b.report']],
    ['are due if they are open', {}, ['outputs_missing', 'b.report'], { done: ['a'] }],
  ])('%s', (_what, sent, result, circumstances) => {
    verifies('JOBS-X.13');
    expectAssigned([all, sent, circumstances], result);
  });

  test('none of which requires anything are not submitted by a call that names none', () => {
    verifies('JOBS-X.13');
    expectAssigned([[idle, plainStep('other')], {}], {});
    expectAssigned([[idle], {}], { idle: {} });
  });
});
