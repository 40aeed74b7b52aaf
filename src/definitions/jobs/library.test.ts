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
import { openLibrary } from './library.ts';

/** Long enough for a fresh file to have a conclusive fingerprint. */
const untilConclusive = () => new Promise((resolve) => setTimeout(resolve, 150));

const BROKEN = 'name: 7\n';

describe('list', () => {
  it('lists the jobs of all folders as they are at the call', async () => {
    verifies('JOBS-REQ-001.2.3', 'JOBS-REQ-001.2.4', 'JOBS-REQ-001.2.8');
    const [one, two] = [tempFolder(), tempFolder()];
    const library = openLibrary({ folders: () => [one, join(one, 'none'), two] });
    expect(await library.list()).toEqual({ jobs: [], errors: [], warnings: [] });
    writeJob(one, 'b', jobYml({ name: 'b' }));
    writeJob(two, 'a', jobYml({ name: 'a' }));
    writeJob(one, 'a2', jobYml({ name: 'a2' }));
    writeFiles(one, { 'file.yml': 'x', 'empty/readme.md': 'x' });
    const { jobs, errors, warnings } = await library.list();
    expect(jobs.map(({ name }) => name)).toEqual(['a2', 'b', 'a']);
    expect(jobs.map(({ dir }) => dir)).toEqual([join(one, 'a2'), join(one, 'b'), join(two, 'a')]);
    expect([errors, warnings]).toEqual([[], []]);
    rmSync(join(one, 'b'), { recursive: true });
    expect((await library.list()).jobs).toHaveLength(2);
  });

  it('lists the others if one is broken', async () => {
    verifies('JOBS-REQ-001.2.6', 'JOBS-REQ-001.2.7');
    const folder = tempFolder();
    writeJob(folder, 'good', jobYml({ name: 'good' }));
    writeJob(folder, 'bad', BROKEN);
    writeJob(folder, 'latin', Uint8Array.from([0xe9]));
    mkdirSync(join(folder, 'odd', 'job.yml'), { recursive: true });
    mkdirSync(join(folder, 'dangling'));
    symlinkSync('none', join(folder, 'dangling', 'job.yml'));
    const { jobs, errors } = await openLibrary({ folders: () => [folder] }).list();
    expect(jobs.map(({ name }) => name)).toEqual(['good']);
    expect(errors.map(({ job_name }) => job_name)).toEqual(['bad', 'dangling', 'latin', 'odd']);
    expect(errors[0]).toEqual({
      job_name: 'bad',
      job_dir: join(folder, 'bad'),
      error: expect.stringContaining("Validation error at root: missing required key 'version'"),
    });
    expect(errors[0]?.error.split('\n').length).toBeGreaterThan(3);
  });

  it('follows links to shared job directories', async () => {
    const [folder, shared] = [tempFolder(), tempFolder()];
    symlinkSync(writeJob(shared, 'x', jobYml()), join(folder, 'demo'));
    const { jobs, warnings } = await openLibrary({ folders: () => [folder] }).list();
    expect(jobs.map(({ dir }) => dir)).toEqual([join(folder, 'demo')]);
    expect(warnings).toEqual([]);
  });

  it('reports warnings with the job they belong to', async () => {
    const folder = tempFolder();
    const dir = writeJob(folder, 'here', jobYml({ name: 'there' }));
    const { warnings } = await openLibrary({ folders: () => [folder] }).list();
    expect(warnings).toEqual([
      {
        job_name: 'there',
        job_dir: dir,
        warning: "Job name 'there' differs from directory 'here' (line 1, column 7)",
      },
    ]);
  });

  it('warns of a job whose name means another one', async () => {
    const folder = tempFolder();
    const first = writeJob(folder, 'a', jobYml({ name: 'demo' }));
    writeJob(folder, 'b', jobYml({ name: 'demo' }));
    const { jobs, warnings } = await openLibrary({ folders: () => [folder] }).list();
    expect(jobs).toHaveLength(2);
    expect(warnings.map(({ warning }) => warning).filter((text) => text.includes('means'))).toEqual(
      [`Job name 'demo' means the job in '${first}'; start this one as 'b' (line 1, column 7)`],
    );
  });

  it('reports a path that is not a folder', async () => {
    const folder = tempFolder();
    writeFiles(folder, { jobs: 'not a folder' });
    const path = join(folder, 'jobs');
    const { errors } = await openLibrary({ folders: () => [path] }).list();
    expect(errors).toEqual([
      {
        job_name: 'jobs',
        job_dir: path,
        error: `Cannot read jobs folder '${path}': it is not a folder`,
      },
    ]);
  });

  it.skipIf(process.getuid?.() === 0)('reports directories that may not be read', async () => {
    const folder = tempFolder();
    const dir = writeJob(folder, 'closed', jobYml());
    chmodSync(dir, 0);
    onTestFinished(() => chmodSync(dir, 0o700));
    const { errors } = await openLibrary({ folders: () => [folder] }).list();
    expect(errors).toMatchObject([
      { job_name: 'closed', error: expect.stringContaining('permission denied') },
    ]);
  });
});

describe('names', () => {
  it('means the first directory of a name, in listing and start', async () => {
    verifies('JOBS-X.1');
    const [one, two] = [tempFolder(), tempFolder()];
    const dir = writeJob(one, 'demo', jobYml());
    writeJob(two, 'demo', jobYml().replace('A demonstration', 'Hidden'));
    const library = openLibrary({ folders: () => [one, two] });
    expect((await library.list()).jobs.map((job) => job.dir)).toEqual([dir]);
    expect(await library.find('demo')).toMatchObject({ kind: 'job', job: { dir } });
  });

  it('keeps the name of a broken job, in listing and start', async () => {
    verifies('JOBS-X.1');
    const [one, two] = [tempFolder(), tempFolder()];
    writeJob(one, 'demo', BROKEN);
    writeJob(two, 'demo', jobYml());
    const library = openLibrary({ folders: () => [one, two] });
    const { jobs, errors } = await library.list();
    expect(jobs).toEqual([]);
    expect(errors).toMatchObject([{ job_name: 'demo', job_dir: join(one, 'demo') }]);
    expect(await library.find('demo')).toMatchObject({
      kind: 'broken',
      jobName: 'demo',
      problems: expect.stringContaining('\n'),
    });
  });

  it('does not count a directory without job.yml', async () => {
    const [one, two] = [tempFolder(), tempFolder()];
    mkdirSync(join(one, 'demo'));
    const dir = writeJob(two, 'demo', jobYml());
    const library = openLibrary({ folders: () => [one, two] });
    expect(await library.find('demo')).toMatchObject({ kind: 'job', job: { dir } });
  });

  it('matches directory names first, then declared names in order', async () => {
    verifies('JOBS-REQ-001.3.4');
    const folder = tempFolder();
    const a = writeJob(folder, 'a', jobYml({ name: 'b' }));
    const b = writeJob(folder, 'b', jobYml({ name: 'other' }));
    writeJob(folder, 'c', jobYml({ name: 'other' }));
    writeJob(folder, 'd', jobYml({ name: 'lost', root: 'x: 1' }));
    const library = openLibrary({ folders: () => [folder] });
    expect(await library.find('a')).toMatchObject({ job: { dir: a } });
    expect(await library.find('b')).toMatchObject({ job: { dir: b } });
    expect(await library.find('other')).toMatchObject({ job: { dir: b } });
    expect(await library.find('lost')).toMatchObject({ kind: 'broken', jobName: 'd' });
  });

  it('never joins a name into a path', async () => {
    verifies('JOBS-REQ-001.3.4');
    const top = tempFolder();
    const dir = writeJob(top, 'demo', jobYml({ name: 'secret' }));
    writeJob(join(top, 'jobs'), 'x', jobYml({ name: 'x' }));
    const library = openLibrary({ folders: () => [join(top, 'jobs')] });
    for (const name of ['../demo', dir, './x', 'x/', 'x/.', '.', '..', '', 'x\0', '__proto__']) {
      expect(await library.find(name)).toEqual({ kind: 'missing' });
    }
  });

  it('finds the job of a running session by its directory', async () => {
    const folder = tempFolder();
    const dir = writeJob(folder, 'demo', jobYml());
    const library = openLibrary({ folders: () => [] });
    expect(await library.at(dir)).toMatchObject({ kind: 'job', job: { name: 'demo' } });
    writeFileSync(join(dir, 'job.yml'), BROKEN);
    expect(await library.at(dir)).toMatchObject({ kind: 'broken', jobName: 'demo' });
    rmSync(dir, { recursive: true });
    expect(await library.at(dir)).toEqual({ kind: 'missing' });
  });
});

describe('a parsed job', () => {
  it('is reused while the files are unchanged', async () => {
    const folder = tempFolder();
    for (const name of ['a', 'b', 'c']) writeJob(folder, name, jobYml({ name }));
    writeJob(folder, 'broken', BROKEN);
    const library = openLibrary({ folders: () => [folder] });
    await untilConclusive();
    const { jobs } = await library.list();
    expect(library.parsed).toBe(4);
    const again = await library.list();
    await library.find('a');
    await library.find('nothing');
    await library.at(join(folder, 'b'));
    expect(library.parsed).toBe(4);
    expect(again.jobs.every((job, index) => job === jobs[index])).toBe(true);
  });

  it('is parsed again only if its file was edited', async () => {
    const folder = tempFolder();
    for (const name of ['a', 'b']) writeJob(folder, name, jobYml({ name }));
    const library = openLibrary({ folders: () => [folder] });
    await untilConclusive();
    await library.list();
    writeFileSync(join(folder, 'a', 'job.yml'), jobYml({ name: 'a' }).replace('All of it', 'New'));
    expect((await library.list()).jobs[0]?.workflows[0]?.summary).toBe('New');
    expect(library.parsed).toBe(3);
  });

  it('reflects a second edit of the same size at the same moment', async () => {
    const folder = tempFolder();
    const library = openLibrary({ folders: () => [folder] });
    const path = join(folder, 'demo', 'job.yml');
    writeJob(folder, 'demo', jobYml());
    const moment = new Date();
    for (let round = 10; round < 30; round++) {
      writeFileSync(path, jobYml().replace('A demonstration', `Edition ${round}`));
      utimesSync(path, moment, moment);
      const [job] = (await library.list()).jobs;
      expect(job?.summary).toBe(`Edition ${round}`);
    }
  });

  it('reflects an edit in place that keeps size and time', async () => {
    const folder = tempFolder();
    const path = join(writeJob(folder, 'demo', jobYml()), 'job.yml');
    const past = new Date(Date.now() - 60_000);
    utimesSync(path, past, past);
    const library = openLibrary({ folders: () => [folder] });
    await untilConclusive();
    await library.list();
    writeFileSync(path, jobYml().replace('A demonstration', 'A demonstratiom'));
    utimesSync(path, past, past);
    expect((await library.list()).jobs[0]?.summary).toBe('A demonstratiom');
  });

  it('is parsed again while another edit could have the same time', async () => {
    const folder = tempFolder();
    const path = join(writeJob(folder, 'demo', jobYml()), 'job.yml');
    // With a clock that runs ahead, its last change is never long ago.
    const ahead = new Date(Date.now() + 3_600_000);
    utimesSync(path, ahead, ahead);
    const library = openLibrary({ folders: () => [folder] });
    await untilConclusive();
    for (let times = 1; times <= 3; times++) {
      await library.list();
      expect(library.parsed).toBe(times);
    }
  });

  it('reflects a replacement that keeps size and time', async () => {
    const folder = tempFolder();
    const dir = writeJob(folder, 'demo', jobYml());
    const path = join(dir, 'job.yml');
    const library = openLibrary({ folders: () => [folder] });
    await library.list();
    await untilConclusive();
    const { atime, mtime } = statSync(path);
    writeFiles(dir, { 'new.yml': jobYml().replace('A demonstration', 'A demonstratiom') });
    utimesSync(join(dir, 'new.yml'), atime, mtime);
    renameSync(join(dir, 'new.yml'), path);
    expect((await library.list()).jobs[0]?.summary).toBe('A demonstratiom');
  });

  it('is judged again if an instruction file is removed or added', async () => {
    const folder = tempFolder();
    const dir = writeJob(folder, 'demo', jobYml());
    const library = openLibrary({ folders: () => [folder] });
    await library.list();
    await untilConclusive();
    rmSync(join(dir, 'b.md'));
    expect((await library.list()).errors).toMatchObject([
      { error: 'Instructions file not found: b.md (line 17, column 24)' },
    ]);
    await untilConclusive();
    writeFiles(dir, { 'b.md': 'Back.' });
    expect((await library.list()).jobs).toHaveLength(1);
    expect(library.parsed).toBe(3);
  });

  it('can be requested by many calls at once', async () => {
    const folder = tempFolder();
    for (let index = 0; index < 40; index++) {
      writeJob(folder, `j${index}`, jobYml({ name: `j${index}` }));
    }
    const library = openLibrary({ folders: () => [folder] });
    const listings = await Promise.all(Array.from({ length: 5 }, () => library.list()));
    for (const { jobs } of listings) expect(jobs).toHaveLength(40);
  });
});
