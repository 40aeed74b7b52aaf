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

describe('instruction files at load', () => {
  it('are refused outside the job directory, whether they exist or not, also through links', async () => {
    verifies('JOBS-X.3');
    const dir = jobWithNeighbour();
    symlinkSync('../secret.md', join(dir, 'out.md'));
    symlinkSync('..', join(dir, 'up'));
    for (const file of [
      ...['../secret.md', '../nothing.md', '../demo2/x.md', 'a/../../secret.md', '/dev/zero'],
      ...[join(dir, '../secret.md'), 'out.md', 'up/secret.md'],
    ]) {
      expect(await verdict(dir, file)).toBe(
        `Instructions file outside job directory: ${file} (line 10, column 24)`,
      );
    }
  });

  it('may be named by links and paths that are not normalized, as long as they stay inside', async () => {
    const dir = jobWithNeighbour();
    symlinkSync('b.md', join(dir, 'in.md'));
    symlinkSync('..', join(dir, 'up'));
    const ways = ['in.md', 'up/demo/b.md', './b.md', 'x/../b.md', '../demo/b.md'];
    for (const file of [...ways, join(dir, 'b.md')]) expect(await verdict(dir, file)).toBe('sound');
  });

  it('must be regular files of UTF-8 text of at most 128 KiB, and a pipe does not block', async () => {
    const dir = jobWithNeighbour();
    mkdirSync(join(dir, 'folder'));
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    symlinkSync('pipe', join(dir, 'linked'));
    symlinkSync('nowhere.md', join(dir, 'dangling.md'));
    symlinkSync('loop.md', join(dir, 'loop.md'));
    writeFiles(dir, {
      'latin.md': Uint8Array.from([0x63, 0x61, 0x66, 0xe9]),
      'full.md': 'x'.repeat(128 * 1024),
      'over.md': 'x'.repeat(128 * 1024 + 1),
    });
    for (const file of ['folder', '.', 'pipe', 'linked']) {
      expect(await verdict(dir, file)).toContain(`not a regular file: ${file}`);
    }
    for (const [file, fault] of [
      ['latin.md', 'not UTF-8: latin.md'],
      ['over.md', 'too large: over.md'],
      ['dangling.md', 'not found: dangling.md'],
      ['loop.md', 'not readable: loop.md'],
      ['a\0b.md', 'not found: a\\u0000b.md'],
      ['b.md/x', 'not found: b.md/x'],
      ['x'.repeat(5000), 'not found: xxx'],
      ['full.md', 'sound'],
    ] as const) {
      expect(await verdict(dir, file)).toContain(fault);
    }
  });

  it.skipIf(process.getuid?.() === 0)('must be readable', async () => {
    const dir = jobWithNeighbour();
    writeFiles(dir, { 'locked.md': 'x' });
    chmodSync(join(dir, 'locked.md'), 0);
    expect(await verdict(dir, 'locked.md')).toContain('not readable: locked.md');
  });
});

describe('readInstructions', () => {
  async function firstStep(dir: string) {
    const loaded = await loadJob(dir);
    const step = loaded.kind === 'job' ? loaded.job.steps[0] : undefined;
    if (loaded.kind !== 'job' || !step) throw new Error('expected a sound job');
    return { job: loaded.job, step };
  }

  it('returns the text without a byte order mark, also of a job directory that is a link', async () => {
    const dir = jobWithNeighbour();
    writeFiles(dir, { 'a.md': '\ufeffGrüße\r\n' });
    const link = join(tempFolder(), 'demo');
    symlinkSync(dir, link);
    for (const place of [dir, link]) {
      const { job, step } = await firstStep(place);
      expect([job.dir, await readInstructions(job, step)]).toEqual([place, 'Grüße\r\n']);
    }
  });

  it('refuses files that became invalid after the job was loaded', async () => {
    const dir = jobWithNeighbour();
    const { job, step } = await firstStep(dir);
    const path = join(dir, 'a.md');
    const changes: [() => void, string][] = [
      [() => undefined, 'instructions_not_found'],
      [() => symlinkSync('../secret.md', path), 'instructions_unusable'],
      [() => execFileSync('mkfifo', [path]), 'instructions_unusable'],
      [() => appendFileSync(path, 'x'.repeat(200_000)), 'instructions_unusable'],
      [() => rmSync(dir, { recursive: true }), 'instructions_not_found'],
    ];
    for (const [change, code] of changes) {
      rmSync(path, { force: true });
      change();
      const error = await readInstructions(job, step).catch((thrown: unknown) => thrown);
      if (!(error instanceof Refused)) throw new Error('expected a refusal');
      expect(error.refusal.code).toBe(code);
      expect(error.refusal.message).toContain('a.md');
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
    for (const edited of ['Now.', 'Won.']) {
      writeFileSync(join(dir, 'a.md'), edited);
      expect(await openInstructions(dir, 'a.md')).toEqual({ kind: 'text', text: edited });
    }
  });
});
