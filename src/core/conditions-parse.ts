// Turns the JSON of a condition into its compiled form, or into a list of all its problems.
// Everything is checked, even parts that evaluation might never reach: a misspelt operator
// must not go unnoticed until the one context in which it matters.

import { conditionInstead } from './condition-example.ts';
import type { Clause, Condition } from './conditions.ts';
import { kindOf, type ReportIn, reportIn, shorten } from './conditions-problems.ts';
import { isJsonWithin, type Variable } from './conditions-values.ts';
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
  const wrong = reportIn(parsing.problems, path);
  parsing.conditions += 1;
  if (parsing.conditions > MAX_CONDITIONS) {
    if (parsing.conditions === MAX_CONDITIONS + 1) {
      wrong('too_many', `More than ${MAX_CONDITIONS} conditions in one condition`);
    }
    return [];
  }
  if (!isRecord(value)) {
    const found = `${kindOf(value)}${conditionInstead(value)}`;
    wrong('wrong_type', `A condition must be an object, got ${found}`);
    return [];
  }
  if (depth > MAX_DEPTH) {
    wrong('too_deep', `Conditions are nested more than ${MAX_DEPTH} deep`);
    return [];
  }
  reportUnknown(value, wrong);
  const clauses = parseComparisons(value, wrong, parsing);
  for (const operator of ['and', 'or'] as const) {
    if (!Object.hasOwn(value, operator)) continue;
    const list = value[operator];
    if (!Array.isArray(list)) {
      const message = `"${operator}" must be an array of conditions, got ${kindOf(list)}`;
      wrong('wrong_type', message, operator);
      continue;
    }
    const members: Clause[][] = [];
    for (let index = 0; index < list.length; index += 1) {
      if (parsing.conditions > MAX_CONDITIONS) break;
      members.push(parseClauses(list[index], [...path, operator, index], depth + 1, parsing));
    }
    clauses.push({ operator, members });
  }
  if (Object.hasOwn(value, 'not')) {
    const member = parseClauses(value.not, [...path, 'not'], depth + 1, parsing);
    clauses.push({ operator: 'not', member });
  }
  return clauses;
}

function reportUnknown(value: object, wrong: ReportIn): void {
  for (const name of Object.keys(value)) {
    if (CONDITION_KEYS.includes(name)) continue;
    if (FOREIGN.includes(name)) wrong('not_supported', `Not supported: ${name}`, name);
    else {
      const known = CONDITION_KEYS.join(', ');
      wrong('unknown_operator', `Unknown operator: ${shorten(name)} (known are ${known})`, name);
    }
  }
}

function parseComparisons(
  value: Readonly<Record<string, unknown>>,
  wrong: ReportIn,
  parsing: Parsing,
): Clause[] {
  const operators = COMPARISONS.filter((operator) => Object.hasOwn(value, operator));
  if (!Object.hasOwn(value, 'var')) {
    for (const operator of operators) {
      const message = `"${operator}" needs a "var" beside it that names the variable to compare`;
      wrong('missing_key', message, operator);
    }
    return [];
  }
  const name = value.var;
  if (typeof name !== 'string' || name === '') {
    const found = name === '' ? 'an empty string' : kindOf(name);
    wrong('wrong_type', `"var" must be the name of a variable, got ${found}`, 'var');
    return [];
  }
  const variable = variableNamed(name, parsing);
  if (operators.length === 0) return [{ operator: 'truthy', variable }];
  const clauses = operators.map((operator): Clause | null => {
    const operand = value[operator];
    if (operator === 'equals' || operator === 'not_equals') {
      if (isJsonWithin(operand, MAX_OPERAND_VALUES)) return { operator, variable, operand };
      const message = `"${operator}" must be a JSON value of at most ${MAX_OPERAND_VALUES} parts`;
      return wrong('wrong_type', message, operator);
    }
    if (typeof operand === 'number' && !Number.isNaN(operand)) {
      return { operator, variable, operand };
    }
    const message = `"${operator}" must be a number, got ${kindOf(operand)}`;
    return wrong('wrong_type', message, operator);
  });
  return clauses.filter((clause) => clause !== null);
}

function variableNamed(name: string, parsing: Parsing): Variable {
  const variable = parsing.variables.get(name) ?? { name, segments: name.split('.') };
  parsing.variables.set(name, variable);
  return variable;
}
