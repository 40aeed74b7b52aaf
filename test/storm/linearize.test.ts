// The search itself, on a register: histories that have an order and histories that have none.

import { expect, test } from 'vitest';
import { linearize, type Model, type Operation } from './linearize.ts';

type Op = Operation<{ readonly write: number } | 'read', number>;

const register: Model<number, Op> = {
  initial: [0],
  apply(value, { input, output }) {
    if (input !== 'read') return [input.write];
    return output === value ? [value] : [];
  },
  key: String,
};

const write = (value: number, start: number, end: number | null): Op => {
  const name = `write ${value}`;
  return { name, start, end, input: { write: value }, output: end === null ? null : value };
};
const read = (value: number, start: number, end: number): Op => {
  return { name: `read ${value}`, start, end, input: 'read', output: value };
};
/** Unanswered; the process that got it was gone at this time. */
const died = (value: number, start: number, end: number): Op => {
  return { ...write(value, start, end), output: null };
};
const happened: Op = { ...write(1, 0, null), happened: true };

const good: [string, Op[]][] = [
  ['nothing happens', []],
  ['one after the other', [write(1, 0, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7)]],
  ['a read beside a write sees either', [write(1, 0, 10), read(0, 1, 2), read(1, 3, 4)]],
  ['two writes beside each other', [write(1, 0, 9), write(2, 0, 9), read(2, 10, 11)]],
  ['an unknown write that happened', [write(1, 0, null), read(1, 5, 6)]],
  ['an unknown write that did not', [write(1, 0, null), read(0, 5, 6)]],
  ['an unknown write that comes late', [write(1, 0, null), read(0, 5, 6), read(1, 7, 8)]],
  ['a write of the dead, before its death', [died(1, 0, 4), read(0, 1, 2), read(1, 3, 9)]],
  ['what is known to have happened, some time', [happened, read(0, 5, 6)]],
];
test.each(good)('has an order: %s', (_, history) => {
  expect(linearize(history, register)).toBeNull();
});

const bad: [string, Op[]][] = [
  ['a value that was never written', [read(7, 0, 1)]],
  ['a lost write', [write(1, 0, 1), read(0, 2, 3)]],
  ['a write that is gone again', [write(1, 0, 9), read(1, 1, 2), read(0, 3, 4)]],
  ['an unknown write that is undone', [write(1, 0, null), read(1, 5, 6), read(0, 7, 8)]],
  ['a write before its start', [read(1, 0, 1), write(1, 2, null)]],
  ['a write of the dead, after its death', [died(1, 0, 4), read(0, 5, 6), read(1, 7, 8)]],
  ['applied twice', [write(1, 0, null), read(1, 1, 2), write(2, 3, 4), read(1, 5, 6)]],
  ['what is known to have happened by then', [{ ...happened, end: 4 }, read(0, 5, 6)]],
];
test.each(bad)('has none: %s', (_, history) => {
  expect(linearize(history, register)).not.toBeNull();
});

test('reports which operations cannot be placed, and after which', () => {
  const [first, stale] = [write(1, 0, 1), read(0, 2, 3)];
  const found = { placed: [first], state: 1, stuck: [stale], gaveUp: false };
  expect(linearize([stale, first], register)).toEqual(found);
});

test('long histories with many concurrent operations are searched without giving up', () => {
  const history: Op[] = [];
  for (let round = 0; round < 150; round++) {
    const at = round * 10;
    for (let client = 0; client < 6; client++) {
      history.push(write(round * 10 + client, at, at + 6 + client / 10));
    }
    history.push(died(-round - 1, at, at + 5), read(round * 10 + 3, at + 7, at + 8));
  }
  expect(linearize(history, register)).toBeNull();
  expect(linearize([...history, read(12, 2000, 2001)], register)).toMatchObject({ gaveUp: false });
});
