import { expect, test } from 'vitest';
import { someEvent } from '../../test/support/journal-conformance.ts';
import { until } from '../../test/support/until.ts';
import { type Choice, openChosenStore } from './chosen-store.ts';
import { openMemoryJournal } from './memory.ts';

test('whoever watches before the store can be chosen sees changes once it is', async () => {
  let isTrusted = false;
  const store = openChosenStore({
    async choose(): Promise<Choice> {
      if (!isTrusted) throw new Error('not agreed to');
      return { kind: 'files' };
    },
    files: openMemoryJournal(),
    system: { own: () => 'own', livenessOf: () => 'alive', describe: () => 'own' },
  });
  const [seen, stopped]: string[][] = [[], []];
  store.journal.watch('', (stream) => seen?.push(stream));
  const stop = store.journal.watch('', (stream) => stopped?.push(stream));
  await expect(store.journal.names('')).rejects.toThrow('not agreed to');
  stop();
  isTrusted = true;
  await store.journal.append('session/a', 0, someEvent());
  await until(() => seen?.length === 1);
  expect([seen, stopped]).toEqual([['session/a'], []]);
});
