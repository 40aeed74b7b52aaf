import path from 'node:path';
import { expect, test } from 'vitest';
import { readAll, someEvent } from '../../test/support/journal-conformance.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { openMemoryJournal } from '../journal/memory.ts';
import { localPath, portablePath, withPortablePaths } from './portable-paths.ts';

function placesIn(folder: string) {
  const root = path.join(folder, 'project');
  const jobFolders = [path.join(root, '.deepwork/jobs'), path.join(folder, 'standard')];
  return { root, jobFolders };
}

test('a session started in one checkout uses the job of another checkout there', async () => {
  const one = placesIn(tempFolder());
  const two = placesIn(tempFolder());
  const journal = openMemoryJournal();
  const dir = path.join(one.root, '.deepwork/jobs/demo');
  const here = withPortablePaths(journal, one);
  const started = await here.append('session/a', 0, someEvent({ job_dir: dir }, 'started'));
  expect(started).toMatchObject({ event: { data: { job_dir: dir } } });
  await here.append('session/a', 1, someEvent({ job_dir: 'as it is' }, 'noted'));
  expect((await readAll(journal, 'session/a')).map(({ data }) => data.job_dir)).toEqual([
    'project:.deepwork/jobs/demo',
    'as it is',
  ]);
  const there = await readAll(withPortablePaths(journal, two), 'session/a');
  expect(there.map(({ data }) => data.job_dir)).toEqual([
    path.join(two.root, '.deepwork/jobs/demo'),
    'as it is',
  ]);
});

test('a bundled job is found where the program is installed', () => {
  const one = placesIn(tempFolder());
  const two = placesIn(tempFolder());
  const stored = portablePath(path.join(one.jobFolders[1] as string, 'tidy'), one);
  expect(stored).not.toContain(one.root);
  expect(localPath(stored, two)).toBe(path.join(two.jobFolders[1] as string, 'tidy'));
});
