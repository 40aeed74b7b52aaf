// Entries put into a JSON file leave every other byte unchanged, and can be taken out again: in texts
// written by hand, and in random ones with comments, tabs, CRLF and trailing commas.

import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import {
  type Added,
  addEntries,
  entryStateOf,
  type JsonEntry,
  removeEntries,
} from './json-entries.ts';
import { withoutRanges } from './spliced-text.ts';

const SERVER = { command: 'deepwork', args: ['serve', '--path', '.'] };
const ENTRY: JsonEntry = { path: ['mcpServers', 'deepwork'], value: SERVER };
const HOOK = { hooks: [{ type: 'command', command: 'deepwork hook claude stop' }] };
const ITEM: JsonEntry = { path: ['hooks', 'Stop'], value: HOOK, mark: 'hook claude stop' };

function add(text: string, ...entries: JsonEntry[]): Added {
  const added = addEntries(text, entries);
  if (added.kind === 'problem') throw new Error(added.why);
  return added;
}

function why(text: string, ...entries: JsonEntry[]): string | null {
  const added = addEntries(text, entries);
  return added.kind === 'problem' ? added.why : null;
}

describe('an entry is written as its neighbours are', () => {
  test('into an empty file, as a file of its own', () => {
    expect(add('', ENTRY).spliced.text).toBe(`{
  "mcpServers": {
    "deepwork": {
      "command": "deepwork",
      "args": ["serve", "--path", "."]
    }
  }
}
`);
  });

  test('after the last one, whose comment stays with it', () => {
    const text = '{\n\t"mcpServers": {\n\t\t"a": {} // mine\n\t}\n}\n';
    expect(add(text, { ...ENTRY, value: 1 }).spliced.text).toBe(
      '{\n\t"mcpServers": {\n\t\t"a": {}, // mine\n\t\t"deepwork": 1\n\t}\n}\n',
    );
  });

  test('with a trailing comma where there is one', () => {
    const text = '{\r\n  "a": 1, /* one */ // two\r\n  // three\r\n}\r\n';
    expect(add(text, { path: ['b'], value: 2 }).spliced.text).toBe(
      '{\r\n  "a": 1, /* one */ // two\r\n  "b": 2,\r\n  // three\r\n}\r\n',
    );
  });

  test('on one line where everything is', () => {
    expect(add('{"mcpServers":{"a":1}}', { ...ENTRY, value: [2] }).spliced.text).toBe(
      '{"mcpServers":{"a":1, "deepwork": [2]}}',
    );
    expect(add('{"mcpServers": {}}', { ...ENTRY, value: 2 }).spliced.text).toBe(
      '{"mcpServers": {"deepwork": 2}}',
    );
  });

  test('behind a comment that is alone in an object', () => {
    expect(
      add('{\n  "mcpServers": {\n    // none\n  }\n}', { ...ENTRY, value: 2 }).spliced.text,
    ).toBe('{\n  "mcpServers": {\n    // none\n    "deepwork": 2\n  }\n}');
  });

  test('with a byte order mark that stays in front', () => {
    expect(add('\ufeff{}', { path: ['b'], value: 2 }).spliced.text).toBe('\ufeff{\n  "b": 2\n}');
  });
});

describe('what is there already stays', () => {
  test('a key with another value', () => {
    const text = '{"mcpServers": {"deepwork": "mine"}}';
    expect(add(text, ENTRY)).toMatchObject({ entries: [], spliced: { text } });
    expect(entryStateOf(text, ENTRY)).toBe('different');
  });

  test('an edited item of a list, which is known by its mark', () => {
    const text = '{"hooks": {"Stop": [{"hooks": [{"command": "x hook claude stop", "t": 1}]}]}}';
    expect(add(text, ITEM).entries).toEqual([]);
    expect(entryStateOf(text, ITEM)).toBe('different');
  });

  test.each([
    ['{"a": }', 'is not valid JSON (line 1, column 7: value expected)'],
    ['{"a": 1', 'is not valid JSON (line 1, column 8: close brace expected)'],
    ['[1]', 'is not a JSON object'],
    ['{"mcpServers": []}', 'has no object in "mcpServers"'],
    ['{"mcpServers": {}, "mcpServers": {}}', 'has the key "mcpServers" twice'],
    ['{"hooks": {"Stop": {}}}', 'has no list in "hooks.Stop"'],
    [`${'['.repeat(100_000)}`, 'is nested too deeply'],
  ])('%.40s is refused', (text, problem) => {
    expect(why(text, ENTRY, ITEM)).toBe(problem);
  });
});

describe('taking out of a file that was edited since', () => {
  const { containers, entries, spliced } = add('{\n  "a": 1\n}\n', ENTRY, ITEM);

  test('leaves what was added, comments included', () => {
    const edited = spliced.text
      .replace('"mcpServers": {', '"mcpServers": {\n    // others\n    "other": 2,')
      .replace('"a": 1', '"a": 3');
    expect(removeEntries(edited, entries, containers)).toEqual({
      text: '{\n  "a": 3,\n  "mcpServers": {\n    // others\n    "other": 2\n  }\n}\n',
      edited: [],
    });
  });

  test('leaves an entry that was changed, and names it', () => {
    const edited = spliced.text.replace('"serve"', '"serve", "--trust"');
    const removed = removeEntries(edited, entries, containers);
    expect(removed.edited).toEqual([ENTRY]);
    expect(parse(removed.text)).toEqual({
      a: 1,
      mcpServers: { deepwork: { ...SERVER, args: ['serve', '--trust', '--path', '.'] } },
    });
  });

  test('does not mention an entry that is gone', () => {
    expect(removeEntries('{}', entries, containers)).toEqual({ text: '{}', edited: [] });
  });
});

/** A value with random blanks, comments and commas. */
const blank = fc.constantFrom('', ' ', '\n', '\r\n', '\t', '/* c */', '// c\n', '\n  ', ' // "}\n');
const scalar = fc.oneof(fc.integer(), fc.constant('x, "y" // {'), fc.boolean(), fc.constant(null));

function written(value: unknown, blanks: () => string, trailing: boolean): string {
  const members = Array.isArray(value)
    ? value.map((each) => written(each, blanks, trailing))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).map(
          ([key, each]) =>
            `${JSON.stringify(key)}${blanks()}:${blanks()}${written(each, blanks, trailing)}`,
        )
      : null;
  if (members === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const list = members.map((member) => `${blanks()}${member}${blanks()}`).join(',');
  return `${open}${list}${trailing && members.length > 0 ? ',' : ''}${blanks()}${close}`;
}

const document = fc
  .record(
    {
      mcpServers: fc.dictionary(fc.constantFrom('a', 'b'), scalar),
      hooks: fc.record({ Stop: fc.array(scalar, { maxLength: 2 }) }, { requiredKeys: [] }),
      other: fc.array(scalar, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  )
  .chain((value) =>
    fc.tuple(fc.constant(value), fc.array(blank, { minLength: 7, maxLength: 7 }), fc.boolean()),
  )
  .map(([value, blanks, trailing]) => {
    let next = 0;
    const text = written(value, () => blanks[next++ % blanks.length] as string, trailing);
    return { value, text };
  });

test('random files keep their bytes, hold the entries, and give them back', () => {
  fc.assert(
    fc.property(document, ({ value, text }) => {
      const { spliced, entries, containers } = add(text, ENTRY, ITEM);
      expect(withoutRanges(spliced.text, spliced.inserted)).toBe(text);
      expect(parse(spliced.text)).toEqual({
        ...value,
        mcpServers: { ...value.mcpServers, deepwork: SERVER },
        hooks: { ...value.hooks, Stop: [...(value.hooks?.Stop ?? []), HOOK] },
      });
      expect(add(spliced.text, ENTRY, ITEM).spliced.text).toBe(spliced.text);
      const removed = removeEntries(spliced.text, entries, containers);
      expect(removed.edited).toEqual([]);
      expect(parse(removed.text)).toEqual(value);
      expect(removed.text.split('/* c */').length).toBe(text.split('/* c */').length);
    }),
    { numRuns: 400 },
  );
});
