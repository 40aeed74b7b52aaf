import { expect, it } from 'vitest';
import { openTestJournal } from '../../test/support/journal.ts';
import { appendNext } from '../../test/support/journal-conformance.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { type FileLayer, realFileLayer } from './file-layer.ts';
import { openNames } from './list-streams.ts';

it('lists a folder again while a later change could have the same time', async () => {
  const folder = tempFolder();
  const journal = openTestJournal(folder);
  await appendNext(journal, 'session/a', {});
  // A clock that has not advanced since the folder was first changed.
  const layer: FileLayer = {
    ...realFileLayer,
    async facts(path) {
      const facts = await realFileLayer.facts(path);
      return facts && { ...facts, version: 'the same', changedAt: Date.now() };
    },
  };
  const names = openNames(folder, layer);
  expect(await names('session/')).toEqual(['session/a']);
  await appendNext(journal, 'session/b', {});
  expect(await names('session/')).toEqual(['session/a', 'session/b']);
});
