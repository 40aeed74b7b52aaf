import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { readYaml } from '../source/yaml.ts';
import { cut, nameList } from '../wording.ts';
import { closedMap, emptyText, required, text, wordList } from './fields.ts';
import {
  inFileOrder,
  joinIssues,
  oneIssue,
  openIssueLog,
  problemOf,
  withPlaces,
  writeIssues,
} from './issues.ts';

const NOWHERE = { root: null, faults: [], positionOf: () => ({ line: 1, column: 2 }) };

describe('issues', () => {
  it('are kept up to a number and counted beyond it', () => {
    const log = openIssueLog({ maxIssues: 2 });
    for (const name of ['a', 'b\nc', 'd']) log.add('wrong_value', [], name);
    expect([log.full(), log.found]).toEqual([true, 3]);
    expect(writeIssues(log.close(NOWHERE))).toEqual([
      'a (line 1, column 2)',
      'b\\nc (line 1, column 2)',
      'and at least 1 more problem',
    ]);
    const many = openIssueLog();
    for (let index = 0; index < 1200; index += 1) many.add('wrong_value', [], 'x');
    const { kept, left } = joinIssues(oneIssue('empty_file', 'first'), many.close(NOWHERE));
    expect([kept[0]?.message, kept.length, left]).toEqual(['first', 1000, 201]);
  });

  it('fit into an answer, whatever they contain, and are cut between characters', () => {
    const messages = fc.array(fc.string({ unit: anyCharacter, maxLength: 3000 }));
    fc.assert(
      fc.property(messages, fc.integer({ min: 2, max: 20 }), (texts, most) => {
        const log = openIssueLog();
        for (const message of texts) {
          log.add('wrong_value', [], message);
          expect(cut(message, most).length).toBeLessThanOrEqual(most);
          expect(() => encodeURIComponent(cut(message, most))).not.toThrow();
        }
        const lines = writeIssues(log.close(NOWHERE));
        expect(Buffer.byteLength(lines.join('\n'))).toBeLessThan(3900);
        expect(lines.join('')).not.toMatch(/[\n\r]/);
      }),
    );
    expect(nameList(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more');
  });

  it('have the position of a key, a value or an offset, and are in file order', async () => {
    const source = await readYaml('a: {b: 1}\nc:\n  - x\n');
    const log = openIssueLog();
    log.add('wrong_type', ['c', 0], 'item');
    log.add('unknown_key', ['a', 'b'], 'key', 'key');
    log.add('wrong_type', ['a', 'b'], 'value');
    log.add('not_yaml', [], 'offset', 11);
    log.add('missing_key', ['c', 7, 'd'], 'as near as the tree reaches', 'key');
    const { kept } = inFileOrder(log.close(source));
    expect(kept.map(({ message, at }) => [message, at.line, at.column])).toEqual([
      ['key', 1, 5],
      ['value', 1, 8],
      ['as near as the tree reaches', 2, 1],
      ['offset', 2, 2],
      ['item', 3, 5],
    ]);
  });

  it('begin with their path, which for an unknown key is the map that contains it', async () => {
    const source = await readYaml('a: {b: 1}');
    const log = openIssueLog();
    log.add('unknown_key', ['a', 'b'], 'unknown', 'key');
    log.add('wrong_type', ['a', 'b'], 'wrong');
    log.add('unknown_key', ['a'], 'unknown', 'key');
    const { kept } = withPlaces(log.close(source), (place) => place.join(' -> '));
    expect(kept.map(({ message }) => message)).toEqual(['a: unknown', 'a -> b: wrong', 'unknown']);
    expect(kept.map((issue) => problemOf(issue).path)).toEqual(['/a/b', '/a/b', '/a']);
  });
});

describe('fields', () => {
  const read = closedMap({
    name: required(text, emptyText),
    words: required(wordList(text), () => null),
  });
  const readAll = async (yaml: string) => {
    const source = await readYaml(yaml);
    const log = openIssueLog();
    if (source.root === null) throw new Error('no YAML');
    const { words } = read(source.root, [], log);
    const codes = log.close(source).kept.map(({ code }) => code);
    return { codes, words: words?.map(({ value }) => value) };
  };

  it('report a misspelt key, and do not report it as missing, too', async () => {
    expect((await readAll('naem: a\nwords: [a]\n')).codes).toEqual(['unknown_key']);
    expect((await readAll('words: [a]\n')).codes).toEqual(['missing_key']);
  });

  it('report a text in the place of a list of words, and still read what was meant', async () => {
    const { codes, words } = await readAll('name: a\nwords: build, test\n');
    expect([codes, words]).toEqual([['wrong_type'], ['build', 'test']]);
  });
});
