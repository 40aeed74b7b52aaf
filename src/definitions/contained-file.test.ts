import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, isInside, readContainedFile, systemWords } from './contained-file.ts';
import { loadJob } from './job-yml.ts';
import { jobYml, tempFolder, writeFiles, writeJob } from './temp-jobs.ts';

describe('isInside', () => {
  it('knows a folder, what is below it, and what only looks so', () => {
    expect(isInside('/jobs', '/jobs')).toBe(true);
    expect(isInside('/jobs', '/jobs/a/b')).toBe(true);
    expect(isInside('/jobs', '/jobs/..a')).toBe(true);
    expect(isInside('/', '/jobs')).toBe(true);
    expect(isInside('/jobs', '/jobs2')).toBe(false);
    expect(isInside('/jobs', '/')).toBe(false);
    expect(isInside('/jobs/a', '/jobs/b')).toBe(false);
  });
});

describe('readContainedFile', () => {
  it('reads a file up to the limit', async () => {
    const folder = tempFolder();
    writeFiles(folder, { empty: '', ten: '0123456789' });
    expect(await readContainedFile(folder, join(folder, 'ten'), 10)).toEqual({
      kind: 'read',
      bytes: Buffer.from('0123456789'),
    });
    expect(await readContainedFile(folder, join(folder, 'ten'), 9)).toEqual({ kind: 'too-large' });
    expect(await readContainedFile(folder, join(folder, 'empty'), 10)).toMatchObject({
      kind: 'read',
    });
  });

  it('reads a file that grows meanwhile as one of its moments', async () => {
    const folder = tempFolder();
    const path = join(folder, 'log');
    writeFileSync(path, 'x'.repeat(1000));
    const reading = readContainedFile(folder, path, 100_000);
    for (let i = 0; i < 50; i++) appendFileSync(path, 'y'.repeat(1000));
    const file = await reading;
    if (file.kind !== 'read') throw new Error(file.kind);
    const whole = readFileSync(path);
    expect(whole.subarray(0, file.bytes.length).equals(file.bytes)).toBe(true);
  });

  it('reads files whose size the system does not tell', async () => {
    const file = await readContainedFile('/proc', '/proc/version', 10_000);
    expect(['read', 'missing']).toContain(file.kind);
    if (file.kind === 'read') expect(file.bytes.length).toBeGreaterThan(0);
  });
});

describe('job.yml as something else', () => {
  const load = async (dir: string) => {
    const loaded = await loadJob(dir);
    return loaded.kind === 'job' ? 'sound' : loaded.problems.join('\n');
  };

  it('is refused when it is a pipe, at once', async () => {
    const dir = join(tempFolder(), 'demo');
    mkdirSync(dir);
    execFileSync('mkfifo', [join(dir, 'job.yml')]);
    expect(await load(dir)).toContain('Failed to load job.yml: it is not a regular file');
  });

  it('may be a link within the jobs folder but not out of it', async () => {
    const top = tempFolder();
    const jobs = join(top, 'jobs');
    writeFiles(top, { 'job.yml': jobYml(), 'jobs/shared.yml': jobYml() });
    for (const name of ['inside', 'outside', 'circle', 'nowhere']) {
      writeFiles(join(jobs, name), { 'a.md': 'x', 'b.md': 'y' });
    }
    symlinkSync('../shared.yml', join(jobs, 'inside', 'job.yml'));
    symlinkSync('../../job.yml', join(jobs, 'outside', 'job.yml'));
    symlinkSync('job.yml', join(jobs, 'circle', 'job.yml'));
    symlinkSync('none.yml', join(jobs, 'nowhere', 'job.yml'));
    expect(await load(join(jobs, 'inside'))).toBe('sound');
    expect(await load(join(jobs, 'outside'))).toContain('link that leaves the jobs folder (line 1');
    expect(await load(join(jobs, 'circle'))).toContain('its symbolic links lead in a circle');
    expect(await load(join(jobs, 'nowhere'))).toContain('it does not exist');
  });

  it('is found through a job directory that is a link', async () => {
    const shared = writeJob(tempFolder(), 'demo', jobYml());
    const jobs = tempFolder();
    symlinkSync(shared, join(jobs, 'demo'));
    expect(await load(join(jobs, 'demo'))).toBe('sound');
  });
});

describe('words', () => {
  it('decodes UTF-8 strictly', () => {
    expect(decodeUtf8(Buffer.from('\ufeffé'))).toBe('é');
    expect(decodeUtf8(Uint8Array.from([0xc3]))).toBeNull();
    expect(decodeUtf8(Uint8Array.from([0xed, 0xa0, 0x80]))).toBeNull();
  });

  it('puts system errors into words', () => {
    expect(systemWords(Object.assign(new Error('x'), { code: 'EACCES' }))).toBe(
      'permission denied',
    );
    expect(systemWords(Object.assign(new Error('x'), { code: 'ESTALE' }))).toBe('ESTALE');
    expect(systemWords(new Error('odd'))).toBe('Error: odd');
  });
});
