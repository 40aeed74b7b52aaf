// The changes that tests must notice can be made: each names a place in the code, and a test.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CHANGES } from './rows.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('each change has one place in the code, alters it, and names a test that there is', () => {
  const problems = CHANGES.flatMap(({ file, find, replace, noticedBy }, index) => {
    const source = path.join(ROOT, 'src', file);
    const places = existsSync(source) ? readFileSync(source, 'utf8').split(find).length - 1 : 0;
    const [testFile, name = ''] = noticedBy.split(' > ');
    const tests = path.join(ROOT, `${testFile}.test.ts`);
    const about = `${index + 1} (${file}): ${find}`;
    return [
      ...(places === 1 ? [] : [`${about}: found ${places} times`]),
      ...(find === replace ? [`${about}: changes nothing`] : []),
      ...(existsSync(tests) ? [] : [`${about}: there is no ${testFile}.test.ts`]),
      ...(existsSync(tests) && !readFileSync(tests, 'utf8').includes(name)
        ? [`${about}: no test of ${testFile} is named '${name}'`]
        : []),
    ];
  });
  expect(problems).toEqual([]);
});

test('no change is listed twice', () => {
  const texts = CHANGES.map(({ file, find, replace }) => JSON.stringify([file, find, replace]));
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
});
