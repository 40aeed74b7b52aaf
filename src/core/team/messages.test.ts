import { expect, test } from 'vitest';
import { foldTeam } from '../../../test/support/fold-team.ts';
import { decideOffer } from './messages.ts';

const AT = '2026-01-01T00:00:00.000Z';
const BY = { name: 'b', reader: 'b' };

/** One message to b, offered by the second event. */
function offered() {
  const fold = foldTeam();
  const sent = { by: 'a', id: 1, from: 'a', to: 'b', inbox: 'b', body: 'hello' };
  fold.apply(1, { type: 'sent', at: AT, data: sent });
  const first = decideOffer(fold.team, { at: AT, by: BY, holder: 'p1', takes: null });
  if (first.kind === 'commit') fold.apply(2, first.event);
  return fold.team;
}

test.each([
  ['no offer', null],
  ['an offer that is over', 1],
])('an inbox that is being read is not taken over for the sake of %s', (_what, takes) => {
  expect(decideOffer(offered(), { at: AT, by: BY, holder: 'p2', takes })).toMatchObject({
    kind: 'unchanged',
    answer: { kind: 'busy', open: { seq: 2 } },
  });
});

test('only the offer that was waited for is taken over', () => {
  expect(decideOffer(offered(), { at: AT, by: BY, holder: 'p2', takes: 2 })).toMatchObject({
    kind: 'commit',
    answer: { kind: 'offered', messages: [{ redelivered: true }] },
  });
});
