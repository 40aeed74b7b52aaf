import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { guide, write } from '../../../test/support/guides.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { openGuideFiles } from './guide-file.ts';

it('reads a file at every look while a later change could have the same time', async () => {
  const folder = tempFolder();
  write(folder, 'a.json', guide('demo', 'Old'));
  // The folder itself must be old enough to be trusted, so that only the file is in doubt.
  await pause(50);
  const file = write(folder, 'a.json', guide('demo', 'New'));
  const guides = openGuideFiles({ folders: () => [folder], watchFrom: 0 });
  onTestFinished(() => guides.close());
  // Read in the same tick of the clock in which the file was written.
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(statSync(file).ctimeMs) + 1 });
  onTestFinished(() => void vi.useRealTimers());
  // From the third look on, a watched folder is not walked again.
  for (let times = 1; times <= 4; times++) {
    await guides.look(new Set());
    expect(guides.read).toBe(times);
  }
});
