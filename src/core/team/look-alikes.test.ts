import { describe, expect, test } from 'vitest';
import { readCaller } from './caller.ts';
import { appearanceProblem, looksLike } from './look-alikes.ts';

describe('a name that looks like the coordinator is refused', () => {
  test.each([
    ['a Cyrillic o', 'c\u043eordinator'],
    ['a Greek omicron', 'c\u03bfordinator'],
    ['fullwidth letters', '\uff43\uff4f\uff4f\uff52\uff44\uff49\uff4e\uff41\uff54\uff4f\uff52'],
    ['a fullwidth letter', 'coordinato\uff52'],
    ['a zero-width space', 'coordi\u200bnator'],
    ['a zero-width joiner', 'coordi\u200dnator'],
    ['a soft hyphen', 'co\u00adordinator'],
    ['a variation selector', 'coordinator\ufe0f'],
    ['a turned direction', '\u202ecoordinator'],
    ['a Hangul filler', 'coordinator\u3164'],
    ['letters of mathematics', '\u{1d41c}oordinator'],
    ['only Cyrillic letters', 'сооґԁіпатог'.replace('ґ', 'г')],
    ['a dotless i', 'coord\u0131nator'],
    ['a small capital', '\u1d04oordinator'],
    ['an accent', 'coordinat\u00f2r'],
  ])('%s', (_how, name) => {
    expect(readCaller(name)).toEqual(expect.any(String));
    expect(readCaller(`${name}|model`)).toEqual(expect.any(String));
  });
});

test.each(['coordinator', 'Coordinator', 'COORDINATOR', 'writer', 'co-ordinator', 'c00rdinator'])(
  '%s is an ordinary name',
  (name) => {
    expect(readCaller(name)).toMatchObject({ name });
  },
);

test.each([
  'редактор',
  'συγγραφέας',
  '作家',
  '作家 writer',
  'Ørsted',
  'José',
  'कवि',
  'كاتب',
  'писатель-2',
])('%s is fine as it is', (name) => {
  expect(appearanceProblem(name)).toBeNull();
  expect(readCaller(name)).toMatchObject({ name });
});

test('an equal name does not count as a look-alike', () => {
  expect(looksLike('сора', ['writer', 'copa'])).toBe('copa');
  expect(looksLike('copa', ['writer', 'copa'])).toBeNull();
  expect(looksLike('редактор', ['writer', 'copa'])).toBeNull();
  expect(looksLike('Copa', ['copa'])).toBeNull();
});
