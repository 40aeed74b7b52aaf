import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFiles } from '../../test/support/job-files.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';
import { isInside } from './inside.ts';
import { decodeUtf8, readContained } from './read-contained.ts';
import { describeSystemError } from './system-errors.ts';

describe('isInside', () => {
  it('recognizes a folder, what is below it, and what only looks like it', () => {
    expect(isInside('/jobs', '/jobs')).toBe(true);
    expect(isInside('/jobs', '/jobs/a/b')).toBe(true);
    expect(isInside('/jobs', '/jobs/..a')).toBe(true);
    expect(isInside('/', '/jobs')).toBe(true);
    expect(isInside('/jobs', '/jobs2')).toBe(false);
    expect(isInside('/jobs', '/')).toBe(false);
    expect(isInside('/jobs/a', '/jobs/b')).toBe(false);
  });
});

describe('readContained', () => {
  it('reads a file up to the limit', () => {
    const folder = tempFolder();
    writeFiles(folder, { empty: '', ten: '0123456789' });
    expect(readContained(folder, join(folder, 'ten'), 10)).toEqual({
      kind: 'read',
      bytes: Buffer.from('0123456789'),
    });
    expect(readContained(folder, join(folder, 'ten'), 9)).toEqual({ kind: 'too-large' });
    expect(readContained(folder, join(folder, 'empty'), 10)).toMatchObject({
      kind: 'read',
    });
  });

  it('reads files whose size the system does not report', () => {
    const file = readContained('/proc', '/proc/version', 10_000);
    expect(['read', 'missing']).toContain(file.kind);
    if (file.kind === 'read') expect(file.bytes.length).toBeGreaterThan(0);
    // The limit holds for them, too.
    const cut = readContained('/proc', '/proc/version', 10);
    expect(['too-large', 'missing']).toContain(cut.kind);
  });
});

describe('words', () => {
  it('decodes UTF-8 strictly', () => {
    expect(decodeUtf8(Buffer.from('\ufeffé'))).toBe('é');
    expect(decodeUtf8(Uint8Array.from([0xc3]))).toBeNull();
    expect(decodeUtf8(Uint8Array.from([0xed, 0xa0, 0x80]))).toBeNull();
  });

  it('puts system errors into words', () => {
    expect(describeSystemError(Object.assign(new Error('x'), { code: 'EACCES' }))).toBe(
      'permission denied',
    );
    expect(describeSystemError(Object.assign(new Error('x'), { code: 'ESTALE' }))).toBe('ESTALE');
    expect(describeSystemError(new Error('odd'))).toBe('Error: odd');
  });
});
