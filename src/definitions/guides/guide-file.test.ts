import { linkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bytesOf, guide, write } from '../../../test/support/guides.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { openGuideFiles } from './guide-file.ts';

it('reads a file again that was read too soon after its last change', async () => {
  const folder = tempFolder();
  const file = write(folder, 'a.json', guide('demo', 'Old'));
  let parsed = 0;
  const onParse = () => void parsed++;
  const guides = openGuideFiles({ folders: () => [folder], watchFrom: 0, onParse });
  onTestFinished(() => guides.close());
  // Read in the same clock tick in which the file was written.
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(statSync(file).ctimeMs) + 1 });
  onTestFinished(() => void vi.useRealTimers());
  await guides.look('all');
  // A watch of the folder does not report a change through another name of the file.
  const elsewhere = join(tempFolder(), 'b.json');
  linkSync(file, elsewhere);
  writeFileSync(elsewhere, bytesOf(guide('demo', 'New')));
  await guides.look(new Set());
  expect(parsed).toBe(2);
});
