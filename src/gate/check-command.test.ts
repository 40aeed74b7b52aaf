import { expect, test } from 'vitest';
import { excerptOf } from './check-command.ts';

const before = Array.from({ length: 400 }, (_, index) => `  compiled module number ${index}`);
const after = Array.from({ length: 400 }, (_, index) => `  cleaned up after step ${index}`);

test.each([
  "E       AssertionError: expected the status to be 'ok', got 'late'",
  'FAIL src/pay.test.ts > adds up',
  '--- FAIL: TestPay (0.00s)',
  'error[E0308]: mismatched types',
  "thread 'main' panicked at src/main.rs:4:5:",
  'not ok 7 - adds up',
  'npm ERR! code ELIFECYCLE',
  "  12:3  error  'x' is never used",
  ' × adds up 3ms',
  '\u001b[31mTypeError\u001b[0m: x is no function',
])('an excerpt of a long output shows the first error: %s', (line) => {
  const shown = excerptOf({ stdout: [...before, line, ...after].join('\n'), stderr: '' });
  expect(shown.split('\n')[3]).toBe(line.replaceAll(/\u001b\[\d+m/g, ''));
  expect(shown.endsWith(after.at(-1) ?? '')).toBe(true);
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(4096);
});

test.each([
  'tests/test_errors_0.py ..........',
  '> python3 run.py --maxfail=1',
  ' RUN  v3.2.4 /home/ann/error-tracker',
  'tests/pay.py::test_error PASSED [ 50%]',
  'test errors::it_fails ... ok',
  '  ✓ reports an error',
  '# fail 0',
  'Tests run: 5, Failures: 0',
])('a line that only looks like an error is not taken for the first one: %s', (line) => {
  const error = 'AssertionError: 1 is not 2';
  const lines = [...before, line, ...before, error, ...after];
  const shown = excerptOf({ stdout: '', stderr: lines.join('\n') });
  expect(shown.split('\n')[3]).toBe(error);
});

test('an excerpt without any error is the end, from the beginning of a line', () => {
  const shown = excerptOf({ stdout: before.join('\n'), stderr: after.join('\n') });
  expect(shown).toMatch(/^\[… \d+ lines left out …\]\n {2}\w+ \w+/);
  expect(shown.endsWith(after.at(-1) ?? '')).toBe(true);
});
