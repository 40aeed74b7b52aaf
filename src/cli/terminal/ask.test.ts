import { expect, test } from 'vitest';
import { isYes } from './ask.ts';

test.each(['y', 'Y', 'yes', 'YES', ' y '])('%j is a yes', (answer) => {
  expect(isYes(answer)).toBe(true);
});

test.each(['n', '', ' ', 'yesterday', 'ok', 'y es'])('%j is a no', (answer) => {
  expect(isYes(answer)).toBe(false);
});
