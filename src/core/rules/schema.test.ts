import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { Fault } from '../issue.ts';
import { notCompiled } from './model.ts';
import { withoutPauses } from './run-within.ts';
import { compileSchema } from './schema.ts';
import { openRuleBudget } from './time-budget.ts';
import { validateText } from './validate.ts';

const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

async function compile(schema: Record<string, unknown>) {
  const problems: Fault[] = [];
  const compiled = notCompiled();
  await compileSchema({ schema, path: ['schema'], compiled }, problems, async () => {});
  return { ...compiled, problems };
}

async function accepts(schema: Record<string, unknown>, ...values: unknown[]) {
  const compiled = await compile(schema);
  expect(compiled.problems).toEqual([]);
  return values.map((value) => compiled.accepts(value));
}

async function problemsOf(schema: Record<string, unknown>) {
  const { problems } = await compile(schema);
  expect(problems.every(({ code }) => code === 'wrong_schema')).toBe(true);
  return problems.map(({ path, message }) => `${path.join('/')} ${message}`);
}

describe('what a schema accepts', () => {
  const prefixed = { prefixItems: [{ type: 'string' }], items: false };
  const listed = { items: [{ type: 'string' }], additionalItems: false };
  const anchored = { $defs: { a: { $anchor: 'x', type: 'null' } }, $ref: '#x' };

  test.each<[what: string, schema: Record<string, unknown>, accepted: unknown, refused: unknown]>([
    ['a format', { format: 'email' }, 'a@b.org', 'a'],
    ['a format of times', { format: 'date-time' }, '2024-01-01T00:00:00Z', 'x'],
    ['an unknown keyword', { foo: 1, type: 'string', 'x-y': {} }, 'x', 1],
    ['2020-12', { $schema: DRAFT_2020, ...prefixed }, ['a'], [1]],
    ['an anchor', { $schema: `${DRAFT_2020}#`, ...anchored }, null, 1],
    ['draft 7 without a name', listed, ['a'], ['a', 'b']],
    ...['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft-07/schema'].map(
      ($schema): [string, Record<string, unknown>, unknown, unknown] => [
        ...([$schema, { $schema, ...listed }, ['a'], [1]] as const),
      ],
    ),
    ['decimal fractions', { multipleOf: 0.01 }, 19.99, 19.995],
  ])('%s', async (_what, schema, accepted, refused) => {
    verifies('GUIDE-31');
    expect(await accepts(schema, accepted, refused)).toEqual([true, false]);
  });

  test('unknown formats, and keywords of the other draft, are ignored', async () => {
    expect(await accepts({ format: 'unheard-of' }, 'x')).toEqual([true]);
    expect(await accepts({ ...prefixed, items: {} }, [1])).toEqual([true]);
  });

  test('keywords beside a $ref count in 2020-12 only', async () => {
    const schema = {
      definitions: { a: { type: 'string' } },
      $ref: '#/definitions/a',
      maxLength: 1,
    };
    expect(await accepts(schema, 'long', 1)).toEqual([true, false]);
    expect(await accepts({ ...schema, $schema: DRAFT_2020 }, 'long', 'x')).toEqual([false, true]);
  });

  test('equal $ids do not clash', async () => {
    verifies('GUIDE-31');
    const inner = (type: string) => ({ definitions: { a: { $id: 'inner.json', type } } });
    const schema = (type: string) => ({
      $id: 'http://example.org/same.json',
      ...inner(type),
      properties: { a: { $ref: 'inner.json' }, self: { $ref: 'same.json' } },
    });
    const one = await compile(schema('string'));
    const other = await compile(schema('number'));
    expect([one.problems, other.problems]).toEqual([[], []]);
    expect(one.accepts({ a: 'x', self: { a: 'x' } })).toBe(true);
    expect(one.accepts({ self: { a: 1 } })).toBe(false);
    expect(other.accepts({ self: { a: 1 } })).toBe(true);
    expect(other.accepts({ a: 'x' })).toBe(false);
  });

  test('a schema may refer to itself, and to the metaschema', async () => {
    const tree = {
      type: 'object',
      properties: { next: { $ref: '#' } },
      additionalProperties: false,
    };
    expect(await accepts(tree, { next: { next: {} } }, { next: { other: 1 } })).toEqual([
      true,
      false,
    ]);
    const meta = { $ref: 'http://json-schema.org/draft-07/schema#' };
    expect(await accepts(meta, { type: 'string' }, { type: 'strin' })).toEqual([true, false]);
  });

  test('only own properties count', async () => {
    const schema = { required: ['constructor'], properties: { toString: { type: 'number' } } };
    expect(await accepts(schema, {}, { constructor: 1 })).toEqual([false, true]);
    expect(await accepts({ properties: { valueOf: { type: 'number' } } }, {})).toEqual([true]);
    const named = JSON.parse('{"__proto__":1}');
    expect(await accepts({ required: ['__proto__'] }, {}, named)).toEqual([false, true]);
    expect(await accepts({ additionalProperties: false }, {}, named)).toEqual([true, false]);
  });

  test('keywords that only the library defines are ignored', async () => {
    const nested = { properties: { a: { $async: true, type: 'number' } } };
    expect(await accepts({ $async: true, ...nested }, { a: 1 }, { a: 'x' })).toEqual([true, false]);
    expect(await accepts({ type: 'string', nullable: true }, 'x', null)).toEqual([true, false]);
    expect(await accepts({ nullable: true, id: 7 }, 1)).toEqual([true]);
    const named = {
      properties: { nullable: { type: 'number' }, id: true },
      additionalProperties: false,
    };
    expect(await accepts(named, { nullable: 1, id: 1 }, { nullable: 'x' })).toEqual([true, false]);
    expect(await accepts({ const: { $async: true } }, { $async: true }, {})).toEqual([true, false]);
  });
});

describe('problems of a schema', () => {
  const draft4 = { $schema: 'http://json-schema.org/draft-04/schema#' };
  const unused = { definitions: { unused: { patternProperties: { '[': {} } } } };

  test.each([
    [{ type: 'strin' }, 'schema/type'],
    [{ allOf: [{}, { required: 'a' }] }, 'schema/allOf/1/required'],
    [{ minLength: -1 }, 'schema/minLength'],
    [{ properties: { 'a/b': 7 } }, 'schema/properties/a/b'],
    [{ pattern: '(' }, 'schema/pattern'],
    [unused, 'schema/definitions/unused/patternProperties/['],
    [{ $ref: '#/nowhere' }, 'schema'],
    [{ items: { $ref: 'http://example.org/x.json' } }, 'schema'],
    [{ properties: JSON.parse('{"__proto__":{}}') }, 'schema/properties/__proto__'],
    [draft4, 'schema/$schema'],
    [{ $schema: 7 }, 'schema/$schema'],
    [{ $schema: '' }, 'schema/$schema'],
  ])('%j: at %s', async (schema, place) => {
    verifies('GUIDE-32');
    const problems = await problemsOf(schema);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.split(' ')[0]).toBe(place);
  });

  test('the size and the depth of a schema are limited', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.not = cycle;
    expect(await problemsOf(cycle)).toHaveLength(1);
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 100; level += 1) deep = { not: deep };
    expect(await problemsOf(deep)).not.toEqual([]);
    const circle = {
      definitions: { a: { $ref: '#/definitions/b' }, b: { $ref: '#/definitions/a' } },
    };
    expect(await problemsOf({ ...circle, $ref: '#/definitions/a' })).toHaveLength(1);
  });
});

test('other work may run between parsing a value, judging it and reporting on it', async () => {
  const schema = await compile({ type: 'string' });
  const rule = { pointer: '/0', message: 'm', suggestion: null, condition: null };
  const members = [{ ...rule, kind: 'schema', schema } as const];
  let turns = 1;
  const judging = validateText({ source: null, members }, '[1]', {}, openRuleBudget());
  while (!judging.next().done) turns += 1;
  expect(turns).toBeGreaterThanOrEqual(4);
});

describe('the report on a rejected value', () => {
  async function complaints(schema: Record<string, unknown>, value: unknown) {
    const compiled = await compile(schema);
    expect(compiled.accepts(value)).toBe(false);
    return withoutPauses(compiled.complaints(value));
  }

  test('names each place, with what would be right, and what alternatives require', async () => {
    const schema = {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: {
        level: { enum: ['low', 'high'] },
        version: { const: 2 },
        items: { type: 'array', items: { type: 'number' } },
      },
    };
    const value = { level: 'mid', version: 1, items: [1, 'two'], 'a/b': 0 };
    const lines = (await complaints(schema, value)).sort();
    const named = ['"a/b"', "'name'", '/items/1', '"low", "high"', '2'];
    expect(lines).toEqual(named.map((part) => expect.stringContaining(part)));
    const either = await complaints({ anyOf: [{ type: 'string' }, { type: 'number' }] }, null);
    expect(either).toEqual(['string', 'number'].map((part) => expect.stringContaining(part)));
    expect(await complaints({ not: {} }, 1)).toHaveLength(1);
  });

  test('has at most ten lines, each of them short', async () => {
    const many = await complaints({ items: { type: 'string' } }, Array(50_000).fill(1));
    expect(many.length).toBeLessThanOrEqual(10);
    expect(many[0]).toContain('/0');
    const [long = ''] = await complaints({ enum: ['x'.repeat(5000)] }, 1);
    expect(long.length).toBeLessThan(400);
  });
});
