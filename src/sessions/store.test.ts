// Views beside several processes: each shows what was committed last, whoever committed it.

import { expect, test } from 'vitest';
import {
  aliveOwner,
  goneOwner,
  openTestProcess,
  shownIn,
  startSession,
  type TestProcess,
} from '../../test/support/sessions.ts';
import { decideAbort } from '../core/session/decide.ts';
import type { Owner, Session } from '../core/session/state.ts';
import { openMemoryJournal } from '../journal/memory.ts';

const ID = '0000000a';

function abort({ store }: TestProcess, by: Owner) {
  const at = '2026-01-01T00:00:01.000Z';
  const ending = { nth: 1, resumes: null };
  return store.commit(
    ID,
    (now) => decideAbort(now as Session, { at, by, explanation: 'x', ending }),
    async () => null,
  );
}

test('the view that a dead process could not write is written by whoever reads next', async () => {
  const journal = openMemoryJournal();
  const shown = new Map<string, number>();
  const owner = goneOwner('left');
  const reader = openTestProcess(journal, shownIn(shown));
  await startSession(reader, ID, owner);
  const dying = openTestProcess(journal, shownIn(new Map()));
  const { session } = await abort(dying, owner);
  expect(shown.get(ID)).toBe(session.seq - 1);
  await reader.store.load(ID);
  expect(shown.get(ID)).toBe(session.seq);
});

test('a view is not left behind by another that was committed while it was written', async () => {
  const journal = openMemoryJournal();
  const shown = new Map<string, number>();
  const owner = aliveOwner('both');
  const other = openTestProcess(journal, shownIn(shown));
  let isFirst = true;
  const slow = shownIn(shown, {
    async write({ id, seq }) {
      if (isFirst) {
        isFirst = false;
        await abort(other, owner);
      }
      shown.set(id, seq);
      return true;
    },
  });
  await startSession(openTestProcess(journal, slow), ID, owner);
  expect(shown.get(ID)).toBe((await other.store.load(ID))?.seq);
});

test('a session counts as ended only while its journal is the one that was seen', async () => {
  const journal = openMemoryJournal();
  const process = openTestProcess(journal, shownIn(new Map()));
  await startSession(process, ID, aliveOwner('me'));
  const { session } = await abort(process, aliveOwner('me'));
  process.index.add('version 1', session);
  expect(await process.index.has(ID, 'version 1')).toBe(true);
  expect(await process.index.has(ID, 'version 2')).toBe(false);
});
