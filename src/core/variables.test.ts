import { describe, expect, test } from 'vitest';
import { atOnce } from '../../test/support/at-once.ts';
import { expectPiecesAtMost } from '../../test/support/processor-time.ts';
import { openPatternBudget } from './pattern-budget.ts';
import { compileRegex } from './rules/regex.ts';
import {
  type DeclaredVariable,
  type JudgedVariables,
  judgeVariables,
  misspeltInputs,
  problemWith,
  readWritten,
  unknownInputs,
  type VariableKind,
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

function judgeAtOnce(
  kind: VariableKind,
  declared: readonly DeclaredVariable[],
  given: Readonly<Record<string, unknown>>,
): JudgedVariables {
  return atOnce(judgeVariables(kind, declared, given, openPatternBudget()));
}

function problemOf(declared: DeclaredVariable, value: unknown): string | null {
  return problemWith(declared, value, openPatternBudget());
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
    // As the contract has them.
    expect(judgeAtOnce('input', declared, given)).toEqual({
      values: {},
      missing: ['Missing required inputs: a, z'],
      wrong: [
        "Input 'count': must be a number, got three",
        "Input 'severity': must be one of low, high, got medium",
      ],
    });
    const unknown = 'Unknown inputs: unknown. Declared inputs: a, count, severity, z';
    expect(unknownInputs(declared, given)).toEqual([unknown]);
  });

  test('take their default only if they are not given and not required', () => {
    const declared = [
      variable('a', { default: 'x', required: false }),
      variable('b', { default: 'y', required: true }),
      variable('constructor'),
    ];
    const { values, missing } = judgeAtOnce('report', declared, { a: null });
    expect([values, missing]).toEqual([{ a: 'x' }, [expect.stringContaining('b, constructor')]]);
    expect(judgeAtOnce('report', declared, { a: '', b: 'z' }).values).toEqual({ a: '', b: 'z' });
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
  const found = problemOf(variable('x', declared as Partial<DeclaredVariable>), value);
  if (problem === null) expect(found).toBeNull();
  else expect(found).toContain(problem);
});

describe('the patterns of all values of a call', () => {
  /** A variable with a pattern that takes too long; notes each time it is run. */
  function slowVariable(name: string, ran: string[]): DeclaredVariable {
    const slow = pattern('^(a+)+$');
    const run = slow.regex.test.bind(slow.regex);
    slow.regex.test = (text) => {
      ran.push(name);
      return run(text);
    };
    return variable(name, { pattern: slow });
  }

  test('share a budget; without it, a value is refused as not tested', () => {
    const ran: string[] = [];
    const declared = [...'abcdefgh'].map((name) => slowVariable(name, ran));
    const given = Object.fromEntries(declared.map(({ name }) => [name, `${'a'.repeat(40)}!`]));
    const { values, wrong } = atOnce(
      judgeVariables('input', declared, given, openPatternBudget(150)),
    );
    expect(new Set(ran).size).toBeLessThanOrEqual(2);
    expect(values).toEqual({});
    expect(wrong).toHaveLength(8);
    expect(wrong[0]).toContain('took longer than 100 ms');
    expect(wrong[7]).toContain('not tested');
  });

  test('let other work run between them', () => {
    const ran: string[] = [];
    const declared = ['a', 'b', 'c'].map((name) => slowVariable(name, ran));
    const given = { a: `${'a'.repeat(40)}!`, b: `${'a'.repeat(40)}!`, c: 'a' };
    const judging = judgeVariables('input', declared, given, openPatternBudget());
    for (let before = ran.length; !judging.next().done; before = ran.length) {
      expect(new Set(ran.slice(before)).size).toBeLessThanOrEqual(1);
    }
    expect(new Set(ran)).toEqual(new Set(['a', 'b', 'c']));
  });

  test('count only the time that they take', () => {
    const budget = openPatternBudget(300);
    const fast = variable('x', { pattern: pattern('^a$') });
    const found = Array.from({ length: 5000 }, () => problemWith(fast, 'a', budget));
    expect(new Set(found)).toEqual(new Set([null]));
  });
});

test('thousands of inputs with other names than the declared ones do not take long', async () => {
  const declared = Array.from({ length: 2000 }, (_, at) => variable(`input_name_${at}`));
  const names = Array.from({ length: 2000 }, (_, at) => `imput_nome_${at}`);
  const given = Object.fromEntries(names.map((name) => [name, 'x']));
  await expectPiecesAtMost(100, () => {
    expect(unknownInputs(declared, given)[0]).toMatch(/^Unknown inputs: imput_nome_0, /);
    expect(misspeltInputs(declared, given)).toMatch(/^did you mean 'input_name_0' instead of/);
  });
});

test('a long value is truncated in its report', () => {
  expect(problemOf(variable('x', { enum: ['a'] }), 'b'.repeat(5000))?.length).toBeLessThan(300);
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

test('NaN is not accepted as a number', () => {
  const count = variable('count', { type: 'number' });
  expect(problemOf(count, Number.NaN)).toBe('must be a number, got null');
  expect(problemOf(count, 0)).toBeNull();
});
