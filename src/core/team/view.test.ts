import { expect, test } from 'vitest';
import { foldTeam } from '../../../test/support/fold-team.ts';
import { type ShownMessage, teamViewOf } from './view.ts';

const at = '2026-01-01T00:00:00.000Z';

function teamWith(messages: number, characters: number) {
  const fold = foldTeam();
  for (let id = 1; id <= messages; id++) {
    const body = 'x'.repeat(characters);
    const data = { by: 'a', id, from: 'a', to: 'b', inbox: 'b', body };
    fold.apply(id, { type: 'sent', at, data });
  }
  return fold.team;
}

const idsIn = (messages: number, characters: number) => {
  const view = teamViewOf(teamWith(messages, characters), () => []);
  const ids = (view.messages as ShownMessage[]).map(({ id }) => id);
  expect(view.messagesNotShown).toBe(messages - ids.length);
  return ids;
};

test('the newest messages are shown, read or not, and the others counted', () => {
  expect(idsIn(3, 10)).toEqual([1, 2, 3]);
  const many = idsIn(1000, 10);
  expect(many).toHaveLength(200);
  expect(many.at(-1)).toBe(1000);
});

test('the view has a size limit, whatever is unread; the newest message is always shown', () => {
  const large = idsIn(1000, 8 * 1024);
  expect(large.length).toBeGreaterThan(20);
  expect(large.length).toBeLessThan(40);
  expect(large.at(-1)).toBe(1000);
  expect(idsIn(3, 1024 * 1024)).toEqual([3]);
});

test('progress notes have a size limit, too', () => {
  const fold = foldTeam();
  for (let seq = 1; seq <= 100; seq++) {
    const note = 'n'.repeat(16 * 1024);
    fold.apply(seq, { type: 'updated', at, data: { by: 'a', status: null, task: '', note } });
  }
  const { progress } = teamViewOf(fold.team, () => []) as { progress: unknown[] };
  expect(progress.length).toBeLessThan(20);
  expect(progress.length).toBeGreaterThan(10);
});
