// Every behaviour that the contract names is cited by a test. An id that nobody cites
// fails here; so does a citation of an id that does not exist.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { REQUIREMENTS } from './requirements.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function testFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') || file.endsWith('conformance.ts'))
    .map((file) => path.join(root, folder, file));
}

function citations(): Set<string> {
  const cited = new Set<string>();
  for (const file of [...testFiles('src'), ...testFiles('test')]) {
    const text = withoutComments(readFileSync(file, 'utf8'));
    for (const { 1: list = '', index } of text.matchAll(/\bverifies\(([^)]*)\)/g)) {
      if (!mayBeSkipped(text.slice(0, index))) {
        for (const [, id] of list.matchAll(/'([^']+)'/g)) cited.add(id as string);
      }
    }
  }
  return cited;
}

function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
}

/** Whether the test that begins last before a citation runs only here and there, or nowhere. */
function mayBeSkipped(before: string): boolean {
  const openings = before.match(/^[ \t]*(?:test|it)\b[.\w]*\(/gm) ?? [];
  return /\.(?:skip|skipIf|runIf|todo|fails)\b/.test(openings.at(-1) ?? '');
}

test('every requirement is cited by a test', () => {
  const cited = citations();
  expect(REQUIREMENTS.filter((id) => !cited.has(id))).toEqual([]);
});

test('every requirement that is cited exists', () => {
  expect([...citations()].filter((id) => !REQUIREMENTS.includes(id))).toEqual([]);
});

test('no test and no group of tests is skipped for good', () => {
  const skipped = [...testFiles('src'), ...testFiles('test')].filter((file) =>
    /^[ \t]*(?:test|it|describe)\.(?:skip|todo|only)\b\(/m.test(readFileSync(file, 'utf8')),
  );
  expect(skipped).toEqual([]);
});
