import { expect, it } from 'vitest';
import { openTestJournal } from '../../test/support/journal.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { appendNext } from './conformance.ts';
import { type FileLayer, realFileLayer } from './file-layer.ts';
import { openNames } from './list-streams.ts';

it('lists a folder again while another change could carry the same time', async () => {
  const folder = tempFolder();
  const journal = openTestJournal(folder);
  await appendNext(journal, 'session/a', {});
  // A clock that has not moved on since the folder was changed for the first time.
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
