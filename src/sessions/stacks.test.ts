import { expect, test } from 'vitest';
import { ABORT } from '../../test/simulation/by-hand.ts';
import {
  aliveOwner,
  goneOwner,
  openTestProcess,
  shownIn,
  startSession,
} from '../../test/support/sessions.ts';
import { decideAbort, ofExisting } from '../core/session/decide.ts';
import { openMemoryJournal } from '../journal/memory.ts';

test('of two callers that take over one session, the second is refused', async () => {
  const journal = openMemoryJournal();
  const views = shownIn(new Map());
  await startSession(openTestProcess(journal, views), '0000000a', goneOwner('left'));
  const quick = openTestProcess(journal, views);
  let isFirst = true;
  const slow = openTestProcess(
    {
      ...journal,
      // The other caller comes between this one's read and its write.
      async append(...given) {
        if (isFirst) {
          isFirst = false;
          await quick.stacks.claim(aliveOwner('quick'), '0000000a');
        }
        return journal.append(...given);
      },
    },
    views,
  );
  await expect(slow.stacks.claim(aliveOwner('slow'), '0000000a')).rejects.toThrow(
    "Session '0000000a' not found in active stack",
  );
  expect((await slow.store.load('0000000a'))?.owner.identity).toBe('quick');
});

test('a session of the stack that ends during a takeover does not stop it', async () => {
  const journal = openMemoryJournal();
  const views = shownIn(new Map());
  const left = goneOwner('left');
  const other = openTestProcess(journal, views);
  for (const id of ['0000000a', '0000000b']) await startSession(other, id, left);
  let isFirst = true;
  const taker = openTestProcess(
    {
      ...journal,
      // The one below is aborted between its read and its takeover.
      async append(...given) {
        if (isFirst) {
          isFirst = false;
          const abort = ofExisting('0000000a', (now) => decideAbort(now, { ...ABORT, by: left }));
          await other.store.commit('0000000a', abort, async () => null);
        }
        return journal.append(...given);
      },
    },
    views,
  );
  const taken = await taker.stacks.claim(aliveOwner('taker'), '0000000b');
  expect(taken).toMatchObject({ id: '0000000b', owner: { identity: 'taker' } });
  expect((await taker.store.load('0000000a'))?.status).toBe('aborted');
});

test('a session that ends together with another is not the one that resumes', async () => {
  const here = openTestProcess(openMemoryJournal(), shownIn(new Map()));
  const owner = aliveOwner('owner');
  for (const id of ['0000000a', '0000000b', '0000000c']) await startSession(here, id, owner);
  expect(await here.stacks.ending(owner, '0000000a')).toMatchObject({ resumes: '0000000c' });
  expect(await here.stacks.ending(owner, '0000000a', ['0000000c'])).toMatchObject({
    resumes: '0000000b',
  });
});
