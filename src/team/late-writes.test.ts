// Replaced files that are held open for late writes.

import { fstatSync, openSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { until } from '../../test/support/until.ts';
import { openLateWrites } from './late-writes.ts';

test('in a burst of writes the oldest file is released before its time', async () => {
  const file = path.join(tempFolder(), 'state.json');
  writeFileSync(file, '{}');
  const { ino } = statSync(file);
  const isHeld = (handle: number) => {
    try {
      return fstatSync(handle).ino === ino;
    } catch {
      return false;
    }
  };
  // Nothing is polled, so no file is released for its age.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const late = openLateWrites();
  const handles = Array.from({ length: 17 }, () => openSync(file, 'r'));
  for (const handle of handles) late.add(handle, Buffer.from('{}'), () => {});
  const [oldest, ...others] = handles as [number, ...number[]];
  await until(() => !isHeld(oldest));
  expect(others.every(isHeld)).toBe(true);
});
