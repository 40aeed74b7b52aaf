// Turns the JSON of a condition into its compiled form, or into a list of all its problems.
// Everything is checked, even parts that evaluation might never reach: a misspelt operator
// must not go unnoticed until the one context in which it matters.

import { conditionInstead } from './condition-example.ts';
import type { Clause, Condition } from './conditions.ts';
import { kindOf, report, shorten } from './conditions-problems.ts';
import { isJsonWithin, nameVariable, type Variable } from './conditions-values.ts';
import { isRecord } from './is-record.ts';
import type { Fault, Path } from './issue.ts';

/** Nesting of conditions, the outermost counted as 1. */
const MAX_DEPTH = 32;
/** Conditions in one tree: shared branches (YAML aliases) could expand to billions. */
const MAX_CONDITIONS = 10_000;
const MAX_OPERAND_VALUES = 10_000;

const COMPARISONS = ['equals', 'not_equals', 'gt', 'gte', 'lt', 'lte'] as const;
export const CONDITION_KEYS: readonly string[] = ['var', ...COMPARISONS, 'and', 'or', 'not'];
/** Operators of other workflow engines, reported as not supported instead of unknown. */
const FOREIGN = ['in', 'contains', 'startsWith', 'endsWith'];

interface Parsing {
  readonly problems: Fault[];
  readonly variables: Map<string, Variable>;
  conditions: number;
}

export function parseCondition(value: unknown): {
  condition: Condition | null;
  problems: Fault[];
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
      report(problems, 'too_many', path, `More than ${MAX_CONDITIONS} conditions in one condition`);
    }
    return [];
  }
  if (!isRecord(value)) {
    const message = `A condition must be an object, got ${kindOf(value)}${conditionInstead(value)}`;
    report(problems, 'wrong_type', path, message);
    return [];
  }
  if (depth > MAX_DEPTH) {
    report(problems, 'too_deep', path, `Conditions are nested more than ${MAX_DEPTH} deep`);
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

function reportUnknown(value: object, path: Path, problems: Fault[]): void {
  for (const name of Object.keys(value)) {
    if (CONDITION_KEYS.includes(name)) continue;
    if (FOREIGN.includes(name)) {
      report(problems, 'not_supported', [...path, name], `Not supported: ${name}`);
      continue;
    }
    const message = `Unknown operator: ${shorten(name)} (known are ${CONDITION_KEYS.join(', ')})`;
    report(problems, 'unknown_operator', [...path, name], message);
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
      report(problems, 'missing_key', [...path, operator], message);
    }
    return [];
  }
  const name = value.var;
  if (typeof name !== 'string' || name === '') {
    const found = name === '' ? 'an empty string' : kindOf(name);
    const message = `"var" must be the name of a variable, got ${found}`;
    report(problems, 'wrong_type', [...path, 'var'], message);
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
      report(problems, 'wrong_type', at, message);
      return [];
    }
    if (typeof operand === 'number' && !Number.isNaN(operand)) {
      return [{ operator, variable, operand }];
    }
    report(problems, 'wrong_type', at, `"${operator}" must be a number, got ${kindOf(operand)}`);
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
    report(parsing.problems, 'wrong_type', at, message);
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
