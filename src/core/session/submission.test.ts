import { describe, expect, it } from 'vitest';
import { type PlainStep, plainStep, toStep } from '../../../test/simulation/definitions.ts';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Json } from './state.ts';
import { assignOutputs, describeOutputs, shownOutputs } from './submission.ts';

interface Circumstances {
  readonly done?: readonly string[];
  readonly stepId?: string;
}

/** The outputs of each submitted member, or the refusal's message. */
function assign(members: PlainStep[], sent: Json, { done = [], stepId }: Circumstances = {}) {
  const steps = members.map(toStep);
  const result = assignOutputs(steps, (id) => done.includes(id), sent, stepId ?? null);
  if (result.kind === 'refused') return result.refusal.message;
  return Object.fromEntries(
    result.submitted.map(({ step, outputs }) => [step.id, Object.fromEntries(outputs)]),
  );
}

describe('names', () => {
  const step = plainStep('a', 'report!', 'log');

  it('accepts declared names, and optional ones may be missing', () => {
    verifies('JOBS-REQ-001.5.3');
    expect(assign([step], { report: 'r.md' })).toEqual({ a: { report: 'r.md' } });
    expect(assign([step], { log: 'l', report: 'r' })).toEqual({ a: { log: 'l', report: 'r' } });
  });

  it('refuses unknown names, sorted, with the declared ones', () => {
    verifies('JOBS-REQ-001.5.1');
    expect(assign([step], { report: 'r', z: 'x', y: 'x' })).toBe(
      'Unknown output names: y, z. Declared outputs: log, report',
    );
  });

  it('lists the first of very many unknown names', () => {
    verifies('JOBS-REQ-001.5.1');
    const names = Array.from({ length: 200 }, (_, index) => `n${1000 + index}`);
    const message = assign([step], Object.fromEntries(names.map((name) => [name, 'x'])));
    expect(message).toContain('n1098, n1099 and 100 more. Declared outputs: log, report');
  });

  it('lists every missing output', () => {
    verifies('JOBS-REQ-001.5.2');
    expect(assign([plainStep('a', 'two!', 'one!', 'log')], { log: 'l' })).toBe(
      'Missing required outputs: one, two. All required outputs must be provided.',
    );
  });

  it('reports unknown names before missing ones', () => {
    verifies('JOBS-REQ-001.5.1', 'JOBS-REQ-001.5.2');
    expect(assign([step], { zebra: 'x' })).toContain('Unknown output names: zebra.');
  });

  it('accepts {} if nothing is declared, and refuses everything else', () => {
    verifies('JOBS-REQ-001.5.1');
    expect(assign([plainStep('a')], {})).toEqual({ a: {} });
    expect(assign([plainStep('a')], { x: 'y' })).toBe(
      'Unknown output names: x. Declared outputs: (none)',
    );
  });

  it('counts null as not given', () => {
    expect(assign([step], { report: 'r', log: null })).toEqual({ a: { report: 'r' } });
    expect(assign([step], { report: null })).toContain('Missing required outputs: report.');
  });

  it('does not accept names that every object inherits', () => {
    const odd = plainStep('constructor', 'toString!', '__proto__');
    expect(assign([odd], JSON.parse('{"toString": "t", "__proto__": "p"}'))).toEqual(
      JSON.parse('{"constructor": {"toString": "t", "__proto__": "p"}}'),
    );
    expect(assign([plainStep('a', 'x')], { constructor: 'c' })).toContain(
      'Unknown output names: constructor.',
    );
  });

  it('accepts a name that is qualified without need', () => {
    expect(assign([step], { 'a.report': 'r' })).toEqual({ a: { report: 'r' } });
  });

  it('ignores a value that is not an object', () => {
    expect(assign([plainStep('a', 'x')], null)).toEqual({ a: {} });
    expect(assign([step], 'report')).toContain('Missing required outputs: report.');
  });
});

describe('a list', () => {
  const several = [plainStep('a', 'report.md!', 'data', 'parts/*')];
  const unmatched = (declared: string) =>
    `Outputs given as a list cannot be matched. Declared outputs: ${declared}`;

  it('is the value of the only declared output', () => {
    verifies('JOBS-X.7');
    expect(assign([plainStep('a', 'report!')], ['any/path.md'])).toEqual({
      a: { report: 'any/path.md' },
    });
    expect(assign([plainStep('a', 'parts*!')], ['x', 'y'])).toEqual({ a: { parts: ['x', 'y'] } });
  });

  it('of two paths is refused for a single file', () => {
    verifies('JOBS-X.7');
    expect(assign([plainStep('a', 'report!')], ['x', 'y'])).toBe(unmatched('report'));
  });

  it('is matched by path, by basename, and below a folder', () => {
    verifies('JOBS-X.7');
    expect(assign(several, ['out/report.md', 'data', 'parts/1', './parts/2'])).toEqual({
      a: { 'report.md': 'out/report.md', data: 'data', 'parts/': ['parts/1', './parts/2'] },
    });
  });

  it.each([
    ['a stranger', ['report.md', 'stranger.md']],
    ['one file twice', ['report.md', 'work/report.md']],
    ['something that is no path', ['report.md', 7]],
    ['only part of a name', ['report']],
  ])('with %s is refused', (_why, sent) => {
    verifies('JOBS-X.7');
    expect(assign(several, sent)).toBe(unmatched('data, parts/, report.md'));
  });

  it('is refused if members share the name', () => {
    verifies('JOBS-X.7');
    const members = [plainStep('a', 'report!'), plainStep('b', 'report!')];
    expect(assign(members, ['report'])).toBe(unmatched('a.report, b.report'));
  });

  it('is assigned to the members that declare its paths', () => {
    verifies('JOBS-X.7', 'JOBS-X.13');
    expect(assign([plainStep('a', 'x!'), plainStep('b', 'y!')], ['w/y', 'x'])).toEqual({
      a: { x: 'x' },
      b: { y: 'w/y' },
    });
  });

  const paths = (count: number) => Array.from({ length: count }, (_, index) => `parts/${index}`);
  const manyOutputs = Array.from({ length: 300 }, (_, index) => `o${index}`);
  it.each([
    ['list for one output', [plainStep('a', 'report!')], paths(30_000)],
    ['list for several outputs', several, ['report.md', ...paths(30_000)]],
    [
      'object with many names',
      [plainStep('a', ...manyOutputs)],
      Object.fromEntries(paths(30_000).map((name) => [name, 'x'])),
    ],
  ])('costs what its length costs: %s', async (_what, members, sent) => {
    await expectPiecesAtMost(20, () => assign(members, sent));
  });

  it('that is empty submits no outputs', () => {
    verifies('JOBS-X.7');
    expect(assign([plainStep('a', 'x')], [])).toEqual({ a: {} });
    expect(assign(several, [])).toContain('Missing required outputs: report.md.');
  });

  it('that is refused names the declared outputs as the next move', () => {
    verifies('JOBS-X.7');
    const steps = several.map(toStep);
    const result = assignOutputs(steps, () => false, ['stranger'], null);
    expect(result.kind === 'refused' && result.refusal.next).toBe(
      'call finished_step with the declared outputs: report.md (filepath, required); data (filepath, optional); parts/ (array of filepaths, optional).',
    );
  });
});

describe('concurrent members', () => {
  const a = plainStep('a', 'report!', 'x');
  const b = plainStep('b', 'report!');
  const idle = plainStep('idle', 'extra');

  it('show shared names qualified, others plain', () => {
    verifies('JOBS-X.13');
    const shown = shownOutputs([a, b, idle].map(toStep));
    expect(shown.map((each) => each.shown)).toEqual(['a.report', 'x', 'b.report', 'extra']);
    expect(shown.map((each) => each.shared)).toEqual([true, false, true, false]);
  });

  it('are submitted by their own outputs in the call', () => {
    verifies('JOBS-X.13');
    expect(assign([a, b], { 'b.report': 'rb' })).toEqual({ b: { report: 'rb' } });
    expect(assign([a, b], { 'b.report': 'rb', 'a.report': 'ra' })).toEqual({
      a: { report: 'ra' },
      b: { report: 'rb' },
    });
  });

  it('need all their required outputs if any of their outputs is given', () => {
    verifies('JOBS-X.13');
    expect(assign([a, b], { x: 'x' })).toContain('Missing required outputs: a.report.');
  });

  it('make an unqualified shared name ambiguous', () => {
    verifies('JOBS-X.13');
    expect(assign([a, b], { report: 'r' })).toBe(
      "Output name 'report' is ambiguous. Use one of: a.report, b.report",
    );
  });

  it('are distinguished by step_id', () => {
    verifies('JOBS-X.13');
    expect(assign([a, b], { report: 'r' }, { stepId: 'b' })).toEqual({ b: { report: 'r' } });
    expect(assign([a, b], {}, { stepId: 'b' })).toContain('Missing required outputs: b.report.');
  });

  it('without required outputs are submitted by name only', () => {
    verifies('JOBS-X.13');
    const members = [a, idle, b];
    expect(assign(members, { 'a.report': 'r' })).toEqual({ a: { report: 'r' } });
    expect(assign(members, { 'b.report': 'r' }, { done: ['a'] })).toEqual({ b: { report: 'r' } });
    expect(assign(members, { 'a.report': 'r', 'b.report': 'r' })).toEqual({
      a: { report: 'r' },
      b: { report: 'r' },
    });
    expect(assign(members, {}, { stepId: 'idle' })).toEqual({ idle: {} });
    expect(assign(members, {}, { stepId: 'idle', done: ['a', 'b'] })).toEqual({ idle: {} });
    expect(assign([idle], {})).toEqual({ idle: {} });
  });

  it('are all due in a call that names none', () => {
    verifies('JOBS-X.13');
    expect(assign([a, b, idle], {})).toContain('Missing required outputs: a.report, b.report.');
    expect(assign([a, b, idle], {}, { done: ['a'] })).toContain(
      'Missing required outputs: b.report.',
    );
    expect(assign([idle, plainStep('other')], {})).toEqual({});
  });

  it('can be submitted again after completion', () => {
    verifies('JOBS-X.13');
    expect(assign([a, b], { 'a.report': 'new' }, { done: ['a'] })).toEqual({
      a: { report: 'new' },
    });
  });
});

it('describes a step that declares nothing', () => {
  expect(describeOutputs([])).toBe('call finished_step with outputs {}; this step declares none.');
});
