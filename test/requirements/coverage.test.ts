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
    for (const [, list] of readFileSync(file, 'utf8').matchAll(/\bverifies\(([^)]*)\)/g)) {
      for (const [, id] of (list ?? '').matchAll(/'([^']+)'/g)) cited.add(id as string);
    }
  }
  return cited;
}

test('every requirement is cited by a test', () => {
  const cited = citations();
  expect(REQUIREMENTS.filter((id) => !cited.has(id))).toEqual([]);
});

test('every requirement that is cited exists', () => {
  expect([...citations()].filter((id) => !REQUIREMENTS.includes(id))).toEqual([]);
});
