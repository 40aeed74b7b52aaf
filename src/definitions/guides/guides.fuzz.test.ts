// Parsing any file ends soon with a guide or with problems, each of which is on one line and has
// a position.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { step, workflow } from '../../../test/support/guides.ts';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import { verifies } from '../../../test/verifies.ts';
import { problemOf } from '../reader/issues.ts';
import { openGuideText } from './parse-guide.ts';

const RUNS = Number(process.env.DEEPWORK_CASES ?? 400);
const TIMEOUT_MS = 1_800_000;
const MAX_PIECES = 150;

const SOUND = JSON.stringify(
  workflow({
    preconditions: ['One', 'Two'],
    category: 'testing',
    steps: [
      step({
        askForFiles: true,
        requireConfirmation: { var: 'a.b', gte: 1, not: { var: 'c' } },
        runCondition: { and: [{ var: 'x', equals: [1, { y: null }] }, { or: [] }] },
        guidance: ['Take care'],
        agentRole: 'You are careful.',
      }),
      step({
        id: 'second',
        validationCriteria: [
          { type: 'contains', value: '401', message: 'm', condition: { var: 'x', lt: 3 } },
          { and: [{ type: 'regex', pattern: '(?i)a+(?=b)', flags: 'g', message: 'm' }] },
          { not: { type: 'length', min: 1, max: 9, message: 'm' }, suggestion: 's' },
        ],
      }),
      step({
        id: 'third',
        validationCriteria: {
          type: 'schema',
          message: 'm',
          schema: { type: 'object', properties: { a: { type: 'string', pattern: '^x' } } },
        },
      }),
    ],
  }),
  null,
  1,
);

/** Fragments that have a meaning in JSON or in a guide. */
const piece = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\n',
      ',',
      ':',
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      '[]',
      '{}',
      'null',
      '0',
      '-1',
      '1e9',
    ],
    ...[
      '"id"',
      '"steps"',
      '"type":"loop",',
      '"__proto__":1,',
      '"constructor":',
      '"var":',
      '"not":{',
    ],
    ...[
      '"and":[',
      '"schema":',
      '"$ref":"#",',
      '"pattern":"(a+)+$",',
      '"(?x)"',
      '\\u0000',
      '\ufeff',
      '😀',
    ],
    ...['"$id":"x",', '"items":', '"enum":[],', '"$schema":"x",', '"minLength":-1,', '"\\ud800"'],
  ),
  fc.string({ maxLength: 8, unit: anyCharacter }),
  fc.jsonValue({ maxDepth: 2 }).map((json) => JSON.stringify(json)),
);

const edit = fc.record({ at: fc.nat(SOUND.length), drop: fc.nat(30), put: piece });

async function judge(content: string | Uint8Array): Promise<void> {
  await expectPiecesAtMost(MAX_PIECES, () => parseAndJudge(content));
}

async function parseAndJudge(content: string | Uint8Array): Promise<void> {
  const parsed = await openGuideText(Buffer.from(content as Uint8Array), '/folder/x.json').check();
  if (parsed.kind === 'guide') {
    expect(parsed.guide.definition.steps.length).toBeGreaterThan(0);
    return;
  }
  expect(parsed.problems.length).toBeGreaterThan(0);
  expect(parsed.problems.length).toBeLessThanOrEqual(100);
  for (const { line, column, path, message } of parsed.problems.map(problemOf)) {
    expect(Math.min(line, column)).toBeGreaterThan(0);
    expect(path === '' || path.startsWith('/')).toBe(true);
    expect(message).toMatch(/^[^\n\r]+$/);
  }
  const steps = parsed.criteriaFaults.map((fault) => fault.step);
  expect(new Set(steps).size).toBe(steps.length);
  if (parsed.criteriaOnly) expect(steps.length).toBeGreaterThan(0);
}

it('begins with a valid guide', async () => {
  expect((await openGuideText(Buffer.from(SOUND), '/x.json').check()).kind).toBe('guide');
});

it(
  'judges any edit of a valid guide',
  async () => {
    verifies('GUIDE-8');
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
        let text = SOUND;
        for (const { at, drop, put } of edits) {
          text = text.slice(0, at) + put + text.slice(at + drop);
        }
        await judge(text);
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);

it(
  'judges any value in place of any part',
  async () => {
    const lines = SOUND.split('\n');
    const value = fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.stringify(json));
    await fc.assert(
      fc.asyncProperty(fc.nat(lines.length - 1), value, async (index, json) => {
        const changed = [...lines];
        changed[index] = (lines[index] ?? '').replace(
          /:.*?(,?)$/,
          (_, comma) => `: ${json}${comma}`,
        );
        await judge(changed.join('\n'));
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);

it(
  'judges any bytes',
  async () => {
    const flip = fc.record({ at: fc.nat(SOUND.length - 1), byte: fc.nat(255) });
    const flipped = fc.array(flip, { minLength: 1, maxLength: 5 }).map((flips) => {
      const bytes = Buffer.from(SOUND);
      for (const { at, byte } of flips) bytes[at] = byte;
      return bytes;
    });
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 100 }), flipped);
    await fc.assert(
      fc.asyncProperty(bytes, (content) => judge(content)),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);

it('judges files that are a megabyte of one fragment', async () => {
  const fill = (unit: string, open: string, close: string) =>
    open + unit.repeat((1024 * 1024 - open.length - close.length) / unit.length) + close;
  const inWorkflow = (field: string) => JSON.stringify(workflow({ x: 1 })).replace('"x":1', field);
  for (const text of [
    fill('[', '', ''),
    fill('{"a":', '', ''),
    fill('"a":1,', '{', '"a":1}'),
    fill('"', '', ''),
    fill('\\u0041', '"', '"'),
    fill('0', '', ''),
    fill('null,', '[', 'null]'),
    fill('{},', '{"steps":[', '{}]}'),
    fill('{"id":"aaa"},', '{"steps":[', '{}]}'),
    fill('"x",', '{"metaGuidance":[', '"x"]}'),
    inWorkflow(
      `"steps":[{"validationCriteria":[${'{"type":"regex","pattern":"("},'.repeat(20_000)}1]}]`,
    ),
    inWorkflow(`"steps":[{"runCondition":{"or":[${'{"a":1},'.repeat(90_000)}1]}}]`),
  ]) {
    await judge(text);
  }
});
