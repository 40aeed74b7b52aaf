// A view never goes back: it is replaced only if it is still the one that was read.

import { expect, test } from 'vitest';
import type { Session } from '../core/session/state.ts';
import { openShownViews } from './shown-views.ts';
import type { Views } from './views.ts';

test('a view that another process has written since is not replaced', async () => {
  const session = { id: '0000abcd', seq: 3 } as Session;
  const asked: boolean[] = [];
  let shown = 1;
  const views = {
    read: () => ({ revision: shown }),
    revision: () => shown,
    async write(_: Session, mayReplace: (revision: number | null) => boolean) {
      // Another process is faster, right before the rename.
      shown = 5;
      asked.push(mayReplace(shown), mayReplace(1));
      shown = 3;
      return false;
    },
  } as unknown as Views;
  await openShownViews(views, async () => session).refresh(session);
  expect(asked).toEqual([false, true]);
});

test('what was just committed replaces no newer view, not even until the next look', async () => {
  const session = { id: '0000abcd', seq: 3 } as Session;
  const asked: boolean[] = [];
  const views = {
    async write(_: Session, mayReplace: (revision: number | null) => boolean) {
      asked.push(...[null, 2, 3, 4].map(mayReplace));
      return true;
    },
  } as unknown as Views;
  await openShownViews(views, async () => session).show(session);
  expect(asked).toEqual([true, true, true, false]);
});
