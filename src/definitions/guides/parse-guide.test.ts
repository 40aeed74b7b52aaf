import { describe, expect, it } from 'vitest';
import {
  bytesOf,
  invalidGuide,
  problemsOf,
  soundGuide,
  step,
  workflow,
} from '../../../test/support/guides.ts';
import { verifies } from '../../../test/verifies.ts';
import { openGuideText, placeOfId } from './parse-guide.ts';

const SMILE = '😀';

describe('a valid file', () => {
  it('becomes a guide with its defaults', async () => {
    const written = workflow();
    const guide = await soundGuide(written);
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
          description: 'A separate file with what this step produced',
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
    expect(guide).toEqual({
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
        workflows: [
          {
            name: 'demo',
            summary: 'A demonstration',
            entries: [{ kind: 'steps', steps: [first] }],
          },
        ],
      },
    });
  });

  it('may use every field', async () => {
    const full = step({
      askForFiles: false,
      requireConfirmation: { var: 'risk', gte: 3 },
      runCondition: { or: [{ var: 'a' }, { not: { var: 'b', equals: null } }] },
      validationCriteria: [{ type: 'contains', value: '401', message: 'Say 401' }],
      guidance: ['One', 'One'],
      agentRole: 'You are careful.',
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
    const guide = await soundGuide(written);
    expect(guide).toMatchObject({ category: 'testing', summary: 'Short', source: written });
    const { steps, commonInfo } = guide.definition;
    expect(steps[0]).toMatchObject({
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
    });
    expect(steps[1]?.confirmation).toBe(true);
    expect(commonInfo).toBe('A demonstration\n\nPreconditions:\n- a\n- b\n\nGuidance:\n- c');
  });

  it('may begin with a byte order mark and have CRLF', async () => {
    const text = `\ufeff${JSON.stringify(workflow(), null, 2).replaceAll('\n', '\r\n')}`;
    expect((await soundGuide(text)).id).toBe('demo');
  });

  it('may have a single criterion, a composition in a list, or none in four notations', async () => {
    verifies('GUIDE-35', 'GUIDE-27', 'GUIDE-28', 'GUIDE-30');
    const empty = { type: 'contains', value: '', message: 'm' };
    const rule = { type: 'regex', pattern: '(?i)a(?=b)', message: 'm' };
    const lengths = { type: 'length', message: 'm' };
    for (const validationCriteria of [rule, [{ or: [rule, { not: lengths }] }], lengths, [empty]]) {
      const { definition } = await soundGuide(workflow({ steps: [step({ validationCriteria })] }));
      expect(definition.steps[0]?.outputs[0]?.rules?.members).toHaveLength(1);
    }
    for (const none of [null, [], {}]) {
      const parts = { steps: [step({ validationCriteria: none })] };
      const { definition } = await soundGuide(workflow(parts));
      expect(definition.steps[0]?.outputs[0]?.rules).toBeNull();
    }
  });
});

describe('limits', () => {
  const texts: [string, number, number, (text: string) => unknown][] = [
    ['/name', 1, 128, (name) => workflow({ name })],
    ['/description', 1, 512, (description) => workflow({ description })],
    ['/category', 1, 64, (category) => workflow({ category })],
    ['/summary', 1, 512, (summary) => workflow({ summary })],
    ['/preconditions/0', 1, 256, (text) => workflow({ preconditions: [text] })],
    ['/clarificationPrompts/0', 1, 256, (text) => workflow({ clarificationPrompts: [text] })],
    ['/metaGuidance/0', 1, 256, (text) => workflow({ metaGuidance: [text] })],
    ['/steps/0/title', 1, 128, (title) => workflow({ steps: [step({ title })] })],
    ['/steps/0/prompt', 1, 8192, (prompt) => workflow({ steps: [step({ prompt })] })],
    ['/steps/0/guidance/0', 1, 1024, (text) => workflow({ steps: [step({ guidance: [text] })] })],
    ['/steps/0/agentRole', 10, 1024, (agentRole) => workflow({ steps: [step({ agentRole })] })],
    ['/steps/0/modelHint', 1, 128, (modelHint) => workflow({ steps: [step({ modelHint })] })],
    ['/steps/0/preface', 1, 512, (preface) => workflow({ steps: [step({ preface })] })],
  ];

  it.each(texts)('%s has %i to %i code points', async (path, least, most, write) => {
    verifies('GUIDE-7');
    for (const length of [least, most]) await soundGuide(write(SMILE.repeat(length)));
    for (const length of [least - 1, most + 1]) {
      const [problem, ...others] = await problemsOf(write(SMILE.repeat(length)));
      expect(problem).toMatch(
        new RegExp(`^${path}: .* ${least} to ${most} characters, got ${length}$`),
      );
      expect(others).toEqual([]);
    }
  });

  it('are 3 to 64 plain characters for ids', async () => {
    verifies('GUIDE-7');
    for (const id of ['abc', 'a-1', '1.0_b', 'a'.repeat(64)]) {
      await soundGuide(workflow({ id, steps: [step({ id })] }));
    }
    const wrong: [string, string][] = [
      ['', '"id" must have 3 to 64 characters, got 0'],
      ['ab', '"id" must have 3 to 64 characters, got 2'],
      ['a'.repeat(65), '"id" must have 3 to 64 characters, got 65'],
      ...['Abc', 'abc\n', '-abc', '.abc', '_abc'].map((id): [string, string] => [
        id,
        `"id" may only have a-z, 0-9, ".", "_" and "-", and begins with a-z or 0-9, got ${id.replace('\n', '\\n')}`,
      ]),
    ];
    for (const [id, message] of wrong) {
      const problems = await problemsOf(workflow({ id, steps: [step({ id })] }));
      expect(problems).toEqual([`/id: ${message}`, `/steps/0/id: ${message}`]);
    }
  });

  it('are those of SemVer for the version', async () => {
    verifies('GUIDE-7');
    await soundGuide(workflow({ version: '2.0.0-rc.1+build.5' }));
    for (const [version, found] of [
      ['1.0', '1.0'],
      ['', 'an empty one'],
      [1, 'number'],
    ] as const) {
      expect(await problemsOf(workflow({ version }))).toEqual([
        `/version: "version" must be a semantic version such as 1.0.0, got ${found}`,
      ]);
    }
  });

  it('are at least one step, and no duplicates where texts must be unique', async () => {
    verifies('GUIDE-7');
    expect(await problemsOf(workflow({ steps: [] }))).toEqual([
      '/steps: "steps" must be an array of one step or more, got none',
    ]);
    expect(await problemsOf(workflow({ steps: {} }))).toEqual([
      '/steps: "steps" must be an array of one step or more, got object',
    ]);
    expect(await problemsOf(workflow({ metaGuidance: ['a', 'b', 'a'] }))).toEqual([
      '/metaGuidance/2: "metaGuidance" must not contain duplicates: a',
    ]);
  });

  it('are 1 MiB and 64 levels for the file', async () => {
    verifies('GUIDE-7');
    const padded = (bytes: number) => JSON.stringify(workflow()).padEnd(bytes, ' ');
    await soundGuide(padded(1024 * 1024));
    expect(await problemsOf(padded(1024 * 1024 + 1))).toEqual([': The file is larger than 1 MiB']);
    const nested = (levels: number) => {
      const operand = '['.repeat(levels - 4) + ']'.repeat(levels - 4);
      return JSON.stringify(workflow({ steps: [step({ runCondition: 'HERE' })] })).replace(
        '"HERE"',
        `{"var":"x","equals":${operand}}`,
      );
    };
    await soundGuide(nested(64));
    const { problems, criteriaOnly } = await invalidGuide(nested(65));
    expect(problems.map(({ message }) => message)).toEqual(['Nested more than 64 deep']);
    expect(criteriaOnly).toBe(false);
    expect(openGuideText(bytesOf(nested(20_000)), 'x').id).toBe('demo');
  });
});

describe('problems', () => {
  it('have line, column and path for duplicate keys and step ids', async () => {
    verifies('GUIDE-8');
    const text = `{
  "id": "demo", "name": "D", "description": "d", "version": "1.0.0",

  "name": "again",
  "steps": [
    {"id": "one", "title": "t", "prompt": "p"},
    {"id": "one", "title": "t", "prompt": "p"}
  ]
}`;
    const { problems, left } = await invalidGuide(text);
    expect(problems).toEqual([
      { line: 4, column: 3, path: '/name', message: 'Duplicate key: name' },
      { line: 7, column: 12, path: '/steps/1/id', message: 'Duplicate step id: one' },
    ]);
    expect(left).toBe(0);
  });

  it('name every missing field', async () => {
    expect(await problemsOf('{}')).toEqual([
      ': Missing field: id',
      ': Missing field: name',
      ': Missing field: description',
      ': Missing field: steps',
    ]);
    expect(await problemsOf(workflow({ steps: [{}] }))).toEqual([
      '/steps/0: Missing field: id',
      '/steps/0: Missing field: title',
      '/steps/0: Missing field: prompt',
    ]);
  });

  it('name every value of a wrong type', async () => {
    expect(await problemsOf('[]')).toEqual([': A workflow must be an object, got array']);
    expect(await problemsOf('null')).toEqual([': A workflow must be an object, got null']);
    const steps = [
      null,
      step({ askForFiles: 'yes', requireConfirmation: 'no', runCondition: null }),
    ];
    expect(await problemsOf(workflow({ id: 5, preconditions: 'x', steps }))).toEqual([
      '/id: "id" must be a string, got number',
      '/steps/0: A step must be an object, got null',
      '/steps/1/askForFiles: "askForFiles" must be true or false, got string',
      '/steps/1/requireConfirmation: "requireConfirmation" must be true, false or a condition, got string',
      '/steps/1/runCondition: A condition must be an object, got null, for example {"var": "severity", "equals": "high"}',
      '/preconditions: "preconditions" must be an array of strings, got string',
    ]);
  });

  it('say what is not supported, in a loop and elsewhere', async () => {
    verifies('GUIDE-9');
    const loop = { id: 'loop-it', type: 'loop', title: 't', loop: { type: 'while' }, body: [] };
    const named = ['functionDefinitions', 'promptBlocks', 'outputContract', 'templateCall'];
    const more = ['assessments', 'functionCalls', 'parallelDelegations', 'modelTier'];
    const fields = Object.fromEntries([...named, ...more].map((name) => [name, 1]));
    const steps = [loop, step({ ...fields, type: 'parallel' }), step({ id: 'odd', type: 'task' })];
    expect(await problemsOf(workflow({ ...fields, steps }))).toEqual([
      '/steps/0: Missing field: prompt',
      '/steps/0/type: Not supported: loop',
      '/steps/0/loop: Not supported: loop',
      '/steps/0/body: Not supported: body',
      ...[...named, ...more].map((name) => `/steps/1/${name}: Not supported: ${name}`),
      '/steps/1/type: Not supported: parallel',
      ...[...named, ...more].map((name) => `/${name}: Not supported: ${name}`),
    ]);
  });

  it('of conditions are found everywhere', async () => {
    verifies('GUIDE-18');
    for (const condition of [
      { var: 'a', equal: 1 },
      { equal: 1 },
      { not: { var: 'a', equal: 1 } },
      { or: [{ var: 'a' }, { and: [{ var: 'b', equal: 2 }] }] },
    ]) {
      for (const field of ['runCondition', 'requireConfirmation']) {
        const { problems, criteriaOnly } = await invalidGuide(
          workflow({ steps: [step({ [field]: condition })] }),
        );
        expect(problems).toEqual([
          expect.objectContaining({ message: expect.stringContaining('equal') }),
        ]);
        expect(problems[0]?.path).toMatch(new RegExp(`^/steps/0/${field}/.*equal$`));
        expect(criteriaOnly).toBe(false);
      }
    }
    const foreign = workflow({ steps: [step({ runCondition: { var: 'a', in: [1] } })] });
    expect(await problemsOf(foreign)).toEqual(['/steps/0/runCondition/in: Not supported: in']);
  });

  it('include conditions nested more than 32 deep', async () => {
    verifies('GUIDE-20');
    const nested = (depth: number): unknown => (depth === 1 ? {} : { not: nested(depth - 1) });
    await soundGuide(workflow({ steps: [step({ runCondition: nested(32) })] }));
    const deeper = workflow({ steps: [step({ runCondition: nested(33) })] });
    expect(await problemsOf(deeper)).toEqual([expect.stringContaining('more than 32 deep')]);
    const deepest = JSON.stringify(workflow({ steps: [step({ runCondition: 'HERE' })] })).replace(
      '"HERE"',
      `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`,
    );
    expect(await problemsOf(deepest)).toEqual([
      expect.stringContaining('Nested more than 64 deep'),
    ]);
  });

  it('are listed up to a hundred, the others counted', async () => {
    // Each is of a wrong type, and all but the first are duplicates; reading stops at a hundred.
    const preconditions = Array.from({ length: 250 }, (_, index) => index);
    const { problems, left } = await invalidGuide(workflow({ preconditions }));
    expect([problems.length, left]).toEqual([100, 99]);
    expect(problems[99]?.path).toBe('/preconditions/99');
  });

  it('stay small in a hostile file', async () => {
    const key = 'k'.repeat(200_000);
    const runCondition = { [key]: { [key]: 1 }, [`${key}\n`]: 1 };
    const steps = [step({ runCondition, id: key }), step({ id: key })];
    const { problems } = await invalidGuide(workflow({ steps }));
    expect(problems.length).toBeGreaterThan(3);
    expect(JSON.stringify(problems).length).toBeLessThan(10_000);
    expect(problems.every(({ message }) => !message.includes('\n'))).toBe(true);
  });

  it('say where a file stops being UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{\n"id": "é\ufffd😀'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    expect((await invalidGuide(bytes)).problems).toEqual([
      { line: 2, column: 11, path: '', message: 'The file is not UTF-8 text' },
    ]);
    const cut = bytesOf('["é"').subarray(0, 3);
    expect((await invalidGuide(cut)).problems).toMatchObject([{ line: 1, column: 3 }]);
  });

  it('of JSON syntax are reported alone, at their position', async () => {
    expect((await invalidGuide('{\n  "id": "demo",\n  "name": }')).problems).toEqual([
      {
        line: 3,
        column: 11,
        path: '/name',
        message: 'Not JSON: expected a value, found }',
      },
    ]);
  });
});

it('finds the id of a file with other problems', () => {
  const idOf = (text: string) => openGuideText(Buffer.from(text), 'x').id;
  expect(idOf('{"id": "Odd one", "x": 1}')).toBe('Odd one');
  expect(idOf('{"id": 7}')).toBeNull();
  expect(idOf('{"id": "a"')).toBeNull();
  expect(idOf('["id"]')).toBeNull();
  expect(idOf('"id"')).toBeNull();
});

it('finds the position of the id', async () => {
  expect(await placeOfId(Buffer.from('{\n "id": "a"}'))).toEqual({ line: 2, column: 8 });
  expect(await placeOfId(Buffer.from('{'))).toEqual({ line: 1, column: 1 });
});
