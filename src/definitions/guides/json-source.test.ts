import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorSeconds } from '../../../test/support/job-files.ts';
import { verifies } from '../../../test/verifies.ts';
import { locate, pointerTo } from './json-places.ts';
import { readJson } from './json-source.ts';
import { openPositions } from './text-positions.ts';

const RUNS = Number(process.env.DEEPWORK_CASES ?? 3000);
const TIMEOUT_MS = 300_000;

/** Message and position of each fault. */
function faultsOf(text: string): string[] {
  const positionOf = openPositions(text);
  return readJson(text).faults.map(({ message, path, at }) => {
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

function ours(text: string): unknown {
  const { value, whole } = readJson(text);
  return whole ? { value } : 'refused';
}

describe('values', () => {
  it('are those of JSON.parse for any JSON', { timeout: TIMEOUT_MS }, () => {
    const json = fc.json({ maxDepth: 8, stringUnit: 'binary' });
    fc.assert(
      fc.property(json, fc.constantFrom(0, 1, '\t', ' \r\n'), (text, indent) => {
        for (const written of [text, JSON.stringify(JSON.parse(text), null, indent)]) {
          expect(ours(written)).toEqual(builtIn(written));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('are refused exactly where JSON.parse refuses', { timeout: TIMEOUT_MS }, () => {
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
    fc.assert(
      fc.property(fc.oneof(text, edited), (written) => {
        expect(ours(written)).toEqual(builtIn(written));
      }),
      { numRuns: RUNS * 2 },
    );
  });

  it('are refused, and never miss JSON.parse, in these corners', () => {
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
    for (const text of corners) expect(ours(text), text).toEqual(builtIn(text));
  });

  it('have `__proto__` as a key like any other', () => {
    const { value } = readJson('{"__proto__": {"polluted": 1}, "constructor": 2}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(faultsOf('{"__proto__": 1, "__proto__": 2}')).toEqual([
      '1:18 /__proto__ Duplicate key: __proto__',
    ]);
    expect(faultsOf('{"constructor": 1, "toString": 2}')).toEqual([]);
  });
});

describe('faults', () => {
  it('tell of each key that is written again, where it is', () => {
    verifies('GUIDE-8');
    const text = '{\n  "a": 1,\n  "b": {"c": 1, "c": 2},\n  "a": 3,\n  "\\u0061": 4\n}';
    expect(faultsOf(text)).toEqual([
      '3:17 /b/c Duplicate key: c',
      '4:3 /a Duplicate key: a',
      '5:3 /a Duplicate key: a',
    ]);
    expect(readJson(text)).toMatchObject({ value: { a: 4, b: { c: 2 } }, whole: true });
  });

  it('stand exactly where the text stops being JSON', () => {
    expect(faultsOf('')).toEqual(['1:1  Not JSON: the file is empty']);
    expect(faultsOf('{"a": [1, 2,\n ]}')).toEqual([
      '1:12 /a Not JSON: no comma may stand before "]"',
    ]);
    expect(faultsOf('{"a": 1\n "b": 2}')).toEqual([
      '2:2  Not JSON: "," or "}" must stand here, but found "',
    ]);
    expect(faultsOf('{"a": [true, nil]}')).toEqual([
      '1:14 /a/1 Not JSON: a value must stand here, but found nil',
    ]);
    expect(faultsOf('{"a": 1, // why\n "b": 2}')).toEqual([
      '1:10  Not JSON: a key in double quotes must stand here, but JSON has no comments',
    ]);
    expect(faultsOf("{'a': 1}")).toEqual([
      '1:2  Not JSON: a key in double quotes must stand here, but JSON knows only double quotes',
    ]);
    expect(faultsOf('{"a" = 1}')).toEqual(['1:6  Not JSON: ":" must follow a key, but found =']);
    expect(faultsOf('["x\\q"]')).toEqual(['1:4 /0 Not JSON: there is no such escape']);
    expect(faultsOf('["x\ny"]')).toEqual([
      '1:4 /0 Not JSON: a string must end on the line on which it begins',
    ]);
    expect(faultsOf('["x\u0001"]')).toEqual([
      '1:4 /0 Not JSON: a control character in a string must be escaped',
    ]);
    expect(faultsOf('[1, "open]')).toEqual(['1:5 /1 Not JSON: this string has no end']);
    expect(faultsOf('[1, [2')).toEqual([
      '1:7 /1 Not JSON: "," or "]" must stand here, but the file ends',
    ]);
    expect(faultsOf('{} {}')).toEqual(['1:4  Not JSON: nothing may follow the value, but found {']);
  });

  it('count columns in code points', () => {
    expect(faultsOf('["😀é", nil]')).toEqual([
      '1:8 /1 Not JSON: a value must stand here, but found nil',
    ]);
  });

  it('draw the line at 64 levels, and still read what is around', () => {
    verifies('GUIDE-7');
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(readJson(nested(64))).toMatchObject({ whole: true, faults: [] });
    expect(readJson(nested(65))).toMatchObject({
      whole: false,
      faults: [{ message: 'Nested more than 64 deep', at: 64 }],
    });
    for (const deep of [65, 20_000, 500_000]) {
      const { value, whole, faults } = readJson(`{"a":${nested(deep)},"id":"x"}`);
      expect([(value as { id: string }).id, whole, faults.length]).toEqual(['x', false, 1]);
      expect(faults[0]?.path).toHaveLength(64);
    }
    expect(faultsOf('['.repeat(100_000))).toHaveLength(2);
    const objects = '{"a":'.repeat(20_000);
    expect(readJson(objects).whole).toBe(false);
  });

  it('are bounded in number and in size', () => {
    const key = 'k'.repeat(100_000);
    const { faults } = readJson(`{${`"${key}":1,`.repeat(5)}"x":1}`);
    expect(faults.every(({ message }) => message.length < 200)).toBe(true);
    expect(faults.every(({ path }) => pointerTo(path).length < 1010)).toBe(true);
    expect(readJson(`{${'"a":1,'.repeat(50_000)}"a":1}`).faults).toHaveLength(1000);
    const broken = readJson(`{${'"a":1,'.repeat(50_000)}`);
    expect(broken.faults.at(-1)?.message).toContain('Not JSON');
  });
});

describe('places', () => {
  const text = '{"a": {"b": [10, {"c": true}]},\n "a": [5]}';
  const { places } = readJson(text);
  const seen = (path: (string | number)[], target: 'key' | 'value') =>
    text.slice(locate(places, path, target)).slice(0, 6);

  it('are those of a key, of a value, of an item', () => {
    expect(seen([], 'value')).toBe('{"a": ');
    expect(seen(['a'], 'key')).toBe('"a": [');
    expect(seen(['a'], 'value')).toBe('[5]}');
    expect(seen(['a', 0], 'key')).toBe('5]}');
  });

  it('are as near as the text reaches', () => {
    expect(seen(['a', 7], 'value')).toBe('[5]}');
    expect(seen(['a', 0, 'x', 'y'], 'value')).toBe('5]}');
    expect(seen(['none'], 'key')).toBe('{"a": ');
  });

  it('have pointers with escapes', () => {
    expect(pointerTo(['a/b', '~', 0, ''])).toBe('/a~1b/~0/0/');
    expect(pointerTo([])).toBe('');
  });
});

it('reads a megabyte without a noticeable pause', () => {
  const steps = Array.from({ length: 600 }, (_, index) => ({
    id: `step-${index}`,
    prompt: 'Do this,\nthen "that".\n'.repeat(70),
    validationCriteria: [{ type: 'contains', value: 'x', message: 'm' }],
  }));
  const text = JSON.stringify({ steps }, null, 2);
  expect(text.length).toBeGreaterThan(1_000_000);
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10; round++) {
    const before = processorSeconds();
    readJson(text);
    fastest = Math.min(fastest, processorSeconds() - before);
  }
  expect(fastest).toBeLessThan(0.05);
});
