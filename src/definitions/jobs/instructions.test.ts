import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jobYml, loadJob, writeFiles, writeJob } from '../../../test/support/job-files.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { Refused } from '../../core/refusal.ts';
import { openInstructions, readInstructions } from './instructions.ts';

/** What loading a job reports about its instruction file of that name. */
async function verdict(dir: string, file: string): Promise<string> {
  writeFiles(dir, { 'job.yml': jobYml().replace('a.md', JSON.stringify(file)) });
  const loaded = await loadJob(dir);
  return loaded.kind === 'job' ? 'sound' : loaded.problems.join('\n');
}

/** A job directory beside a file that it must not read. */
function jobWithNeighbour(): string {
  const folder = tempFolder();
  writeFiles(folder, { 'secret.md': 'A secret.', 'demo2/x.md': 'Another job.' });
  return writeJob(folder, 'demo', jobYml());
}

const PLACE = ' (line 10, column 24)';

describe('instruction files at load', () => {
  it('are refused outside the job directory, whether they exist or not', async () => {
    verifies('JOBS-X.3');
    const dir = jobWithNeighbour();
    const outside = 'Instructions file outside job directory: ';
    for (const file of ['../secret.md', '../nothing.md', '../demo2/x.md', 'a/../../secret.md']) {
      expect(await verdict(dir, file)).toBe(`${outside}${file}${PLACE}`);
    }
    const absolute = join(dir, '../secret.md');
    expect(await verdict(dir, absolute)).toBe(`${outside}${absolute}${PLACE}`);
    expect(await verdict(dir, '/dev/zero')).toBe(`${outside}/dev/zero${PLACE}`);
  });

  it('are judged by the targets of links', async () => {
    const dir = jobWithNeighbour();
    symlinkSync('../secret.md', join(dir, 'out.md'));
    symlinkSync('b.md', join(dir, 'in.md'));
    symlinkSync('..', join(dir, 'up'));
    symlinkSync('nowhere.md', join(dir, 'dangling.md'));
    symlinkSync('loop.md', join(dir, 'loop.md'));
    expect(await verdict(dir, 'out.md')).toContain(
      'Instructions file outside job directory: out.md',
    );
    expect(await verdict(dir, 'up/secret.md')).toContain('outside job directory: up/secret.md');
    expect(await verdict(dir, 'in.md')).toBe('sound');
    expect(await verdict(dir, 'up/demo/b.md')).toBe('sound');
    expect(await verdict(dir, 'dangling.md')).toContain('file not found: dangling.md');
    expect(await verdict(dir, 'loop.md')).toContain('file not readable: loop.md');
  });

  it('may be named by paths that are not normalized', async () => {
    const dir = jobWithNeighbour();
    for (const file of ['./b.md', 'x/../b.md', '../demo/b.md', join(dir, 'b.md')]) {
      expect(await verdict(dir, file)).toBe('sound');
    }
  });

  it('must be regular files, and a pipe does not block', async () => {
    const dir = jobWithNeighbour();
    mkdirSync(join(dir, 'folder'));
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    symlinkSync('pipe', join(dir, 'linked'));
    for (const file of ['folder', '.', 'pipe', 'linked']) {
      expect(await verdict(dir, file)).toBe(
        `Instructions file not a regular file: ${file}${PLACE}`,
      );
    }
  });

  it('must be UTF-8 and at most 128 KiB', async () => {
    const dir = jobWithNeighbour();
    writeFiles(dir, {
      'latin.md': Uint8Array.from([0x63, 0x61, 0x66, 0xe9]),
      'full.md': 'x'.repeat(128 * 1024),
      'over.md': 'x'.repeat(128 * 1024 + 1),
    });
    expect(await verdict(dir, 'latin.md')).toBe(`Instructions file not UTF-8: latin.md${PLACE}`);
    expect(await verdict(dir, 'over.md')).toBe(`Instructions file too large: over.md${PLACE}`);
    expect(await verdict(dir, 'full.md')).toBe('sound');
  });

  it('may have any name: one that cannot exist is not found', async () => {
    const dir = jobWithNeighbour();
    expect(await verdict(dir, 'a\0b.md')).toBe(`Instructions file not found: a\\u0000b.md${PLACE}`);
    expect(await verdict(dir, 'b.md/x')).toContain('Instructions file not found: b.md/x');
    expect(await verdict(dir, 'x'.repeat(5000))).toMatch(
      /^Instructions file not found: x+… \(line/,
    );
  });

  it.skipIf(process.getuid?.() === 0)('must be readable', async () => {
    const dir = jobWithNeighbour();
    writeFiles(dir, { 'locked.md': 'x' });
    chmodSync(join(dir, 'locked.md'), 0);
    expect(await verdict(dir, 'locked.md')).toContain('Instructions file not readable: locked.md');
  });
});

describe('readInstructions', () => {
  async function firstStep(dir: string) {
    const loaded = await loadJob(dir);
    const step = loaded.kind === 'job' ? loaded.job.steps[0] : undefined;
    if (loaded.kind !== 'job' || !step) throw new Error('expected a sound job');
    return { job: loaded.job, step };
  }

  it('returns the text without a byte order mark', async () => {
    const dir = jobWithNeighbour();
    writeFiles(dir, { 'a.md': '\ufeffGrüße\r\n' });
    const { job, step } = await firstStep(dir);
    expect(await readInstructions(job, step)).toBe('Grüße\r\n');
  });

  it('works in a job directory that is itself a link', async () => {
    const folder = tempFolder();
    symlinkSync(jobWithNeighbour(), join(folder, 'demo'));
    const { job, step } = await firstStep(join(folder, 'demo'));
    expect(job.dir).toBe(join(folder, 'demo'));
    expect(await readInstructions(job, step)).toBe('Do a.');
  });

  it('refuses files that became invalid after the job was loaded, and says how to fix them', async () => {
    const dir = jobWithNeighbour();
    const { job, step } = await firstStep(dir);
    const path = join(dir, 'a.md');
    const changes: [() => void, string, string, RegExp][] = [
      [() => undefined, 'instructions_not_found', 'Instructions file not found: a.md', /create/],
      [
        () => symlinkSync('../secret.md', path),
        'instructions_unusable',
        'Instructions file outside job directory: a.md',
        /into the job directory/,
      ],
      [
        () => execFileSync('mkfifo', [path]),
        'instructions_unusable',
        'Instructions file not a regular file: a.md',
        /ordinary/,
      ],
      [
        () => appendFileSync(path, 'x'.repeat(200_000)),
        'instructions_unusable',
        'Instructions file too large: a.md',
        /128 KiB/,
      ],
    ];
    for (const [change, code, message, next] of changes) {
      rmSync(path, { force: true });
      change();
      const error = await readInstructions(job, step).catch((thrown: unknown) => thrown);
      if (!(error instanceof Refused)) throw new Error('expected a refusal');
      expect(error.refusal).toMatchObject({ code, message });
      expect(error.refusal.next).toMatch(next);
    }
  });

  it('returns a cached text only to a job that may read the file, and only while it is unchanged', async () => {
    const dir = jobWithNeighbour();
    const other = join(dir, '../demo2');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(join(dir, 'a.md'), longAgo, longAgo);
    symlinkSync('a.md', join(dir, 'link.md'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const text = { kind: 'text', text: readFileSync(join(dir, 'a.md'), 'utf8') };
    for (let time = 0; time < 3; time++) {
      expect(await openInstructions(dir, 'a.md')).toEqual(text);
      expect(await openInstructions(dir, 'link.md')).toEqual(text);
    }
    const outside = { kind: 'fault', fault: 'outside job directory' };
    expect(await openInstructions(other, '../demo/a.md')).toEqual(outside);

    rmSync(join(dir, 'link.md'));
    symlinkSync('../secret.md', join(dir, 'link.md'));
    expect(await openInstructions(dir, 'link.md')).toEqual(outside);
    writeFileSync(join(dir, 'a.md'), 'Now.');
    expect(await openInstructions(dir, 'a.md')).toEqual({ kind: 'text', text: 'Now.' });
    writeFileSync(join(dir, 'a.md'), 'Won.');
    expect(await openInstructions(dir, 'a.md')).toEqual({ kind: 'text', text: 'Won.' });
  });

  it('refuses if the whole job is gone', async () => {
    const dir = jobWithNeighbour();
    const { job, step } = await firstStep(dir);
    rmSync(dir, { recursive: true });
    await expect(readInstructions(job, step)).rejects.toThrow('Instructions file not found: a.md');
  });
});
