// The bench's verdicts must be reliable, so they are tested.

import { describe, expect, it } from 'vitest';
import { compared, failed, isBroken, limited } from './rows.mjs';
import { sampleInTurns, summarize } from './samples.mjs';
import { printable } from './table.mjs';

const pair = (ours, reference) => ({ ours: summarize([ours]), reference: summarize([reference]) });

describe('a row', () => {
  it('is judged by its ratio, up to and including the bound', () => {
    expect(compared('a', 'b', pair(15, 10), { must: 1.5 }).verdict).toBe('ok');
    expect(compared('a', 'b', pair(15.1, 10), { must: 1.5 }).verdict).toBe('over');
  });

  it('distinguishes a missed aim from a broken bound', () => {
    const verdicts = [20, 25, 31].map(
      (ours) => compared('a', 'b', pair(ours, 10), { must: 3, aim: 2 }).verdict,
    );
    expect(verdicts).toEqual(['ok', 'aim missed', 'over']);
  });

  it('is judged by its value if there is nothing to compare with', () => {
    expect(limited('a', 'ms', 200, 200).verdict).toBe('ok');
    expect(limited('a', 'ms', 200.1, 200).verdict).toBe('over');
    expect(limited('files', '', 1, 0).verdict).toBe('over');
  });

  it('has no verdict without a bound', () => {
    expect(compared('a', 'b', pair(99, 1)).verdict).toBe('report');
  });

  it('fails if a side was not measured', () => {
    expect(compared('a', 'b', pair(1, 0), { must: 2 }).verdict).toBe('failed');
    expect(compared('a', 'b', { ours: summarize([]), reference: summarize([1]) }).verdict).toBe(
      'failed',
    );
    expect(limited('a', 'ms', Number.NaN, 200).verdict).toBe('failed');
  });
});

describe('the whole', () => {
  const good = limited('a', 'ms', 1, 2);

  it('is broken by one row that is over or failed, or by having no rows', () => {
    expect(isBroken([good])).toBe(false);
    expect(isBroken([good, limited('b', 'ms', 3, 2)])).toBe(true);
    expect(isBroken([good, failed('c', new Error('no answer'))])).toBe(true);
    expect(isBroken([])).toBe(true);
  });

  it('is not broken by a missed aim', () => {
    expect(isBroken([compared('a', 'b', pair(25, 10), { must: 3, aim: 2 })])).toBe(false);
  });

  it('prints one line per row, whatever an error says', () => {
    const text = printable([good, failed('c', new Error(`${'x\n'.repeat(5000)}`))]);
    expect(text.split('\n')).toHaveLength(4);
    expect(text.length).toBeLessThan(2000);
  });
});

describe('samples', () => {
  it('have a median and quartiles', () => {
    expect(summarize([5, 1, 3, 2, 4])).toMatchObject({ median: 3, low: 2, high: 4, count: 5 });
    expect(summarize([4, 1])).toMatchObject({ median: 2.5 });
  });

  it('are taken in turns, each side first every other round, warm-up left out', async () => {
    const order = [];
    const take = (side) => async (round) => {
      order.push(side);
      return round;
    };
    const { ours, reference } = await sampleInTurns({
      rounds: 3,
      warmUp: 1,
      ours: take('o'),
      reference: take('r'),
    });
    expect(order.join('')).toBe('orroorro');
    expect(ours).toMatchObject({ median: 2, count: 3 });
    expect(reference).toMatchObject({ median: 2, count: 3 });
  });
});
