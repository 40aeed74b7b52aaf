import { describe, expect, test } from 'vitest';
import { compileRegex } from './rules/regex.ts';
import {
  type DeclaredVariable,
  describeVariables,
  judgeVariables,
  problemWith,
  readWritten,
  unknownInputs,
} from './variables.ts';

function variable(name: string, more: Partial<DeclaredVariable> = {}): DeclaredVariable {
  return {
    name,
    description: 'A value',
    type: 'string',
    enum: null,
    pattern: null,
    required: true,
    default: null,
    ...more,
  };
}

function pattern(source: string) {
  const compiled = compileRegex(source, '');
  if (compiled.kind !== 'regex') throw new Error(compiled.message);
  return { source, regex: compiled.regex };
}

describe('values that are given for declared variables', () => {
  test('have all their problems reported at once, sorted by name', () => {
    const declared = [
      variable('z'),
      variable('severity', { enum: ['low', 'high'] }),
      variable('count', { type: 'number' }),
      variable('a'),
    ];
    const given = { severity: 'medium', count: 'three', unknown: 1, nothing: null, a: null };
    expect(judgeVariables('input', declared, given)).toEqual({
      values: {},
      missing: ['Missing required inputs: a, z'],
      wrong: [
        "Input 'count': must be a number, got three",
        "Input 'severity': must be one of low, high, got medium",
      ],
    });
    expect(unknownInputs(declared, given)).toEqual([
      'Unknown inputs: unknown. Declared inputs: a, count, severity, z',
    ]);
    expect(unknownInputs([], { b: 1, a: 2 })).toEqual([
      'Unknown inputs: a, b. Declared inputs: (none)',
    ]);
  });

  test('take their default only if they are not given and not required', () => {
    const declared = [
      variable('a', { default: 'x', required: false }),
      variable('b', { default: 'y', required: true }),
      variable('c', { required: false }),
    ];
    expect(judgeVariables('report', declared, { a: null })).toEqual({
      values: { a: 'x' },
      missing: ['Missing required reports: b'],
      wrong: [],
    });
    expect(judgeVariables('report', declared, { a: '', b: 'z', c: 'w' }).values).toEqual({
      a: '',
      b: 'z',
      c: 'w',
    });
  });

  test('ignore inherited properties', () => {
    const declared = [variable('constructor'), variable('tostring', { required: false })];
    expect(judgeVariables('input', declared, {}).missing).toEqual([
      'Missing required inputs: constructor',
    ]);
  });
});

test.each([
  [{ type: 'number' }, '3', 'must be a number, got "3"'],
  [{ type: 'number' }, 3, null],
  [{ type: 'boolean' }, 'yes', 'must be a boolean, got yes'],
  [{ type: 'boolean' }, false, null],
  [{ type: 'string' }, 7, 'must be a string, got 7'],
  [{ type: 'string' }, { a: 1 }, 'must be a string, got {"a":1}'],
  [{ type: 'number', enum: [1, 2] }, 3, 'must be one of 1, 2, got 3'],
  [{ pattern: pattern('^https://') }, 'ftp://x', 'must match ^https://, got ftp://x'],
  [{ pattern: pattern('^https://') }, 'https://x', null],
  [{ type: 'file' }, ['a.md'], 'must be a regular file inside the project, got ["a.md"]'],
  [{ type: 'file', many: true }, ['a.md', 'b.md'], null],
  [{ type: 'file', many: true }, ['a.md', 1], 'must be a regular file inside the project, got'],
] as const)('%j given %j: %s', (declared, value, problem) => {
  const found = problemWith(variable('x', declared as Partial<DeclaredVariable>), value);
  if (problem === null) expect(found).toBeNull();
  else expect(found).toContain(problem);
});

test('a pattern that runs too long is stopped', () => {
  const slow = variable('x', { pattern: pattern('^(a+)+$') });
  expect(problemWith(slow, `${'a'.repeat(40)}!`)).toMatch(
    /^must match \^\(a\+\)\+\$, got a+! \(the pattern took longer than 100 ms\)$/,
  );
});

test('a long value is truncated in its report', () => {
  expect(problemWith(variable('x', { enum: ['a'] }), 'b'.repeat(5000))?.length).toBeLessThan(300);
});

test('a value from a command line is read by its type, and kept as text if it does not fit', () => {
  expect(readWritten({ type: 'number' }, '1.5')).toBe(1.5);
  expect(readWritten({ type: 'number' }, 'many')).toBe('many');
  expect(readWritten({ type: 'number' }, '')).toBe('');
  expect(readWritten({ type: 'boolean' }, 'true')).toBe(true);
  expect(readWritten({ type: 'boolean' }, 'yes')).toBe('yes');
  expect(readWritten({ type: 'string' }, '12')).toBe('12');
  expect(readWritten({ type: 'file' }, 'true')).toBe('true');
});

test('declared variables are described for callers', () => {
  const declared = [
    variable('b', { enum: ['low', 'high'], default: 'low', required: false }),
    variable('a', { pattern: pattern('^x') }),
    variable('c', { type: 'number', required: false }),
  ];
  expect(describeVariables(declared)).toBe(
    'a (string; matching ^x; required), b (one of low, high; default low), c (number; optional)',
  );
});

test('NaN is not accepted as a number', () => {
  const count = variable('count', { type: 'number' });
  expect(problemWith(count, Number.NaN)).toBe('must be a number, got null');
  expect(problemWith(count, 0)).toBeNull();
});
