import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bytesOf, workflow } from '../../../test/support/guides.ts';
import { writeFiles } from '../../../test/support/job-files.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { summarise } from '../lint-report.ts';
import { lintGuideFolders } from './lint.ts';

it('reports every file of the folders, also a hidden one, with line and column', async () => {
  const [one, two] = [tempFolder(), tempFolder()];
  writeFiles(one, {
    'a.json': bytesOf(workflow({ id: 'first' })),
    'b.json': bytesOf(workflow({ id: 'first' })),
  });
  writeFiles(two, {
    'c.json': bytesOf(workflow({ id: 'first', 'col\nour': 1, name: '' })),
    'd.json': '{',
  });
  symlinkSync(join(one, 'a.json'), join(two, 'e.json'));
  const report = summarise(await lintGuideFolders([one, join(one, 'none'), two, one]));
  const told = report.files.map(({ file, problems }) => [
    file,
    problems.kept.map(({ line, column, message }) => `${line}:${column} ${message}`),
  ]);
  expect(told).toEqual([
    [join(one, 'a.json'), []],
    [join(one, 'b.json'), ['2:9 Duplicate workflow id: first']],
    [
      join(two, 'c.json'),
      ['3:11 "name" must have 1 to 128 characters, got 0', '13:3 Unknown field: col\\nour'],
    ],
    [
      join(two, 'd.json'),
      ['1:2 Not JSON: a key in double quotes must stand here, but the file ends'],
    ],
    [join(two, 'e.json'), ['1:1 The file is a symbolic link that leaves its folder']],
  ]);
  expect([report.problems, report.warnings]).toEqual([5, 0]);
});

it('warns of a guide without a version, which counts as 1.0.0', async () => {
  const folder = tempFolder();
  const { version: _, ...without } = workflow({ id: 'first' });
  writeFiles(folder, { 'a.json': bytesOf(without) });
  const [linted] = await lintGuideFolders([folder]);
  expect(linted).toMatchObject({ problems: { kept: [] } });
  expect(linted?.warnings.kept).toEqual([
    { line: 1, column: 1, message: 'No "version"; it counts as 1.0.0' },
  ]);
});

it('counts what is not told', async () => {
  const folder = tempFolder();
  const unknown = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`x${index}`, 1]));
  writeFiles(folder, { 'a.json': bytesOf(workflow(unknown)) });
  const { files, problems } = summarise(await lintGuideFolders([folder]));
  expect([files[0]?.problems.kept.length, problems]).toEqual([100, 250]);
});

it('tells of a folder that is none', async () => {
  const folder = tempFolder();
  writeFiles(folder, { workflows: 'x' });
  expect(await lintGuideFolders([join(folder, 'workflows')])).toMatchObject([
    {
      kind: null,
      problems: { kept: [{ message: 'Nothing to lint here: it is not a folder' }] },
    },
  ]);
});
