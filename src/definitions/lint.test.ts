import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesOf, workflow, write } from '../../test/support/guides.ts';
import { jobYml, writeFiles, writeJob } from '../../test/support/job-files.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { lintFolders, lintPaths } from './lint.ts';

const noSettings = async () => [];

function project() {
  const root = tempFolder();
  const jobs = join(root, '.deepwork', 'jobs');
  writeJob(jobs, 'demo', jobYml());
  writeJob(jobs, 'odd', jobYml({ name: 'even', root: 'colour: red\nsize: big' }));
  return { root, jobs, demo: join(jobs, 'demo', 'job.yml'), odd: join(jobs, 'odd', 'job.yml') };
}

describe('lintPaths', () => {
  it('reports line and column separately from the message', async () => {
    const { jobs, odd } = project();
    const { files, problems, warnings } = await lintPaths([join(jobs, 'odd')], noSettings);
    expect(files).toHaveLength(1);
    expect(files[0]?.file).toBe(odd);
    expect(files[0]?.problems.kept).toEqual([
      {
        code: 'unknown_key',
        path: ['colour'],
        at: { line: 5, column: 1 },
        message: expect.stringMatching(/^unknown key 'colour'/),
      },
      {
        code: 'unknown_key',
        path: ['size'],
        at: { line: 6, column: 1 },
        message: expect.stringMatching(/^unknown key 'size'/),
      },
    ]);
    expect(files[0]?.warnings.kept).toEqual([
      {
        code: 'name_differs',
        path: ['name'],
        at: { line: 1, column: 7 },
        message: "Job name 'even' differs from directory 'odd'",
      },
    ]);
    expect([problems, warnings]).toEqual([2, 1]);
  });

  it('accepts a file, a job, a folder of jobs or a project, and lints each job once', async () => {
    const { root, jobs, demo, odd } = project();
    for (const path of [root, jobs]) {
      const { files } = await lintPaths([path], noSettings);
      expect(files.map(({ file }) => file)).toEqual([demo, odd]);
    }
    const { files } = await lintPaths([demo, join(jobs, 'demo'), root], noSettings);
    expect(files.map(({ file }) => file)).toEqual([demo, odd]);
  });

  it('reports paths with nothing to lint', async () => {
    const root = tempFolder();
    mkdirSync(join(root, 'bare'));
    writeFiles(root, { 'notes.md': 'x' });
    const paths = ['none', 'bare', 'notes.md'].map((name) => join(root, name));
    const { files, problems } = await lintPaths(paths, noSettings);
    expect(files.map(({ file }) => file)).toEqual(paths);
    expect(problems).toBe(3);
    expect(files.map((linted) => linted.problems.kept[0]?.message)).toEqual([
      'Nothing to lint here: it does not exist',
      'Nothing to lint here: there is no job.yml and no workflow .json file in it',
      'Nothing to lint here: it is neither a folder, nor a job.yml, nor a workflow .json file',
    ]);
  });
});

describe('lintPaths, for guides', () => {
  /** Kind, path and number of problems of each file. */
  async function linted(...paths: string[]) {
    const { files } = await lintPaths(paths, noSettings);
    return files.map(({ kind, file, problems }) => [kind, file, problems.kept.length]);
  }

  it('accepts a file, a folder of files, or a project with both kinds', async () => {
    const { root, demo, odd } = project();
    const good = write(join(root, 'workflows'), 'good.json', workflow());
    const bad = write(join(root, '.deepwork', 'workflows'), 'bad.json', '{');
    write(root, 'package.json', '{"name": "a-project"}');
    expect(await linted(bad)).toEqual([['guide', bad, 1]]);
    expect(await linted(join(root, 'workflows'))).toEqual([['guide', good, 0]]);
    expect(await linted(root, good)).toEqual([
      ['job', demo, 0],
      ['job', odd, 2],
      ['guide', bad, 1],
      ['guide', good, 0],
    ]);
  });

  it('does not lint files at the root of a project as guides', async () => {
    const root = tempFolder();
    writeFiles(root, { 'package.json': '{}', '.deepwork/config.yml': '' });
    expect(await linted(root)).toEqual([[null, root, 1]]);
  });
});

describe('lintFolders', () => {
  it('skips folders that do not exist', async () => {
    const { jobs } = project();
    const { files, problems } = await lintFolders({ jobs: [join(jobs, 'none'), jobs], guides: [] });
    expect(files).toHaveLength(2);
    expect(problems).toBe(2);
    const none = [join(jobs, 'none')];
    expect(await lintFolders({ jobs: none, guides: none })).toEqual({
      files: [],
      jobs: 0,
      guides: 0,
      problems: 0,
      warnings: 0,
    });
  });

  it('reports everything that answers to agents omit', async () => {
    const folder = tempFolder();
    const many = Array.from({ length: 1500 }, (_, index) => `key_${index}: 1`).join('\n');
    writeJob(folder, 'demo', jobYml({ root: many }));
    const { files } = await lintFolders({ jobs: [folder], guides: [] });
    expect(files[0]?.problems.kept).toHaveLength(1000);
  });
});

describe('lintFolders, for guides', () => {
  const lintGuides = (guides: readonly string[]) => lintFolders({ jobs: [], guides });

  it('reports every file of the folders, including hidden ones, with line and column', async () => {
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
    const report = await lintGuides([one, join(one, 'none'), two, one]);
    const told = report.files.map(({ file, problems, warnings }) => [
      file,
      [...problems.kept, ...warnings.kept].map(
        ({ at, message }) => `${at.line}:${at.column} ${message}`,
      ),
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
        ['1:2 Not JSON: expected a key in double quotes, found the end of the file'],
      ],
      [join(two, 'e.json'), ['1:1 The file is a symbolic link that leaves its folder']],
    ]);
    expect([report.problems, report.warnings]).toEqual([4, 1]);
  });

  it('warns of a guide without a version, which counts as 1.0.0', async () => {
    const folder = tempFolder();
    const { version: _, ...without } = workflow({ id: 'first' });
    writeFiles(folder, { 'a.json': bytesOf(without) });
    const [linted] = (await lintGuides([folder])).files;
    expect(linted).toMatchObject({ problems: { kept: [] } });
    expect(linted?.warnings.kept).toEqual([
      {
        code: 'no_version',
        path: [],
        at: { line: 1, column: 1 },
        message: 'No "version"; it counts as 1.0.0',
      },
    ]);
  });

  it('counts problems and warnings that are not listed', async () => {
    const folder = tempFolder();
    // Each is empty, and all but the first are duplicates; reading stops at a hundred problems.
    const metaGuidance = Array.from({ length: 250 }, () => '');
    const unknown = Object.fromEntries(metaGuidance.map((_, index) => [`x${index}`, 1]));
    writeFiles(folder, { 'a.json': bytesOf(workflow({ ...unknown, metaGuidance })) });
    const { files, ...totals } = await lintGuides([folder]);
    const [linted] = files;
    expect([linted?.problems.kept.length, linted?.warnings.kept.length]).toEqual([100, 50]);
    expect(totals).toMatchObject({ problems: 199, warnings: 250 });
  });

  it('reports a path that is not a folder', async () => {
    const folder = tempFolder();
    writeFiles(folder, { workflows: 'x' });
    const { files } = await lintGuides([join(folder, 'workflows')]);
    expect(files).toMatchObject([
      {
        kind: null,
        problems: { kept: [{ message: 'Nothing to lint here: it is not a folder' }] },
      },
    ]);
  });
});
