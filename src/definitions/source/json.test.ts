import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import { verifies } from '../../../test/verifies.ts';
import { parseJson, readJson } from './json.ts';
import { locate, type Node, nodeOf, plainValue, pointerTo } from './node.ts';

const RUNS = Number(process.env.DEEPWORK_CASES ?? 1500);
const TIMEOUT_MS = 300_000;

/** Message and position of each fault. */
async function faultsOf(text: string): Promise<string[]> {
  const { faults, positionOf } = await readJson(text);
  return faults.map(({ message, path, at }) => {
    const { line, column } = positionOf(at);
    return `${line}:${column} ${pointerTo(path)} ${message}`;
  });
}

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
      ...['true', 'false', 'null', 'nul', 'NaN', 'Infinity', 'undefined', "'", '//', '/*'],
      ...[
        '"a"',
        '"a":',
        '"__proto__":',
        '\\u00e9',
        '\\ud83d',
        '\\uD83',
        '\\n',
        '\\x',
        '😀',
        '\ud83d',
      ],
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const edited = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.nat(2), piece)
      .map(([json, at, drop, put]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + put + json.slice(place + drop);
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, edited), async (written) => {
        expect(await ours(written)).toEqual(builtIn(written));
      }),
      { numRuns: RUNS * 2 },
    );
  });

  it('are refused like by JSON.parse in these edge cases', async () => {
    const corners = [
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
      '"\u2028"',
      '[1,]',
      '{"a":1,}',
      '{,}',
      '[,1]',
      '{"a" 1}',
      '{a:1}',
      'truex',
      '1 2',
      '"\t"',
      '"open',
      '[[1]',
      '{"a":[}',
      '"\\',
      '\ufeff1',
    ];
    for (const text of corners) expect(await ours(text), text).toEqual(builtIn(text));
  });

  it('have `__proto__` as an ordinary key', async () => {
    const value = plainValue(await treeOf('{"__proto__": {"polluted": 1}, "constructor": 2}'));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(await faultsOf('{"__proto__": 1, "__proto__": 2}')).toEqual([
      '1:18 /__proto__ Duplicate key: __proto__',
    ]);
    expect(await faultsOf('{"constructor": 1, "toString": 2}')).toEqual([]);
  });
});

describe('faults', () => {
  it('report each duplicate key at its position', async () => {
    verifies('GUIDE-8');
    const text = '{\n  "a": 1,\n  "b": {"c": 1, "c": 2},\n  "a": 3,\n  "\\u0061": 4\n}';
    expect(await faultsOf(text)).toEqual([
      '3:17 /b/c Duplicate key: c',
      '4:3 /a Duplicate key: a',
      '5:3 /a Duplicate key: a',
    ]);
    expect(parseJson(text)).toEqual({ value: { a: 4, b: { c: 2 } }, fault: 'duplicate keys' });
    expect(plainValue(await treeOf(text))).toEqual({ a: 4, b: { c: 2 } });
  });

  it('are exactly where the text stops being JSON', async () => {
    expect(await faultsOf('')).toEqual(['1:1  Not JSON: the file is empty']);
    expect(await faultsOf('{"a": [1, 2,\n ]}')).toEqual([
      '1:12 /a Not JSON: trailing comma before "]"',
    ]);
    expect(await faultsOf('{"a": 1\n "b": 2}')).toEqual([
      '2:2  Not JSON: expected "," or "}", found "',
    ]);
    expect(await faultsOf('{"a": [true, nil]}')).toEqual([
      '1:14 /a/1 Not JSON: expected a value, found nil',
    ]);
    expect(await faultsOf('{"a": 1, // why\n "b": 2}')).toEqual([
      '1:10  Not JSON: expected a key in double quotes, found a comment; JSON has no comments',
    ]);
    expect(await faultsOf('[1, # why\n 2]')).toEqual([
      '1:5 /1 Not JSON: expected a value, found a comment; JSON has no comments',
    ]);
    expect(await faultsOf("{'a': 1}")).toEqual([
      '1:2  Not JSON: expected a key in double quotes, found a single quote; JSON has only double quotes',
    ]);
    expect(await faultsOf('{"a" = 1}')).toEqual([
      '1:6  Not JSON: expected ":" after a key, found =',
    ]);
    expect(await faultsOf('["x\\q"]')).toEqual(['1:4 /0 Not JSON: invalid escape']);
    expect(await faultsOf('["x\ny"]')).toEqual([
      '1:4 /0 Not JSON: a string must end on the line on which it begins',
    ]);
    expect(await faultsOf('["x\u0001"]')).toEqual([
      '1:4 /0 Not JSON: a control character in a string must be escaped',
    ]);
    expect(await faultsOf('[1, "open]')).toEqual(['1:5 /1 Not JSON: unterminated string']);
    expect(await faultsOf('[1, [2')).toEqual([
      '1:7 /1 Not JSON: expected "," or "]", found the end of the file',
    ]);
    expect(await faultsOf('{} {}')).toEqual([
      '1:4  Not JSON: expected the end of the file, found {',
    ]);
  });

  it('count columns in code points', async () => {
    expect(await faultsOf('["😀é", nil]')).toEqual([
      '1:8 /1 Not JSON: expected a value, found nil',
    ]);
  });

  it('are reported above 64 levels, and the id is still known', async () => {
    verifies('GUIDE-7');
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(await readJson(nested(64))).toMatchObject({ faults: [] });
    expect(parseJson(nested(64)).fault).toBeNull();
    expect(await readJson(nested(65))).toMatchObject({
      root: null,
      faults: [{ message: 'Nested more than 64 deep', at: 64 }],
    });
    for (const deep of [65, 20_000, 50_000]) {
      const text = `{"a":${nested(deep)},"id":"x"}`;
      expect(parseJson(text)).toMatchObject({ value: { id: 'x' }, fault: 'broken' });
      const { faults } = await readJson(text);
      expect(faults.map(({ code, path }) => [code, path.length])).toEqual([['over_limit', 64]]);
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
    expect(faults.every(({ message }) => message.length < 200)).toBe(true);
    expect(faults.every(({ path }) => pointerTo(path).length < 1010)).toBe(true);
    expect((await readJson(`{${'"a":1,'.repeat(50_000)}"a":1}`)).faults).toHaveLength(1000);
    const broken = await readJson(`{${'"a":1,'.repeat(50_000)}`);
    expect(broken.faults.at(-1)?.message).toContain('Not JSON');
  });
});

describe('positions', () => {
  const text = '{"a": {"b": [10, {"c": true}]},\n "a": [5]}';
  const seen = async (path: (string | number)[], target: 'key' | 'value') =>
    text.slice(locate(await treeOf(text), path, target)).slice(0, 6);

  it('are those of a key, of a value, of an item', async () => {
    expect(await seen([], 'value')).toBe('{"a": ');
    expect(await seen(['a'], 'key')).toBe('"a": [');
    expect(await seen(['a'], 'value')).toBe('[5]}');
    expect(await seen(['a', 0], 'key')).toBe('5]}');
  });

  it('are as close as the text allows', async () => {
    expect(await seen(['a', 7], 'value')).toBe('[5]}');
    expect(await seen(['a', 0, 'x', 'y'], 'value')).toBe('5]}');
    expect(await seen(['none'], 'key')).toBe('{"a": ');
  });

  it('have pointers with escapes', () => {
    expect(pointerTo(['a/b', '~', 0, ''])).toBe('/a~1b/~0/0/');
    expect(pointerTo([])).toBe('');
  });
});

it('reads a megabyte without a noticeable pause', async () => {
  const steps = Array.from({ length: 600 }, (_, index) => ({
    id: `step-${index}`,
    prompt: 'Do this,\nthen "that".\n'.repeat(70),
    validationCriteria: [{ type: 'contains', value: 'x', message: 'm' }],
  }));
  const text = JSON.stringify({ steps }, null, 2);
  expect(text.length).toBeGreaterThan(1_000_000);
  await expectPiecesAtMost(20, () => expect(parseJson(text).fault).toBeNull());
});
