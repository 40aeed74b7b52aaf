// What a guide may contain, and how its problems are told. What each mistake is refused for is in
// test/words/problems.test.ts.

import { describe, expect, it } from 'vitest';
import { bytesOf, invalidGuide, soundGuide, step, workflow } from '../../../test/support/guides.ts';
import { verifies } from '../../../test/verifies.ts';
import { openGuideText, placeOfId } from './parse-guide.ts';
import { isSemVer } from './semver.ts';

const contains = { type: 'contains', value: 'x', message: 'm' };
const regex = { type: 'regex', pattern: 'x', message: 'm' };
const withCriteria = (validationCriteria: unknown, parts = {}) =>
  workflow({ steps: [step(), step({ id: 'second', validationCriteria })], ...parts });

describe('a valid file', () => {
  it('becomes a guide with its defaults', async () => {
    const written = workflow();
    const first = {
      id: 'first',
      name: 'First',
      description: 'First',
      instructions: { kind: 'text', prompt: 'Do it.', guidance: [] },
      inputs: [],
      outputs: [
        {
          name: 'output',
          type: 'file',
          description: expect.any(String),
          required: false,
          rules: null,
          sharesName: true,
          validation: { workflowId: 'demo', rulesAt: '/validationCriteria' },
        },
      ],
      reviews: [],
      checks: [],
      when: null,
      confirmation: false,
      modelHint: null,
    };
    const entries = [{ kind: 'steps', steps: [first] }];
    expect(await soundGuide(written)).toEqual({
      id: 'demo',
      name: 'Demo',
      description: 'A demonstration',
      version: '1.0.0',
      category: 'general',
      source: written,
      file: '/folder/demo.json',
      definition: {
        name: 'demo',
        commonInfo: 'A demonstration',
        dir: '/folder',
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        steps: [first],
        workflows: [{ name: 'demo', summary: 'A demonstration', entries }],
      },
    });
  });

  it('may use every field, and begin with a byte order mark', async () => {
    const full = step({
      askForFiles: false,
      requireConfirmation: { var: 'risk', gte: 3 },
      runCondition: { and: [{ var: 'a' }, { not: { var: 'b' } }] },
      guidance: ['One', 'One'],
      agentRole: 'You are careful.',
      validationCriteria: [{ type: 'contains', value: '401', message: 'm' }],
      modelHint: 'strong',
      preface: 'First,',
    });
    const written = workflow({
      steps: [full, step({ id: 'second', requireConfirmation: true })],
      preconditions: ['a', 'b'],
      clarificationPrompts: [],
      metaGuidance: ['c'],
      category: 'testing',
      summary: 'Short',
    });
    const text = `\ufeff${JSON.stringify(written, null, 2).replaceAll('\n', '\r\n')}`;
    const guide = await soundGuide(text);
    expect(guide).toMatchObject({ category: 'testing', summary: 'Short', source: written });
    const { steps, commonInfo } = guide.definition;
    expect(steps).toMatchObject([
      {
        instructions: {
          kind: 'text',
          prompt: 'Do it.',
          guidance: ['One', 'One'],
          role: 'You are careful.',
          preface: 'First,',
        },
        outputs: [{ required: true, rules: { members: [{ kind: 'contains', value: '401' }] } }],
        when: { variables: [{ name: 'a' }, { name: 'b' }] },
        confirmation: { source: { var: 'risk', gte: 3 } },
        modelHint: 'strong',
      },
      { confirmation: true },
    ]);
    expect(commonInfo).toBe('A demonstration\n\nPreconditions:\n- a\n- b\n\nGuidance:\n- c');
  });

  it('may have a single criterion, a composition in a list, or none in four notations', async () => {
    verifies('GUIDE-35', 'GUIDE-27', 'GUIDE-28', 'GUIDE-30');
    const rulesOf = async (validationCriteria: unknown) => {
      const { definition } = await soundGuide(workflow({ steps: [step({ validationCriteria })] }));
      return definition.steps[0]?.outputs[0]?.rules ?? null;
    };
    const empty = { ...contains, value: '' };
    const rule = { ...regex, pattern: '(?i)a(?=b)' };
    const lengths = { type: 'length', message: 'm' };
    for (const one of [rule, [{ or: [rule, { not: lengths }] }], lengths, [empty]]) {
      expect((await rulesOf(one))?.members).toHaveLength(1);
    }
    for (const none of [null, [], {}, undefined]) expect(await rulesOf(none)).toBeNull();
  });
});

describe('limits', () => {
  const inStep = (parts: object) => workflow({ steps: [step({ ...parts })] });
  it.each<[path: string, least: number, most: number, put: (text: string) => unknown]>([
    ['/name', 1, 128, (name) => workflow({ name })],
    ['/description', 1, 512, (description) => workflow({ description })],
    ['/category', 1, 64, (category) => workflow({ category })],
    ['/summary', 1, 512, (summary) => workflow({ summary })],
    ['/preconditions/0', 1, 256, (text) => workflow({ preconditions: [text] })],
    ['/clarificationPrompts/0', 1, 256, (text) => workflow({ clarificationPrompts: [text] })],
    ['/metaGuidance/0', 1, 256, (text) => workflow({ metaGuidance: [text] })],
    ['/steps/0/title', 1, 128, (title) => inStep({ title })],
    ['/steps/0/prompt', 1, 8192, (prompt) => inStep({ prompt })],
    ['/steps/0/guidance/0', 1, 1024, (text) => inStep({ guidance: [text] })],
    ['/steps/0/agentRole', 10, 1024, (agentRole) => inStep({ agentRole })],
    ['/steps/0/modelHint', 1, 128, (modelHint) => inStep({ modelHint })],
    ['/steps/0/preface', 1, 512, (preface) => inStep({ preface })],
    [
      '/steps/0/validationCriteria/message',
      1,
      1024,
      (message) => inStep({ validationCriteria: { type: 'length', message } }),
    ],
    [
      '/steps/0/validationCriteria/suggestion',
      1,
      1024,
      (suggestion) => inStep({ validationCriteria: { ...contains, suggestion } }),
    ],
  ])('%s has %i to %i code points', async (path, least, most, put) => {
    verifies('GUIDE-7');
    for (const length of [least, most]) await soundGuide(put('😀'.repeat(length)));
    for (const length of [least - 1, most + 1]) {
      const { problems } = await invalidGuide(put('😀'.repeat(length)));
      expect(problems.map((problem) => problem.path)).toEqual([path]);
    }
  });

  it('ids have 3 to 64 plain characters', async () => {
    verifies('GUIDE-7');
    const withId = (id: string) => workflow({ id, steps: [step({ id })] });
    for (const id of ['abc', 'a-1', '1.0_b', 'a'.repeat(64)]) await soundGuide(withId(id));
    for (const id of ['', 'ab', 'a'.repeat(65), 'Abc', 'abc\n', '-abc', '.abc', '_abc']) {
      const { problems } = await invalidGuide(withId(id));
      expect(problems.map(({ path }) => path)).toEqual(['/id', '/steps/0/id']);
    }
  });

  it('a file has at most 1 MiB and 64 levels, and conditions 32', async () => {
    verifies('GUIDE-7', 'GUIDE-20');
    const padded = (bytes: number) => JSON.stringify(workflow()).padEnd(bytes, ' ');
    const withCondition = (condition: string) =>
      JSON.stringify(inStep({ runCondition: 'HERE' })).replace('"HERE"', condition);
    const nested = (levels: number) =>
      withCondition(`{"var":"x","equals":${'['.repeat(levels - 4)}${']'.repeat(levels - 4)}}`);
    const negated = (levels: number) =>
      withCondition(`${'{"not":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);
    for (const sound of [padded(1024 * 1024), nested(64), negated(32)]) await soundGuide(sound);
    for (const [over, code] of [
      [padded(1024 * 1024 + 1), 'over_limit'],
      [nested(65), 'over_limit'],
      [negated(33), 'too_deep'],
      [negated(20_000), 'over_limit'],
    ] as const) {
      const parsed = await openGuideText(bytesOf(over), 'x').check();
      expect(parsed).toMatchObject({ kind: 'invalid', problems: [{ code }], criteriaOnly: false });
    }
    expect(openGuideText(bytesOf(nested(20_000)), 'x').id).toBe('demo');
  });

  it('versions are those of Semantic Versioning 2.0, and judging one is never slow', () => {
    verifies('GUIDE-7');
    const versions = [
      ...[
        '0.0.4',
        '10.20.30',
        '1.0.0-alpha.1',
        '1.0.0-0A.is.legal',
        '1.0.0--.-',
        '1.1.2-pre+m.007',
      ],
      ...['1.2.3----RC-SNAPSHOT.12.9.1--.12+788', '1.0.0+0.build.1-rc.10000aaa-kk-0.1'],
      '99999999999999999999999.999999999999999999.99999999999999999',
    ];
    for (const version of versions) expect(isSemVer(version), version).toBe(true);
    const others = [
      ...['', '1', '1.2', '1.2.3.4', 'v1.2.3', ' 1.2.3', '1.2.3\n', '01.2.3', '1.02.3', '1.2.03'],
      ...['1.2.3-', '1.2.3+', '1.2.3-a..b', '1.2.3-01', '1.2.3+a+b', '1.2.3-é', '1.2.3-a_b'],
      ...['-1.2.3', '1.2.-3', '1..3', 'alpha', '+1.0.0', `1.0.0-${'1.'.repeat(500_000)}`],
      `1.0.0-${'1'.repeat(1_000_000)}!`,
    ];
    for (const other of others) expect(isSemVer(other), other.slice(0, 20)).toBe(false);
  });
});

describe('problems', () => {
  it('have line, column and path', async () => {
    verifies('GUIDE-8');
    const text = `{
  "id": "demo", "name": "D", "description": "d", "version": "1.0.0",

  "name": "again",
  "steps": [
    {"id": "one", "title": "t", "prompt": "p"},
    {"id": "one", "title": "t", "prompt": "p",
      "validationCriteria": { "type": "contains", "value": "a", "flags": "b", "message": "m" } }
  ]
}`;
    const { problems, left } = await invalidGuide(text);
    expect(problems).toMatchObject([
      { line: 4, column: 3, path: '/name' },
      { line: 7, column: 12, path: '/steps/1/id' },
      { line: 8, column: 65, path: '/steps/1/validationCriteria/flags' },
    ]);
    expect(left).toBe(0);
    const cut = bytesOf('{\n"id": "é\ufffd😀?"}').map((byte) => (byte === 0x3f ? 0xff : byte));
    expect((await invalidGuide(Buffer.from(cut))).problems).toMatchObject([
      { line: 2, column: 11 },
    ]);
  });

  it('are listed up to a hundred, the others counted, and stay small in a hostile file', async () => {
    // Each is of a wrong type, and all but the first are duplicates; reading stops at a hundred.
    const preconditions = Array.from({ length: 250 }, (_, index) => index);
    const many = await invalidGuide(workflow({ preconditions }));
    expect([many.problems.length, many.left]).toEqual([100, 99]);
    const key = 'k'.repeat(200_000);
    const runCondition = { [key]: { [key]: 1 }, [`${key}\n`]: 1 };
    const steps = [step({ runCondition, id: key }), step({ id: key })];
    const { problems } = await invalidGuide(workflow({ steps }));
    expect(problems.length).toBeGreaterThan(3);
    expect(JSON.stringify(problems).length).toBeLessThan(10_000);
    expect(problems.every(({ message }) => !message.includes('\n'))).toBe(true);
  });
});

describe('problems of rules alone', () => {
  it('have a code of their own, and are known by step, pointer and reason', async () => {
    const nested = { and: [contains, { or: [contains, { not: { ...regex, pattern: '[' } }] }] };
    const steps = [
      step({ validationCriteria: [contains, { ...regex, flags: 'gg' }, 7] }),
      step({ id: 'second', validationCriteria: [nested] }),
      step({ id: 'third', validationCriteria: [{ and: [] }] }),
    ];
    const { criteriaFaults, criteriaOnly, problems } = await invalidGuide(workflow({ steps }));
    expect([problems.length, criteriaOnly]).toEqual([4, true]);
    expect(criteriaFaults).toEqual([
      { step: 'first', rule: '/validationCriteria/1', reason: expect.stringContaining('flags') },
      { step: 'second', rule: '/validationCriteria/0/and/1/or/1/not', reason: expect.any(String) },
      { step: 'third', rule: '/validationCriteria/0', reason: expect.stringContaining('"and"') },
    ]);
  });

  it('are known for every step, even if another one has many problems', async () => {
    const many = Array.from({ length: 150 }, () => ({ ...contains, value: 1 }));
    const { criteriaSteps } = await invalidGuide(
      workflow({
        steps: [
          step({ validationCriteria: many }),
          step({ id: 'second', validationCriteria: [{ ...regex, pattern: '(' }] }),
        ],
      }),
    );
    expect(criteriaSteps).toHaveLength(2);
  });

  it('are problems of the file if there are others, even beyond the limit', async () => {
    const besides = await invalidGuide(withCriteria(['x'], { category: '' }));
    expect(besides).toMatchObject({ criteriaOnly: false, criteriaSteps: ['second'] });
    const twice = JSON.stringify(withCriteria([contains])).replace('"type":', '"type":"x","type":');
    expect(await invalidGuide(twice)).toMatchObject({ criteriaOnly: false, criteriaSteps: [] });
    const bad = Array.from({ length: 120 }, () => 'x');
    const steps = [step({ validationCriteria: bad }), step({ id: 'second', askForFiles: 1 })];
    expect((await invalidGuide(workflow({ steps }))).criteriaOnly).toBe(false);
  });

  it('are not those of schemas: malformed ones, or too many, are problems of the file', async () => {
    verifies('GUIDE-32');
    const rule = (schema: unknown) => ({ type: 'schema', schema, message: 'm' });
    await soundGuide(withCriteria({ and: Array.from({ length: 200 }, () => rule({})) }));
    for (const criteria of [
      [rule({ type: 'objet' })],
      [rule({ properties: { a: { pattern: '(' } } })],
      [{ or: Array.from({ length: 201 }, () => rule({})) }],
      Array.from({ length: 20_000 }, () => ({ not: { type: 'schema' } })),
    ]) {
      expect((await invalidGuide(withCriteria(criteria))).criteriaOnly).toBe(false);
    }
  });
});

it('finds the id of a file with other problems, and its position', async () => {
  const idOf = (text: string) => openGuideText(Buffer.from(text), 'x').id;
  expect(idOf('{"id": "Odd one", "x": 1}')).toBe('Odd one');
  for (const none of ['{"id": 7}', '{"id": "a"', '["id"]', '"id"']) expect(idOf(none)).toBeNull();
  expect(await placeOfId(Buffer.from('{\n "id": "a"}'))).toEqual({ line: 2, column: 8 });
  expect(await placeOfId(Buffer.from('{'))).toEqual({ line: 1, column: 1 });
});
