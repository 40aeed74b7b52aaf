import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jobYml, loadJob, writeFiles, writeJob } from '../../../test/support/job-files.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';

describe('a job.yml that is not a regular file', () => {
  const load = async (dir: string) => {
    const loaded = await loadJob(dir);
    return loaded.kind === 'job' ? 'sound' : loaded.problems.join('\n');
  };

  it('is refused at once if it is a pipe', async () => {
    const dir = join(tempFolder(), 'demo');
    mkdirSync(dir);
    execFileSync('mkfifo', [join(dir, 'job.yml')]);
    expect(await load(dir)).toContain('Failed to load job.yml: it is not a regular file');
  });

  it('may be a link inside the jobs folder, but not out of it', async () => {
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
