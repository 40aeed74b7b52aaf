import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { watchPlaces } from './watch-places.ts';

/** Makes a change, and waits until it is reported. */
type Change = (what: string, make: () => void) => Promise<void>;

function watching(...places: string[]): Change {
  let reported = 0;
  const stop = watchPlaces(places, () => {
    reported += 1;
  });
  onTestFinished(stop);
  return async (what, make) => {
    // Late events of the change before are not taken for this one.
    for (let before = -1; before !== reported; ) {
      before = reported;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const before = reported;
    make();
    await expect.poll(() => reported, { message: what }).toBeGreaterThan(before);
  };
}

function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

test('a file that was replaced is still noticed when it is edited in place', async () => {
  const root = tempFolder('jobs/a');
  const file = join(root, 'jobs/a/job.yml');
  writeFileSync(file, 'one');
  const change = watching(root);
  await change('replaced', () => replace(file, 'two'));
  await change('edited', () => writeFileSync(file, 'three'));
  await change('replaced again', () => replace(file, 'four'));
  await change('edited again', () => writeFileSync(file, 'five'));
});

test('so is a file that was named itself', async () => {
  const file = join(tempFolder(), 'GOAL.md');
  writeFileSync(file, 'one');
  const change = watching(file);
  await change('replaced', () => replace(file, 'two'));
  await change('edited', () => writeFileSync(file, 'three'));
});

test('a folder that is created, removed or replaced later is watched, too', async () => {
  const root = tempFolder();
  const folder = join(root, '.deepwork');
  const file = join(folder, 'jobs/a/job.yml');
  const change = watching(folder);
  const create = () => {
    mkdirSync(join(folder, 'jobs/a'), { recursive: true });
    writeFileSync(file, 'one');
  };
  await change('created', create);
  await change('edited', () => writeFileSync(file, 'two'));
  await change('removed and created at once', () => {
    rmSync(folder, { recursive: true });
    create();
  });
  await change('edited in the new folder', () => writeFileSync(file, 'three'));
  await change('replaced', () => {
    renameSync(join(folder, 'jobs'), join(root, 'aside'));
    create();
  });
  await change('edited in the folder that replaced it', () => writeFileSync(file, 'four'));
});

test('changes beside the watched places are not reported', async () => {
  const root = tempFolder('.deepwork/tmp');
  let reported = 0;
  onTestFinished(watchPlaces([join(root, '.deepwork'), join(root, 'GOAL.md')], () => reported++));
  writeFileSync(join(root, 'other.md'), 'one');
  writeFileSync(join(root, '.deepwork/tmp/session.json'), '{}');
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(reported).toBe(0);
});
