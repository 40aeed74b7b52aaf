// A requirement counts as verified only if a test that cites it really ran.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { REQUIREMENTS } from './requirements.ts';

const sample = fileURLToPath(new URL('sample', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

function runSample(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', '--root', sample, ...args],
    { encoding: 'utf8' },
  );
  return { status, output: stdout + stderr };
}

test('a run fails with every requirement that only a comment or a skipped test cites', () => {
  const { status, output } = runSample();
  const lines = (['TEAM-2', 'TEAM-3', 'TEAM-4'] as const).map((id) => {
    const { says, source } = REQUIREMENTS[id];
    return `  ${id}: ${says} (${source})\n`;
  });
  expect(output).toBe(`No test verifies these requirements:\n${lines.join('')}\n`);
  expect(status).toBe(1);
});

test('a run of single tests is not judged', () => {
  expect(runSample('-t', 'runs to its end')).toEqual({ status: 0, output: '' });
});

test('an unknown id cannot be cited', () => {
  expect(() => verifies('TEAM-0' as 'TEAM-1')).toThrow("No requirement has the id 'TEAM-0'");
  expect(() => verifies('constructor' as 'TEAM-1')).toThrow('No requirement');
});

test('every requirement has a sentence and a source, and no two say the same', () => {
  const all = Object.values(REQUIREMENTS);
  for (const { says, source } of all) {
    expect(says).toMatch(/^\S.+\.$/);
    expect(source).toMatch(
      /^((seed \d{3}|(jobs|guides|team|clients|board|language) contract), sections? \d+(\.\d)?( to \d+)?|(store|run) contract)$/,
    );
  }
  expect(new Set(all.map(({ says }) => says)).size).toBe(all.length);
});

test('no test and no group of tests is skipped permanently', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => path.join(root, folder, file)),
  );
  const skipped = files.filter((file) =>
    /^[ \t]*(?:test|it|describe)\.(?:skip|todo|only)\b\(/m.test(readFileSync(file, 'utf8')),
  );
  expect(skipped).toEqual([]);
});
