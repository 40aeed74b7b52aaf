// Turns the JSON of a condition into its compiled form, or into every problem it has.
// All of it is judged, also the parts that deciding might never reach: a misspelt
// operator must not wait for the one context in which it matters.

import type { Clause, Condition } from './conditions.ts';
import { isRecord, kindOf, quote, report } from './conditions-problems.ts';
import { isJsonWithin, nameVariable, type Variable } from './conditions-values.ts';
import type { Problem } from './problem.ts';

/** Conditions inside conditions, the outermost counted as 1. */
const DEEPEST = 32;
/** Conditions in one tree: shared branches (YAML aliases) could stand for billions. */
const MAX_CONDITIONS = 10_000;
const MAX_OPERAND_VALUES = 10_000;

const COMPARISONS = ['equals', 'not_equals', 'gt', 'gte', 'lt', 'lte'] as const;
export const CONDITION_KEYS: readonly string[] = ['var', ...COMPARISONS, 'and', 'or', 'not'];
/** Operators that other workflow engines have; a clear no is better than "unknown". */
const FOREIGN = ['in', 'contains', 'startsWith', 'endsWith'];

type Path = readonly (string | number)[];

interface Parsing {
  readonly problems: Problem[];
  readonly variables: Map<string, Variable>;
  conditions: number;
}

export function parseCondition(value: unknown): {
  condition: Condition | null;
  problems: Problem[];
} {
  const parsing: Parsing = { problems: [], variables: new Map(), conditions: 0 };
  const clauses = parseClauses(value, [], 1, parsing);
  const { problems } = parsing;
  if (problems.length > 0 || !isRecord(value)) return { condition: null, problems };
  const names = [...parsing.variables.keys()].sort();
  const variables = names.map((name) => variableNamed(name, parsing));
  return { condition: { source: value, clauses, variables }, problems };
}

function parseClauses(value: unknown, path: Path, depth: number, parsing: Parsing): Clause[] {
  const { problems } = parsing;
  parsing.conditions += 1;
  if (parsing.conditions > MAX_CONDITIONS) {
    if (parsing.conditions === MAX_CONDITIONS + 1) {
      report(problems, { path, message: `More than ${MAX_CONDITIONS} conditions in one` });
    }
    return [];
  }
  if (!isRecord(value)) {
    report(problems, { path, message: `A condition must be an object, got ${kindOf(value)}` });
    return [];
  }
  if (depth > DEEPEST) {
    report(problems, { path, message: `Conditions are nested more than ${DEEPEST} deep` });
    return [];
  }
  reportUnknown(value, path, problems);
  return [
    ...parseComparisons(value, path, parsing),
    ...parseList('and', value, path, depth, parsing),
    ...parseList('or', value, path, depth, parsing),
    ...parseNot(value, path, depth, parsing),
  ];
}

function reportUnknown(value: object, path: Path, problems: Problem[]): void {
  for (const name of Object.keys(value)) {
    if (CONDITION_KEYS.includes(name)) continue;
    const message = FOREIGN.includes(name)
      ? `Not supported: ${name}`
      : `Unknown operator: ${quote(name)} (known are ${CONDITION_KEYS.join(', ')})`;
    report(problems, { path: [...path, name], message });
  }
}

function parseComparisons(
  value: Readonly<Record<string, unknown>>,
  path: Path,
  parsing: Parsing,
): Clause[] {
  const { problems } = parsing;
  const operators = COMPARISONS.filter((operator) => Object.hasOwn(value, operator));
  if (!Object.hasOwn(value, 'var')) {
    for (const operator of operators) {
      const message = `"${operator}" needs a "var" beside it that names the variable to compare`;
      report(problems, { path: [...path, operator], message });
    }
    return [];
  }
  const name = value.var;
  if (typeof name !== 'string' || name === '') {
    const found = name === '' ? 'an empty string' : kindOf(name);
    const message = `"var" must be the name of a variable, got ${found}`;
    report(problems, { path: [...path, 'var'], message });
    return [];
  }
  const variable = variableNamed(name, parsing);
  if (operators.length === 0) return [{ operator: 'truthy', variable }];
  return operators.flatMap((operator): Clause[] => {
    const operand = value[operator];
    const at = [...path, operator];
    if (operator === 'equals' || operator === 'not_equals') {
      if (isJsonWithin(operand, MAX_OPERAND_VALUES)) return [{ operator, variable, operand }];
      const message = `"${operator}" must be a JSON value of at most ${MAX_OPERAND_VALUES} parts`;
      report(problems, { path: at, message });
      return [];
    }
    if (typeof operand === 'number' && !Number.isNaN(operand)) {
      return [{ operator, variable, operand }];
    }
    report(problems, {
      path: at,
      message: `"${operator}" must be a number, got ${kindOf(operand)}`,
    });
    return [];
  });
}

function parseList(
  operator: 'and' | 'or',
  value: Readonly<Record<string, unknown>>,
  path: Path,
  depth: number,
  parsing: Parsing,
): Clause[] {
  if (!Object.hasOwn(value, operator)) return [];
  const list = value[operator];
  const at = [...path, operator];
  if (!Array.isArray(list)) {
    const message = `"${operator}" must be an array of conditions, got ${kindOf(list)}`;
    report(parsing.problems, { path: at, message });
    return [];
  }
  const members: Clause[][] = [];
  for (let index = 0; index < list.length; index += 1) {
    if (parsing.conditions > MAX_CONDITIONS) break;
    members.push(parseClauses(list[index], [...at, index], depth + 1, parsing));
  }
  return [{ operator, members }];
}

function parseNot(
  value: Readonly<Record<string, unknown>>,
  path: Path,
  depth: number,
  parsing: Parsing,
): Clause[] {
  if (!Object.hasOwn(value, 'not')) return [];
  return [
    { operator: 'not', member: parseClauses(value.not, [...path, 'not'], depth + 1, parsing) },
  ];
}

function variableNamed(name: string, parsing: Parsing): Variable {
  const known = parsing.variables.get(name);
  if (known !== undefined) return known;
  const variable = nameVariable(name);
  parsing.variables.set(name, variable);
  return variable;
}
