import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { inputVariables } from './checks.ts';

test('a command finds each input, in capitals and with _ for every other character', () => {
  verifies('LANG-2');
  const inputs = { issue: '#1', count: 3, strict: false, 'out/report.md': ['a.md', 'b.md'] };
  expect(inputVariables(inputs)).toEqual({
    DEEPWORK_INPUT_ISSUE: '#1',
    DEEPWORK_INPUT_COUNT: '3',
    DEEPWORK_INPUT_STRICT: 'false',
    DEEPWORK_INPUT_OUT_REPORT_MD: 'a.md\nb.md',
  });
});

test('a command about one item finds it as JSON', () => {
  verifies('LANG-2');
  expect(inputVariables({}, { name: 'a' })).toEqual({ DEEPWORK_ITEM: '{"name":"a"}' });
  expect(inputVariables({}, 'src/a.ts')).toEqual({ DEEPWORK_ITEM: '"src/a.ts"' });
});

test('a value with which no command could be started is omitted', () => {
  expect(inputVariables({ nul: 'a\0b', long: 'x'.repeat(70_000), kept: 'y' })).toEqual({
    DEEPWORK_INPUT_KEPT: 'y',
  });
});
