import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesOf, workflow, write } from '../../test/support/guides.ts';
import { jobYml, writeFiles, writeJob } from '../../test/support/job-files.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { lintFolders, lintPaths } from './lint.ts';

const noSettings = async () => [];

/** A sound job, a job with two problems, a sound guide and a broken one. */
function project() {
  const root = tempFolder();
  const jobs = join(root, '.deepwork', 'jobs');
  writeJob(jobs, 'demo', jobYml());
  writeJob(jobs, 'odd', jobYml({ name: 'even', root: 'colour: red\nsize: big' }));
  const good = write(join(root, 'workflows'), 'good.json', workflow());
  const bad = write(join(root, '.deepwork', 'workflows'), 'bad.json', '{');
  write(root, 'package.json', '{"name": "a-project"}');
  return {
    root,
    jobs,
    good,
    bad,
    demo: join(jobs, 'demo/job.yml'),
    odd: join(jobs, 'odd/job.yml'),
  };
}

describe('lintPaths', () => {
  /** Kind, path and number of problems of each file. */
  async function linted(...paths: string[]) {
    const { files } = await lintPaths(paths, noSettings);
    return files.map(({ kind, file, problems }) => [kind, file, problems.kept.length]);
  }

  it('reports code, path, line and column separately from the message', async () => {
    const { odd } = project();
    const { files, problems, warnings } = await lintPaths([odd], noSettings);
    const message = expect.any(String);
    expect(files).toMatchObject([
      {
        file: odd,
        problems: {
          kept: [
            { code: 'unknown_key', path: ['colour'], at: { line: 5, column: 1 }, message },
            { code: 'unknown_key', path: ['size'], at: { line: 6, column: 1 }, message },
          ],
        },
        warnings: {
          kept: [{ code: 'name_differs', path: ['name'], at: { line: 1, column: 7 }, message }],
        },
      },
    ]);
    expect([problems, warnings]).toEqual([2, 1]);
  });

  it('accepts a file, a job, a folder or a project, and lints each definition once', async () => {
    const { root, jobs, good, bad, demo, odd } = project();
    const jobRows = [
      ['job', demo, 0],
      ['job', odd, 2],
    ];
    expect(await linted(jobs)).toEqual(jobRows);
    expect(await linted(demo, join(jobs, 'demo'), jobs)).toEqual(jobRows);
    expect(await linted(bad)).toEqual([['guide', bad, 1]]);
    expect(await linted(join(root, 'workflows'))).toEqual([['guide', good, 0]]);
    expect(await linted(root, good)).toEqual([...jobRows, ['guide', bad, 1], ['guide', good, 0]]);
  });

  it('reports paths with nothing to lint; files at the root of a project are none', async () => {
    const root = tempFolder('bare', 'own/.deepwork');
    writeFiles(root, { 'notes.md': 'x', 'own/package.json': '{}' });
    const paths = ['none', 'bare', 'notes.md', 'own'].map((name) => join(root, name));
    expect(await linted(...paths)).toEqual(paths.map((path) => [null, path, 1]));
  });
});

describe('lintFolders', () => {
  it('skips folders that do not exist, and reports a path that is not a folder', async () => {
    const { jobs } = project();
    const none = join(jobs, 'none');
    const { files, problems } = await lintFolders({ jobs: [none, jobs], guides: [none] });
    expect([files.length, problems]).toEqual([2, 2]);
    const empty = { files: [], jobs: 0, guides: 0, problems: 0, warnings: 0 };
    expect(await lintFolders({ jobs: [none], guides: [none] })).toEqual(empty);
    writeFiles(jobs, { workflows: 'x' });
    const report = await lintFolders({ jobs: [], guides: [join(jobs, 'workflows')] });
    expect(report).toMatchObject({ files: [{ kind: null }], problems: 1 });
  });

  it('reports every guide of the folders, with duplicates and warnings', async () => {
    const [one, two] = [tempFolder(), tempFolder()];
    const { version: _, ...unversioned } = workflow({ id: 'second' });
    writeFiles(one, {
      'a.json': bytesOf(workflow({ id: 'first' })),
      'b.json': bytesOf(workflow({ id: 'first' })),
    });
    writeFiles(two, {
      'c.json': bytesOf(workflow({ id: 'first', 'col\nour': 1, name: '' })),
      'd.json': '{',
      'f.json': bytesOf(unversioned),
    });
    symlinkSync(join(one, 'a.json'), join(two, 'e.json'));
    const guides = [one, join(one, 'none'), two, one];
    const report = await lintFolders({ jobs: [], guides });
    const told = report.files.map(({ file, problems, warnings }) => [
      file,
      [...problems.kept, ...warnings.kept].map(({ at, code }) => `${at.line}:${at.column} ${code}`),
    ]);
    expect(told).toEqual([
      [join(one, 'a.json'), []],
      [join(one, 'b.json'), ['2:9 duplicate_id']],
      [join(two, 'c.json'), ['3:11 wrong_length', '13:3 no_effect']],
      [join(two, 'd.json'), ['1:2 not_json']],
      [join(two, 'e.json'), ['1:1 outside_folder']],
      [join(two, 'f.json'), ['1:1 no_version']],
    ]);
    expect([report.problems, report.warnings]).toEqual([4, 2]);
  });

  it('lists what answers to agents omit, and counts what it does not list', async () => {
    const folder = tempFolder();
    const many = Array.from({ length: 1500 }, (_, index) => `key_${index}: 1`).join('\n');
    writeJob(folder, 'demo', jobYml({ root: many }));
    // Each is empty, and all but the first are duplicates; reading stops at a hundred problems.
    const metaGuidance = Array.from({ length: 250 }, () => '');
    const unknown = Object.fromEntries(metaGuidance.map((_, index) => [`x${index}`, 1]));
    const guides = tempFolder();
    writeFiles(guides, { 'a.json': bytesOf(workflow({ ...unknown, metaGuidance })) });
    const ofJobs = await lintFolders({ jobs: [folder], guides: [] });
    expect(ofJobs.files[0]?.problems.kept).toHaveLength(1000);
    const { files, ...totals } = await lintFolders({ jobs: [], guides: [guides] });
    expect([files[0]?.problems.kept.length, files[0]?.warnings.kept.length]).toEqual([100, 50]);
    expect(totals).toMatchObject({ problems: 199, warnings: 250 });
  });
});
