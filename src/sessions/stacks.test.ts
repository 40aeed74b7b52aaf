import { expect, test } from 'vitest';
import {
  aliveOwner,
  goneOwner,
  openTestProcess,
  shownIn,
  startSession,
} from '../../test/support/sessions.ts';
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
