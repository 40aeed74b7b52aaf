// Views with several processes: each shows the last commit, whichever process made it.

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

test('the next reader writes the view that an ended process could not write', async () => {
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

test('a view shows a commit that another process made while it was written', async () => {
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

test('a session counts as ended only while its journal is unchanged', async () => {
  const journal = openMemoryJournal();
  const process = openTestProcess(journal, shownIn(new Map()));
  await startSession(process, ID, aliveOwner('me'));
  const { session } = await abort(process, aliveOwner('me'));
  process.index.add('version 1', session);
  expect(await process.index.has(ID, 'version 1')).toBe(true);
  expect(await process.index.has(ID, 'version 2')).toBe(false);
});

test('the last read state, including own commits, is known without reading the journal', async () => {
  const memory = openMemoryJournal();
  let listings = 0;
  const journal = {
    ...memory,
    names: (prefix: string) => {
      listings++;
      return memory.names(prefix);
    },
  };
  const owner = aliveOwner('me');
  const { store, ...rest } = openTestProcess(journal, shownIn(new Map()));
  const seen = async () => (await store.lastSeen()).map(({ id }) => id);
  await startSession(openTestProcess(memory, shownIn(new Map())), ID, owner);
  expect(await seen(), 'a process that never looked looks').toEqual([ID]);
  await startSession({ store, ...rest }, '0000000b', owner);
  expect(await seen()).toEqual([ID, '0000000b']);
  await abort({ store, ...rest }, owner);
  expect(await seen()).toEqual(['0000000b']);
  expect(listings).toBe(1);
});

test('a change of a session that does not exist is refused, and is not decided', async () => {
  const { store } = openTestProcess(openMemoryJournal(), shownIn(new Map()));
  const change = store.change(ID, () => {
    throw new Error('decided');
  });
  await expect(change).rejects.toThrow(`Session '${ID}' not found in active stack`);
});
