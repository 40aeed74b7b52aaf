import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isAtLeast, MIN_NODE } from './node-version.ts';

test('the minimum version is the one in package.json', () => {
  const file = new URL('../../package.json', import.meta.url);
  expect(JSON.parse(readFileSync(file, 'utf8')).engines.node).toBe(`>=${MIN_NODE}`);
});

test.each([
  ['20.19.0', true],
  ['20.18.9', false],
  ['18.99.0', false],
  ['22.0.0', true],
])('Node %s is new enough: %s', (version, expected) => {
  expect(isAtLeast(version, MIN_NODE)).toBe(expected);
});
