import { expect, test } from 'vitest';
import { ago, duration, exactTime, withLocalTimes } from './time.ts';

test('how long ago is given in the largest unit, and never as a time to come', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  const said = [-5, 3, 61, 3599, 3600, 86_399].map((s) => ago(now - s * 1000, now));
  expect(said).toEqual(['just now', 'just now', '1 min ago', '59 min ago', '1 h ago', '23 h ago']);
  expect(ago(now - 86_400_000 * 2, now)).toMatch(/8/);
});

test('a duration has one or two units', () => {
  const said = [-1, 41, 120, 3600, 12_000, 86_400, 190_000].map((s) => duration(s * 1000));
  expect(said).toEqual(['0 s', '41 s', '2 min', '1 h', '3 h 20 min', '1 d', '2 d 4 h']);
});

test('times in a sentence of the server are shown as this machine shows them', () => {
  const at = '2026-03-10T12:00:00.000Z';
  expect(withLocalTimes(`Out of quota until ${at}, too long`)).toBe(
    `Out of quota until ${exactTime(at)}, too long`,
  );
  expect(withLocalTimes('On 2026-03-10')).toBe('On 2026-03-10');
});
