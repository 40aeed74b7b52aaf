// Which member a caller is, and where a message to it goes.

import { describe, expect, test } from 'vitest';
import { addresses, findAddress, memberOf, type Roster } from './member.ts';

const AGENTS = [
  { name: 'coordinator', models: [], command: null },
  { name: 'a', models: ['m1', 'm2 (fast)'], command: null },
  { name: 'b', models: ['solo'], command: null },
];

const roster = (currentModel: string | null = null): Roster => ({
  agents: AGENTS,
  source: 'config',
  currentModel,
});

describe('a caller reads as', () => {
  test.each<[string, string | null, string | null, string | null, string]>([
    ['a', null, null, null, 'a'],
    ['a', 'm1', null, null, 'a:m1'],
    ['a', 'm1', 'fast', null, 'a:m1'],
    ['a', 'm2', 'fast', null, 'a:m2 (fast)'],
    ['a', 'm2', null, null, 'a'],
    ['a', 'm9', null, 'a:m9', 'a:m9'],
    ['a', 'm1', null, 'a:m9', 'a:m1'],
    ['a', 'm1', null, 'ab:m9', 'a:m1'],
    ['a', null, null, 'ab:m9', 'a'],
    ['b', 'solo', null, null, 'b'],
    ['b', 'solo', null, 'b:solo', 'b:solo'],
    ['stranger', 'm1', null, null, 'stranger'],
  ])('%s|%s|%s while %s is current: %s', (name, model, variant, current, reader) => {
    expect(memberOf({ name, model, variant }, roster(current))).toEqual({ name, reader });
  });
});

describe('a message to', () => {
  test.each<[string, string | null, string | null]>([
    ['a', null, 'a'],
    ['a:m1', null, 'a:m1'],
    ['a:m2 (fast)', null, 'a:m2 (fast)'],
    ['a:m2', null, null],
    ['b:solo', null, 'b'],
    ['b:solo', 'b:solo', 'b:solo'],
    ['a:m9', 'a:m9', 'a:m9'],
    ['a:m9', null, null],
    ['c', null, null],
    ['c:m', 'c:m', null],
    ['', null, null],
    ['a:', null, null],
  ])('%s while %s is current goes to %s', (to, current, inbox) => {
    expect(findAddress(to, roster(current))?.inbox ?? null).toBe(inbox);
  });

  test('exactly the listed addresses can be reached', () => {
    const all = addresses(roster('a:m9'));
    expect(all).toEqual(['a', 'a:m1', 'a:m2 (fast)', 'a:m9', 'b', 'b:solo', 'coordinator']);
    for (const to of all) expect(findAddress(to, roster('a:m9'))).not.toBeNull();
  });
});
