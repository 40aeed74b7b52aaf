import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { jobYml, writeFiles, writeJob } from '../../../test/support/job-files.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { openFolderListing } from './discovery.ts';
import { openLibrary } from './library.ts';

/** Long enough for a fresh file to have a conclusive fingerprint. */
const untilConclusive = () => new Promise((resolve) => setTimeout(resolve, 150));

const BROKEN = 'name: 7\n';
const libraryOf = (...folders: string[]) => openLibrary({ folders: () => folders });

describe('list', () => {
  it('lists the jobs of all folders as they are at the call', async () => {
    verifies('JOBS-REQ-001.2.3', 'JOBS-REQ-001.2.4', 'JOBS-REQ-001.2.8');
    const [one, two, shared] = [tempFolder(), tempFolder(), tempFolder()];
    const library = libraryOf(one, join(one, 'none'), two);
    expect(await library.list()).toEqual({ jobs: [], errors: [], warnings: [] });
    writeJob(one, 'b', jobYml({ name: 'b' }));
    writeJob(two, 'a', jobYml({ name: 'a' }));
    symlinkSync(writeJob(shared, 'x', jobYml({ name: 'a2' })), join(one, 'a2'));
    writeFiles(one, { 'file.yml': 'x', 'empty/readme.md': 'x' });
    const { jobs, errors, warnings } = await library.list();
    expect(jobs.map(({ name }) => name)).toEqual(['a2', 'b', 'a']);
    expect(jobs.map(({ dir }) => dir)).toEqual([join(one, 'a2'), join(one, 'b'), join(two, 'a')]);
    expect([errors, warnings]).toEqual([[], []]);
    rmSync(join(one, 'b'), { recursive: true });
    expect((await library.list()).jobs).toHaveLength(2);
  });

  it('lists the others if one is broken, or a path is not a folder', async () => {
    verifies('JOBS-REQ-001.2.6', 'JOBS-REQ-001.2.7');
    const folder = tempFolder();
    writeJob(folder, 'good', jobYml({ name: 'good' }));
    writeJob(folder, 'bad', BROKEN);
    writeJob(folder, 'latin', Uint8Array.from([0xe9]));
    mkdirSync(join(folder, 'odd', 'job.yml'), { recursive: true });
    mkdirSync(join(folder, 'dangling'));
    symlinkSync('none', join(folder, 'dangling', 'job.yml'));
    writeFiles(folder, { jobs: 'not a folder' });
    const { jobs, errors } = await libraryOf(folder, join(folder, 'jobs')).list();
    expect(jobs.map(({ name }) => name)).toEqual(['good']);
    const named = ['bad', 'dangling', 'latin', 'odd', 'jobs'];
    expect(errors).toEqual(
      named.map((job_name) => ({
        job_name,
        job_dir: join(folder, job_name),
        error: expect.any(String),
      })),
    );
    expect(errors[0]?.error.split('\n').length).toBeGreaterThan(3);
  });

  it('warns of a job whose name is not that of its directory, or means another job', async () => {
    const folder = tempFolder();
    const first = writeJob(folder, 'a', jobYml({ name: 'demo' }));
    const second = writeJob(folder, 'b', jobYml({ name: 'demo' }));
    const { jobs, warnings } = await libraryOf(folder).list();
    expect(jobs).toHaveLength(2);
    expect(warnings).toEqual([
      { job_name: 'demo', job_dir: first, warning: expect.stringContaining("directory 'a'") },
      { job_name: 'demo', job_dir: second, warning: expect.stringContaining("directory 'b'") },
      { job_name: 'demo', job_dir: second, warning: expect.stringContaining(first) },
    ]);
  });

  it.skipIf(process.getuid?.() === 0)('reports directories that may not be read', async () => {
    const folder = tempFolder();
    const dir = writeJob(folder, 'closed', jobYml());
    chmodSync(dir, 0);
    onTestFinished(() => chmodSync(dir, 0o700));
    const { errors } = await libraryOf(folder).list();
    expect(errors).toMatchObject([
      { job_name: 'closed', error: expect.stringContaining('permission denied') },
    ]);
  });
});

describe('a name', () => {
  it('means the first directory of that name that has a job.yml, broken or not', async () => {
    verifies('JOBS-X.1');
    const [none, one, two] = [tempFolder('demo'), tempFolder(), tempFolder()];
    const dir = writeJob(one, 'demo', jobYml());
    writeJob(two, 'demo', jobYml().replace('A demonstration', 'Hidden'));
    const library = libraryOf(none, one, two);
    expect((await library.list()).jobs.map((job) => job.dir)).toEqual([dir]);
    expect(await library.find('demo')).toMatchObject({ kind: 'job', job: { dir } });
    writeJob(one, 'demo', BROKEN);
    expect(await library.list()).toMatchObject({ jobs: [], errors: [{ job_dir: dir }] });
    expect(await library.find('demo')).toMatchObject({
      kind: 'broken',
      jobName: 'demo',
      problems: expect.stringContaining('\n'),
    });
  });

  it('matches directories first, then declared names in order', async () => {
    verifies('JOBS-REQ-001.3.4');
    const folder = tempFolder();
    const a = writeJob(folder, 'a', jobYml({ name: 'b' }));
    const b = writeJob(folder, 'b', jobYml({ name: 'other' }));
    writeJob(folder, 'c', jobYml({ name: 'other' }));
    writeJob(folder, 'd', jobYml({ name: 'lost', root: 'x: 1' }));
    const library = libraryOf(folder);
    expect(await library.find('a')).toMatchObject({ job: { dir: a } });
    expect(await library.find('b')).toMatchObject({ job: { dir: b } });
    expect(await library.find('other')).toMatchObject({ job: { dir: b } });
    expect(await library.find('lost')).toMatchObject({ kind: 'broken', jobName: 'd' });
  });

  it('never becomes a path', async () => {
    verifies('JOBS-REQ-001.3.4');
    const top = tempFolder();
    const dir = writeJob(top, 'demo', jobYml({ name: 'secret' }));
    writeJob(join(top, 'jobs'), 'x', jobYml({ name: 'x' }));
    const library = libraryOf(join(top, 'jobs'));
    for (const name of ['../demo', dir, './x', 'x/', 'x/.', '.', '..', '', 'x\0', '__proto__']) {
      expect(await library.find(name)).toEqual({ kind: 'missing' });
    }
  });

  it('is not needed by a running session, which finds its job by directory', async () => {
    const dir = writeJob(tempFolder(), 'demo', jobYml());
    const library = libraryOf();
    expect(await library.at(dir)).toMatchObject({ kind: 'job', job: { name: 'demo' } });
    writeFileSync(join(dir, 'job.yml'), BROKEN);
    expect(await library.at(dir)).toMatchObject({ kind: 'broken', jobName: 'demo' });
    rmSync(dir, { recursive: true });
    expect(await library.at(dir)).toEqual({ kind: 'missing' });
  });
});

describe('a parsed job', () => {
  it('is reused while its file is unchanged, and only an edited one is parsed again', async () => {
    const folder = tempFolder();
    for (const name of ['a', 'b', 'c']) writeJob(folder, name, jobYml({ name }));
    writeJob(folder, 'broken', BROKEN);
    const library = libraryOf(folder);
    await untilConclusive();
    const { jobs } = await library.list();
    const [again] = await Promise.all([library.list(), library.find('a'), library.find('none')]);
    await library.at(join(folder, 'b'));
    expect(library.parsed).toBe(4);
    expect(again.jobs.every((job, index) => job === jobs[index])).toBe(true);
    writeFileSync(join(folder, 'a', 'job.yml'), jobYml({ name: 'a' }).replace('All of it', 'New'));
    expect((await library.list()).jobs[0]?.workflows[0]?.summary).toBe('New');
    expect(library.parsed).toBe(5);
  });

  it('reflects edits of the same size at the same moment', async () => {
    const folder = tempFolder();
    const path = join(writeJob(folder, 'demo', jobYml()), 'job.yml');
    const library = libraryOf(folder);
    const moment = new Date();
    for (let round = 10; round < 30; round++) {
      writeFileSync(path, jobYml().replace('A demonstration', `Edition ${round}`));
      utimesSync(path, moment, moment);
      expect((await library.list()).jobs[0]?.summary).toBe(`Edition ${round}`);
    }
  });

  it('reflects an edit in place and a replacement that keep size and time', async () => {
    const folder = tempFolder();
    const dir = writeJob(folder, 'demo', jobYml());
    const path = join(dir, 'job.yml');
    const past = new Date(Date.now() - 60_000);
    utimesSync(path, past, past);
    const library = libraryOf(folder);
    await untilConclusive();
    await library.list();
    writeFileSync(path, jobYml().replace('A demonstration', 'A demonstratiom'));
    utimesSync(path, past, past);
    expect((await library.list()).jobs[0]?.summary).toBe('A demonstratiom');
    await untilConclusive();
    await library.list();
    const { atime, mtime } = statSync(path);
    writeFiles(dir, { 'new.yml': jobYml().replace('A demonstration', 'A demonstratioN') });
    utimesSync(join(dir, 'new.yml'), atime, mtime);
    renameSync(join(dir, 'new.yml'), path);
    expect((await library.list()).jobs[0]?.summary).toBe('A demonstratioN');
  });

  it('is parsed again while another edit could have the same time', async () => {
    const folder = tempFolder();
    const path = join(writeJob(folder, 'demo', jobYml()), 'job.yml');
    // With a clock that runs ahead, its last change is never long ago.
    const ahead = new Date(Date.now() + 3_600_000);
    utimesSync(path, ahead, ahead);
    const library = libraryOf(folder);
    await untilConclusive();
    for (let times = 1; times <= 3; times++) {
      await library.list();
      expect(library.parsed).toBe(times);
    }
  });

  it('is judged again if an instruction file is removed or added', async () => {
    const folder = tempFolder();
    const dir = writeJob(folder, 'demo', jobYml());
    const library = libraryOf(folder);
    await library.list();
    await untilConclusive();
    rmSync(join(dir, 'b.md'));
    expect((await library.list()).errors).toMatchObject([
      { error: expect.stringContaining('b.md (line 17, column 24)') },
    ]);
    await untilConclusive();
    writeFiles(dir, { 'b.md': 'Back.' });
    expect((await library.list()).jobs).toHaveLength(1);
    expect(library.parsed).toBe(3);
  });
});

it('a folder is listed again while another job in it could leave the same time', () => {
  const folder = tempFolder('job');
  // As on a disk whose clock is ahead, or does not tick between two changes.
  const ahead = new Date(Date.now() + 3_600_000);
  utimesSync(folder, ahead, ahead);
  const list = openFolderListing();
  const before = list(folder, []);
  expect(before.map(({ name }) => name)).toEqual(['job']);
  expect(list(folder, [])).not.toBe(before);
});
