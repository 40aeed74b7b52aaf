import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { timeoutSeconds } from './reviewer.ts';

test('large work gets more time, up to half an hour, and never less than is configured', () => {
  verifies('JOBS-X.15');
  expect(timeoutSeconds(120, 0)).toBe(120);
  expect(timeoutSeconds(120, 4999)).toBe(120);
  expect(timeoutSeconds(120, 5000)).toBe(150);
  expect(timeoutSeconds(120, 10_000_000)).toBe(1800);
  expect(timeoutSeconds(3600, 0)).toBe(3600);
});
