import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { readYaml } from '../source/yaml.ts';
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
    expect(log.full()).toBe(true);
    expect(log.found).toBe(3);
    expect(writeIssues(log.close(NOWHERE))).toEqual([
      'a (line 1, column 2)',
      'b\\nc (line 1, column 2)',
      'and at least 1 more problem',
    ]);
  });

  it('fit into an answer, whatever they contain', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: anyCharacter, maxLength: 3000 })), (messages) => {
        const log = openIssueLog();
        for (const message of messages) log.add('wrong_value', [], message);
        const lines = writeIssues(log.close(NOWHERE));
        expect(Buffer.byteLength(lines.join('\n'))).toBeLessThan(3900);
        expect(lines.join('')).not.toMatch(/[\n\r]/);
      }),
    );
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

  it('of several parts are bounded together', () => {
    const log = openIssueLog();
    for (let index = 0; index < 1200; index += 1) log.add('wrong_value', [], 'x');
    const { kept, left } = joinIssues(oneIssue('empty_file', 'first'), log.close(NOWHERE));
    expect([kept[0]?.message, kept.length, left]).toEqual(['first', 1000, 201]);
  });
});
