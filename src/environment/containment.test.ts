import { mkdirSync, rmdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { openContainment } from './containment.ts';

test('a folder that leads out of the project is reported once, however often it is asked about', () => {
  const root = tempFolder();
  const reports: string[] = [];
  const { problemOf, require } = openContainment(root, (line) => reports.push(line));
  for (const name of ['jobs', 'workflows']) {
    const link = path.join(root, name);
    symlinkSync(tempFolder(), link);
    for (let time = 0; time < 3; time += 1) expect(problemOf(link)).not.toBeNull();
    expect(() => require(link)).toThrow(/leads outside the project/);
  }
  mkdirSync(path.join(root, 'own'));
  expect(problemOf(path.join(root, 'own'))).toBeNull();
  expect(reports).toEqual([
    'jobs is a symbolic link that leads outside the project; it is ignored. Remove the link.',
    'workflows is a symbolic link that leads outside the project; it is ignored. Remove the link.',
  ]);
});

test('a folder that becomes a link is refused by the next call, even if no other event came between', async () => {
  const root = tempFolder('own/skills');
  const { problemOf, require } = openContainment(root, () => {});
  const skills = path.join(root, 'own/skills');
  expect(problemOf(skills)).toBeNull();
  // As for a caller in the same process: an answer needs promises, but no event of the system.
  await Promise.resolve();
  rmdirSync(skills);
  symlinkSync(tempFolder(), skills);
  expect(problemOf(skills)).toMatch(/leads outside the project/);
  expect(() => require(skills)).toThrow(/leads outside the project/);
});
