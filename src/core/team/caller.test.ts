import { describe, expect, it } from 'vitest';
import { isCoordinator, readCaller } from './caller.ts';

const caller = (name: string, model: string | null = null, variant: string | null = null) => ({
  name,
  model,
  variant,
});

describe('readCaller', () => {
  it.each([
    [undefined, caller('coordinator')],
    ['', caller('coordinator')],
    ['|opus|max', caller('coordinator', 'opus', 'max')],
    ['writer', caller('writer')],
    ['writer|opus|max', caller('writer', 'opus', 'max')],
    ['  writer | opus |  ', caller('writer', 'opus')],
    ['writer||max', caller('writer', null, 'max')],
    ['a|b|c|d', caller('a', 'b', 'c|d')],
    ['Coordinator', caller('Coordinator')],
  ])('%j', (identity, expected) => {
    expect(readCaller(identity)).toEqual(expected);
  });

  it.each([
    ['a:b', "no ':'"],
    ['a\nb', 'control characters'],
    ['x'.repeat(201), 'at most 200'],
  ])('refuses %j', (identity, reason) => {
    expect(readCaller(identity)).toContain(reason);
  });

  it('recognizes the coordinator by the exact name', () => {
    expect(isCoordinator(caller('coordinator'))).toBe(true);
    expect(isCoordinator(caller('Coordinator'))).toBe(false);
  });
});
