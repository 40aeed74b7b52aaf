import { expect, test } from 'vitest';
import { expectPiecesAtMost } from '../../../test/support/processor-time.ts';
import type { Liveness } from './ownership.ts';
import { leftStacks } from './stack.ts';
import type { Session, Taken } from './state.ts';

function left(
  id: string,
  owner: string,
  takeovers: number,
  takenWith: readonly Taken[] = [],
): Session {
  const process = `process of ${owner}`;
  return { id, level: 1, owner: { identity: owner, process }, takeovers, takenWith } as Session;
}

const CALLER = { identity: 'me', process: 'mine' };
const gone = (): Liveness => 'gone';
const idsOf = (sessions: readonly Session[]) =>
  leftStacks(sessions, CALLER, gone).map((stack) => stack.sessions.map(({ id }) => id));

/** Taken over together with `above`, which the takeover did not reach. */
const BELOW = left('below', 'second', 1, [
  { id: 'below', takeovers: 0 },
  { id: 'above', takeovers: 0 },
]);

test('a stack left in the middle of a takeover is one stack', () => {
  expect(idsOf([BELOW, left('above', 'first', 0)])).toEqual([['below', 'above']]);
});

test('one stack is found among thousands without comparing each with every other', async () => {
  const others = Array.from({ length: 20_000 }, (_, at) => left(`other${at}`, `owner${at}`, 0));
  const many = [left('above', 'first', 0), ...others, BELOW];
  await expectPiecesAtMost(100, () => {
    const found = idsOf(many);
    expect(found).toHaveLength(20_001);
    expect(found).toContainEqual(['below', 'above']);
  });
});

test('a session that another owner has taken over since is no longer part of it', () => {
  expect(idsOf([BELOW, left('above', 'third', 1)])).toEqual([['below'], ['above']]);
});

test('a stack of which one piece may still be running elsewhere is taken over only by its id', () => {
  const above = left('above', 'first', 0);
  const unknown = (process: string): Liveness => (process.endsWith('first') ? 'unknown' : 'gone');
  expect(leftStacks([BELOW, above], CALLER, gone)).toMatchObject([{ claim: 'open' }]);
  expect(leftStacks([BELOW, above], CALLER, unknown)).toMatchObject([{ claim: 'by_id' }]);
});
