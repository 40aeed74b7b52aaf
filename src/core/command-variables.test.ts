import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { commandVariables, pathArgument } from './command-variables.ts';

const variablesFor = (judged: Parameters<typeof commandVariables>[0]) => {
  const given = commandVariables(judged);
  return given.kind === 'variables' ? given.variables : given.problem;
};

test('a command finds each input, in capitals and with _ for every other character', () => {
  verifies('LANG-2');
  const inputs = { issue: '#1', count: 3, strict: false, 'out/report.md': ['a.md', 'b.md'] };
  expect(variablesFor({ inputs })).toEqual({
    DEEPWORK_INPUT_ISSUE: '#1',
    DEEPWORK_INPUT_COUNT: '3',
    DEEPWORK_INPUT_STRICT: 'false',
    DEEPWORK_INPUT_OUT_REPORT_MD: 'a.md\nb.md',
  });
});

test('a command about one item finds it as JSON', () => {
  verifies('LANG-2');
  const item = { name: 'a' };
  expect(variablesFor({ inputs: {}, item })).toEqual({ DEEPWORK_ITEM: '{"name":"a"}' });
  expect(variablesFor({ inputs: {}, item: 'src/a.ts' })).toEqual({ DEEPWORK_ITEM: '"src/a.ts"' });
});

test('a command finds the paths of each output that was handed in', () => {
  const outputs = { draft: '-n', pages: ['a.md', '--help', 'b/-c'], none: [] };
  expect(variablesFor({ inputs: {}, outputs })).toEqual({
    DEEPWORK_OUTPUT_DRAFT: './-n',
    DEEPWORK_OUTPUT_PAGES: 'a.md\n./--help\nb/-c',
    DEEPWORK_OUTPUT_NONE: '',
  });
});

test('a value that is too long is a problem that names the variable, in bytes', () => {
  const long = 'ö'.repeat(70_000);
  expect(variablesFor({ inputs: { long } })).toBe(
    "DEEPWORK_INPUT_LONG would be 140000 bytes long, at most 122880 are possible. Abort the run and start it again with a shorter input 'long'.",
  );
  expect(variablesFor({ inputs: {}, item: long })).toMatch(/^DEEPWORK_ITEM would be 140002 bytes/);
  expect(variablesFor({ inputs: {}, outputs: { o: [long] } })).toMatch(/^DEEPWORK_OUTPUT_O would/);
});

test('two names that lead to one variable are a problem: neither wins', () => {
  expect(variablesFor({ inputs: {}, outputs: { 'a.b': 'x.md', A_b: 'y.md' } })).toBe(
    "DEEPWORK_OUTPUT_A_B would stand for both 'a.b' and 'A_b'. Rename one in the definition.",
  );
  expect(variablesFor({ inputs: { 'a-b': 1, a_b: 2 } })).toMatch(/^DEEPWORK_INPUT_A_B would/);
});

test('a path is given so that no program takes it for an option, a list or an assignment', () => {
  const plain = ['a.md', '.env', '..dots', '_x', 'über/ñ 日本.md', '9', 'a/-b', "it's"];
  expect(plain.map(pathArgument)).toEqual(plain);
  const odd = ['-', '-n', '+3', '@list', '~a', '!', 'a=b', 'a=b/c', ' -n', '[id]'];
  expect(odd.map(pathArgument)).toEqual(odd.map((path) => `./${path}`));
});
