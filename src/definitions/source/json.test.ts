import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import { verifies } from '../../../test/verifies.ts';
import { parseJson, readJson } from './json.ts';
import { locate, type Node, nodeOf, plainValue, pointerTo } from './node.ts';

const RUNS = Number(process.env.DEEPWORK_CASES ?? 1500);
const TIMEOUT_MS = 300_000;

/** The value, or 'refused'. */
function builtIn(text: string): unknown {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'refused';
  }
}

/** The value of our tree, which must be that of JSON.parse. */
async function ours(text: string): Promise<unknown> {
  const { root, faults } = await readJson(text);
  expect(faults.some(({ code }) => code === 'not_json')).toBe(root === null);
  const { value, fault } = parseJson(text);
  expect(fault === 'broken').toBe(root === null);
  expect(fault === 'duplicate keys').toBe(root !== null && faults.length > 0);
  if (root === null) return 'refused';
  expect(plainValue(nodeOf(value))).toEqual(plainValue(root));
  return { value: plainValue(root) };
}

async function treeOf(text: string): Promise<Node> {
  const { root } = await readJson(text);
  if (root === null) throw new Error('expected a tree');
  return root;
}

/** The place and the path of each fault. */
async function faultsOf(text: string): Promise<string[]> {
  const { faults, positionOf } = await readJson(text);
  return faults.map(({ code, path, at }) => {
    const { line, column } = positionOf(at);
    return `${line}:${column} ${pointerTo(path)} ${code}`;
  });
}

describe('values', () => {
  it('are those of JSON.parse for any JSON', { timeout: TIMEOUT_MS }, async () => {
    const json = fc.json({ maxDepth: 8, stringUnit: anyCharacter });
    await fc.assert(
      fc.asyncProperty(json, fc.constantFrom(0, 1, '\t', ' \r\n'), async (text, indent) => {
        for (const written of [text, JSON.stringify(JSON.parse(text), null, indent)]) {
          expect(await ours(written)).toEqual(builtIn(written));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('are refused exactly if JSON.parse refuses them', { timeout: TIMEOUT_MS }, async () => {
    const piece = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '\\', '/', '-', '+', '.', 'e', 'E', '0', '1', '25'],
      ...[' ', '\n', '\r', '\t', '\v', '\f', '\u00a0', '\u2028', '\ufeff', '\0', '\u001f', '\x7f'],
      ...['true', 'false', 'null', 'nul', 'NaN', 'Infinity', 'undefined', "'", '//', '/*', '"a"'],
      ...['"a":', '"__proto__":', '\\u00e9', '\\ud83d', '\\uD83', '\\n', '\\x', '😀', '\ud83d'],
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const edited = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat(2), piece)
      .map(([json, at, drop, put]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + put + json.slice(place + drop);
      });
    const corners = fc.constantFrom(
      ...[
        '',
        ' ',
        '01',
        '-',
        '-0',
        '0.',
        '.5',
        '1e',
        '1e+',
        '1E-2',
        '1e999',
        '-1.5e3',
        '"\\u12g4"',
      ],
      ...['[1,]', '{"a":1,}', '{,}', '[,1]', '{"a" 1}', '{a:1}', 'truex', '1 2', '"\t"', '"open'],
      ...['[[1]', '{"a":[}', '"\\', '\ufeff1', '"\u2028"'],
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, edited, corners), async (written) => {
        expect(await ours(written)).toEqual(builtIn(written));
      }),
      { numRuns: RUNS * 2 },
    );
  });

  it('have `__proto__` as an ordinary key', async () => {
    const value = plainValue(await treeOf('{"__proto__": {"polluted": 1}, "constructor": 2}'));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(await faultsOf('{"__proto__": 1, "__proto__": 2}')).toEqual([
      '1:18 /__proto__ duplicate_key',
    ]);
    expect(await faultsOf('{"constructor": 1, "toString": 2}')).toEqual([]);
  });
});

describe('faults', () => {
  it('report each duplicate key at its position, in code points, and the last value counts', async () => {
    verifies('GUIDE-8');
    const text = '{\n  "a": 1,\n  "😀": {"c": 1, "c": 2},\n  "a": 3,\n  "\\u0061": 4\n}';
    expect(await faultsOf(text)).toEqual([
      '3:17 /😀/c duplicate_key',
      '4:3 /a duplicate_key',
      '5:3 /a duplicate_key',
    ]);
    expect(parseJson(text)).toEqual({ value: { a: 4, '😀': { c: 2 } }, fault: 'duplicate keys' });
    expect(plainValue(await treeOf(text))).toEqual({ a: 4, '😀': { c: 2 } });
  });

  it('are reported above 64 levels, and the id is still known', async () => {
    verifies('GUIDE-7');
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(await readJson(nested(64))).toMatchObject({ faults: [] });
    expect(parseJson(nested(64)).fault).toBeNull();
    const faults = [{ code: 'over_limit', at: 64 }];
    expect(await readJson(nested(65))).toMatchObject({ root: null, faults });
    for (const deep of [65, 20_000, 50_000]) {
      const text = `{"a":${nested(deep)},"id":"x"}`;
      expect(parseJson(text)).toMatchObject({ value: { id: 'x' }, fault: 'broken' });
      expect((await readJson(text)).faults).toMatchObject([{ code: 'over_limit' }]);
    }
    for (const open of ['['.repeat(100_000), '{"a":'.repeat(20_000)]) {
      expect(parseJson(open).fault).toBe('broken');
      expect(await readJson(open)).toMatchObject({ root: null, faults: [{ code: 'over_limit' }] });
    }
  });

  it('are bounded in number and in size', async () => {
    const key = 'k'.repeat(100_000);
    const { faults } = await readJson(`{${`"${key}":1,`.repeat(5)}"x":1}`);
    expect(faults).toHaveLength(4);
    for (const { message, path } of faults) {
      expect([message.length < 200, pointerTo(path).length < 1010]).toEqual([true, true]);
    }
    expect((await readJson(`{${'"a":1,'.repeat(50_000)}"a":1}`)).faults).toHaveLength(1000);
    const broken = await readJson(`{${'"a":1,'.repeat(50_000)}`);
    expect(broken.faults.at(-1)?.code).toBe('not_json');
  });
});

it('positions are those of a key, of a value, of an item, or as close as the text allows', async () => {
  const text = '{"a": {"b": [10, {"c": true}]},\n "a": [5]}';
  const tree = await treeOf(text);
  for (const [path, target, seen] of [
    [[], 'value', '{"a": '],
    [['a'], 'key', '"a": ['],
    [['a'], 'value', '[5]}'],
    [['a', 0], 'key', '5]}'],
    [['a', 7], 'value', '[5]}'],
    [['a', 0, 'x', 'y'], 'value', '5]}'],
    [['none'], 'key', '{"a": '],
  ] as const) {
    expect(text.slice(locate(tree, path, target)).slice(0, 6)).toBe(seen);
  }
  expect([pointerTo(['a/b', '~', 0, '']), pointerTo([])]).toEqual(['/a~1b/~0/0/', '']);
});

it('a megabyte is read without a noticeable pause', async () => {
  const text = JSON.stringify(
    { steps: Array.from({ length: 600 }, () => ({ prompt: 'Do,\nthen "that".\n'.repeat(90) })) },
    null,
    2,
  );
  expect(text.length).toBeGreaterThan(1_000_000);
  await expectPiecesAtMost(20, () => expect(parseJson(text).fault).toBeNull());
});
