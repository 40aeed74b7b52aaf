import { describe, expect, it } from 'vitest';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import { verifies } from '../../../test/verifies.ts';
import { describeNode, entryOf, locate, plainValue } from './node.ts';
import { readYaml } from './yaml.ts';

async function parsed(text: string): Promise<unknown> {
  const { root, faults } = await readYaml(text);
  expect(faults).toEqual([]);
  return root && plainValue(root);
}

async function problemsOf(text: string): Promise<string[]> {
  const { faults, positionOf } = await readYaml(text);
  return faults.map(({ message, at }) => {
    const { line, column } = positionOf(at);
    return `${line}:${column} ${message}`;
  });
}

describe('readYaml', () => {
  it('refuses too many tokens, even if they form few values', async () => {
    expect(await problemsOf(`[${'1,'.repeat(40_000)}1]`)).toEqual([
      expect.stringContaining('too many values for one file'),
    ]);
  });

  it('reads YAML 1.2 core: yes, no, on and off are ordinary text', async () => {
    const value = await parsed('a: yes\nb: true\nc: 1.5\nd: ~\ne: "1"\nf: off\n');
    expect(value).toEqual({ a: 'yes', b: true, c: 1.5, d: null, e: '1', f: 'off' });
  });

  it('stays with YAML 1.2 if a directive requests 1.1', async () => {
    expect(await parsed('%YAML 1.1\n---\na: yes\nb: 010\n')).toEqual({ a: 'yes', b: 10 });
  });

  it.each(['', '\n\n', '# only a comment\n', '---\n', '~', 'null'])(
    'finds %j empty',
    async (text) => {
      const { root, faults } = await readYaml(text);
      expect(root).toBeNull();
      expect(faults).toEqual([]);
    },
  );

  it('keeps positions with CRLF line ends', async () => {
    const { root, positionOf } = await readYaml('a: 1\r\nbb:\r\n  - x\r\n  - yy\r\n');
    const list = root && entryOf(root, 'bb')?.value;
    if (list?.kind !== 'list') throw new Error('expected a list');
    expect(list.items.map((item) => positionOf(item.at))).toEqual([
      { line: 3, column: 5 },
      { line: 4, column: 5 },
    ]);
  });

  it('points at the key if its value is absent', async () => {
    const { root, positionOf } = await readYaml('a: 1\n  \nname:\nb: 2\n');
    const value = root && entryOf(root, 'name')?.value;
    expect(value && positionOf(value.at)).toEqual({ line: 3, column: 1 });
  });

  it('reads every scalar key as its text', async () => {
    expect(await parsed('{1: a, true: b, "x": c, 0x10: d}')).toEqual({
      '1': 'a',
      true: 'b',
      x: 'c',
      '0x10': 'd',
    });
  });

  it('refuses duplicate keys, also if they differ only in quotes', async () => {
    expect(await problemsOf('a: 1\n"a": 2\nb: {x: 1, x: 2}\n')).toEqual([
      "2:1 duplicate key 'a'",
      "3:11 duplicate key 'x'",
    ]);
  });

  it('refuses several documents', async () => {
    expect(await problemsOf('a: 1\n---\nb: 2\n---\nc: 3\n')).toEqual([
      '2:1 more than one document',
    ]);
  });

  it('refuses unknown tags and keys that are not text', async () => {
    expect(await problemsOf('a: !secret b\n')).toEqual([
      expect.stringMatching(/^1:4 Unresolved tag: !secret/),
    ]);
    expect(await problemsOf('[a]: 1\n')).toEqual(['1:1 a key must be plain text']);
  });

  it('reports every syntax error with its position', async () => {
    const problems = await problemsOf('a: "open\nb: [1\n');
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) expect(problem).toMatch(/^\d+:\d+ ./);
  });

  it.each([
    ['a: do this: then that\n', "a text with ': ' in it needs quotes"],
    ['steps:\n  - id: a\n      - name: b\n', 'the next line is indented too far'],
    ['loop:\n  name: x\n    steps: [a]\n', 'the next line is indented too far'],
    ['a:\n\t- b\n', 'indent with spaces'],
    ['a:\n    b: 1\n  c: 2\n', 'keys of the same level must begin in the same column'],
    ['a: "open\n', 'a quote, bracket or colon is missing'],
  ])('says how to fix %j', async (text, advice) => {
    expect((await problemsOf(text)).join('\n')).toContain(advice);
  });
});

describe('limits', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it('allows 64 levels and no more', async () => {
    verifies('JOBS-X.3');
    expect(await problemsOf(nested(64))).toEqual([]);
    expect(await problemsOf(nested(65))).toEqual([expect.stringContaining('64 levels')]);
    const blocks = (depth: number) => `${'- '.repeat(depth)}x`;
    expect(await problemsOf(blocks(64))).toEqual([]);
    expect(await problemsOf(blocks(65))).toEqual([expect.stringContaining('64 levels')]);
  });

  it('counts levels through aliases', async () => {
    const half = (inner: string) => `${'['.repeat(40)}${inner}${']'.repeat(40)}`;
    const text = `{a: &a ${half('x')}, b: ${half('*a')}}`;
    expect(await problemsOf(text)).toEqual([expect.stringContaining('64 levels')]);
  });

  it('allows 100 aliases and no more', async () => {
    const aliases = (count: number) => `[&a x, ${'*a, '.repeat(count)}]`;
    expect(await problemsOf(aliases(100))).toEqual([]);
    expect(await problemsOf(aliases(101))).toEqual([expect.stringContaining('100 aliases')]);
  });

  it('refuses a bomb of few aliases', async () => {
    verifies('JOBS-REQ-001.2.6');
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 10; i++) {
      lines.push(
        `a${i}: &a${i} [${Array(9)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    }
    expect(await problemsOf(lines.join('\n'))).toEqual([expect.stringContaining('aliases expand')]);
  });

  it('refuses an alias inside its own anchor, and one without anchor', async () => {
    expect(await problemsOf('a: &a [*a]\n')).toEqual(["1:8 alias '*a' contains itself"]);
    expect(await problemsOf('a: *a\n')).toEqual(["1:4 alias '*a' has no anchor before it"]);
  });

  it('resolves an alias to the last anchor of its name before it', async () => {
    expect(await parsed('[&a 1, *a, &a 2, *a]')).toEqual([1, 1, 2, 2]);
  });

  const hostile: Record<string, string> = {
    'open brackets': '[',
    'closing brackets': ']',
    dashes: '- ',
    items: 'a,',
    keys: 'a: b\n',
    documents: '---\n',
    anchors: '&a ',
    directives: '%a\n',
  };
  it.each(Object.entries(hostile))('judges a megabyte of %s in bounded time', async (_, unit) => {
    const text = unit.repeat(Math.floor((1024 * 1024) / unit.length));
    await expectPiecesAtMost(1500, async () => {
      const { faults } = await readYaml(text);
      expect(faults.length).toBeLessThan(200_000);
    });
  });

  it('judges a megabyte of bad escapes and of distinct keys in bounded time', async () => {
    const keys = Array.from({ length: 8000 }, (_, index) => `key_${index}: 1`).join('\n');
    await expectPiecesAtMost(1500, async () => {
      expect(await problemsOf(`"${'\\x'.repeat(500_000)}"`)).not.toEqual([]);
      expect(await problemsOf(keys)).toEqual([]);
    });
  });
});

describe('yaml nodes', () => {
  it('become plain data in which __proto__ is an ordinary key', async () => {
    const value = await parsed('{__proto__: {polluted: 1}, constructor: 2}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('are located by path, as close as the tree allows', async () => {
    const { root } = await readYaml('a: {b: [x, {c: 1}]}');
    if (!root) throw new Error('expected a tree');
    expect(locate(root, ['a', 'b', 1, 'c'], 'key')).toBe(12);
    expect(locate(root, ['a', 'b', 0], 'key')).toBe(8);
    expect(locate(root, ['a', 'b', 7, 'c'], 'key')).toBe(4);
    expect(locate(root, ['nowhere'], 'key')).toBe(0);
  });

  it('are described in words', async () => {
    const { root } = await readYaml('[{}, [], ~, text, 1.0, true]');
    if (root?.kind !== 'list') throw new Error('expected a list');
    expect(root.items.map(describeNode)).toEqual([
      'a map',
      'a list',
      'nothing',
      "the text 'text'",
      "the number '1.0'",
      "the boolean 'true'",
    ]);
  });
});
