import { describe, expect, it } from 'vitest';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import { verifies } from '../../../test/verifies.ts';
import { describeNode, locate, plainValue } from './node.ts';
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

const refused = (...parts: string[]) => parts.map((part) => expect.stringContaining(part));

describe('values', () => {
  it.each<[string, unknown]>([
    ['a: yes\nb: true\nc: 1.5\nd: ~\ne: "1"\n', { a: 'yes', b: true, c: 1.5, d: null, e: '1' }],
    ['%YAML 1.1\n---\na: yes\nb: 010\n', { a: 'yes', b: 10 }],
    ['{1: a, true: b, "x": c, 0x10: d}', { 1: 'a', true: 'b', x: 'c', '0x10': 'd' }],
    ['[&a 1, *a, &a 2, *a]', [1, 1, 2, 2]],
    ...['', '\n\n', '# only a comment\n', '---\n', '~', 'null'].map((text): [string, unknown] => [
      text,
      null,
    ]),
  ])('%j is read as YAML 1.2', async (text, value) => {
    expect(await parsed(text)).toEqual(value);
  });

  it('are plain data in which __proto__ is an ordinary key', async () => {
    const value = await parsed('{__proto__: {polluted: 1}, constructor: 2}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('are located by path, as close as the tree allows, with any line ends', async () => {
    const { root, positionOf } = await readYaml(
      'a: {b: [x, {c: 1}]}\r\nlist:\r\n  - yy\r\nnone:\r\n',
    );
    if (!root) throw new Error('expected a tree');
    for (const [path, target, line, column] of [
      [['a', 'b', 1, 'c'], 'key', 1, 13],
      [['a', 'b', 0], 'key', 1, 9],
      [['a', 'b', 7, 'c'], 'key', 1, 5],
      [['nowhere'], 'key', 1, 1],
      [['list', 0], 'value', 3, 5],
      [['none'], 'value', 4, 1],
    ] as const) {
      expect(positionOf(locate(root, path, target)), path.join()).toEqual({ line, column });
    }
  });

  it('are described in words', async () => {
    const { root } = await readYaml('[{}, [], ~, text, 1.0, true]');
    if (root?.kind !== 'list') throw new Error('expected a list');
    const values = ["the text 'text'", "the number '1.0'", "the boolean 'true'"];
    expect(root.items.map(describeNode)).toEqual(['a map', 'a list', 'nothing', ...values]);
  });
});

describe('problems', () => {
  it.each([
    ['a: 1\n"a": 2\nb: {x: 1, x: 2}\n', "2:1 duplicate key 'a'", "3:11 duplicate key 'x'"],
    ['a: 1\n---\nb: 2\n---\nc: 3\n', '2:1 '],
    ['a: !secret b\n', '1:4 '],
    ['[a]: 1\n', '1:1 '],
    ['a: &a [*a]\n', "1:8 alias '*a'"],
    ['a: *a\n', "1:4 alias '*a'"],
  ])('%j is refused at its place', async (text, ...parts) => {
    expect(await problemsOf(text)).toEqual(refused(...parts));
  });

  it.each([
    ['a: do this: then that\n', 'quotes'],
    ['steps:\n  - id: a\n      - name: b\n', 'too far'],
    ['loop:\n  name: x\n    steps: [a]\n', 'too far'],
    ['a:\n\t- b\n', 'spaces'],
    ['a:\n    b: 1\n  c: 2\n', 'same column'],
    ['a: "open\n', 'quote, bracket or colon'],
  ])('%j is refused with a hint', async (text, hint) => {
    const problems = await problemsOf(text);
    expect(problems.join('\n')).toContain(hint);
    for (const problem of problems) expect(problem).toMatch(/^\d+:\d+ ./);
  });
});

describe('limits', () => {
  it('there may be 64 levels and no more, also through aliases', async () => {
    verifies('JOBS-X.3');
    const half = (inner: string) => `${'['.repeat(40)}${inner}${']'.repeat(40)}`;
    for (const nested of [
      (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`,
      (depth: number) => `${'- '.repeat(depth)}x`,
    ]) {
      expect(await problemsOf(nested(64))).toEqual([]);
      expect(await problemsOf(nested(65))).toEqual(refused('64 levels'));
    }
    expect(await problemsOf(`{a: &a ${half('x')}, b: ${half('*a')}}`)).toEqual(
      refused('64 levels'),
    );
  });

  it('there may be 100 aliases and no more, and few may not expand to many values', async () => {
    verifies('JOBS-REQ-001.2.6');
    const aliases = (count: number) => `[&a x, ${'*a, '.repeat(count)}]`;
    expect(await problemsOf(aliases(100))).toEqual([]);
    expect(await problemsOf(aliases(101))).toEqual(refused('100 aliases'));
    const bomb = Array.from({ length: 10 }, (_, at) => {
      const item = at === 0 ? 'x' : `*a${at - 1}`;
      return `a${at}: &a${at} [${Array(9).fill(item).join(', ')}]`;
    });
    expect(await problemsOf(bomb.join('\n'))).toEqual(refused('aliases expand'));
  });

  it('there may not be too many tokens, even if they form few values', async () => {
    expect(await problemsOf(`[${'1,'.repeat(40_000)}1]`)).toEqual(refused('too many values'));
  });

  const keys = Array.from({ length: 8000 }, (_, index) => `key_${index}: 1`).join('\n');
  it.each([
    ...['[', ']', '- ', 'a,', 'a: b\n', '---\n', '&a ', '%a\n'].map((unit) => [
      unit,
      unit.repeat(Math.floor((1024 * 1024) / unit.length)),
    ]),
    ['bad escapes', `"${'\\x'.repeat(500_000)}"`],
    ['distinct keys', keys],
  ])('a megabyte of %j is judged in bounded time', async (_, text) => {
    await expectPiecesAtMost(1500, async () => {
      const { faults } = await readYaml(text);
      expect(faults.length).toBeLessThan(200_000);
    });
  });
});
