import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { openViews } from './views.ts';

it('writes nothing into a folder that has become a link since the last write', async () => {
  const folder = path.join(tempFolder(), 'tmp');
  let allowed = true;
  const views = openViews(folder, () => {
    if (!allowed) throw new Error('leads elsewhere');
  });
  await views.place('one.json', '1');
  const before = readdirSync(folder);
  allowed = false;
  await expect(views.place('two.json', '2')).rejects.toThrow('leads elsewhere');
  expect(readdirSync(folder)).toEqual(before);
});
