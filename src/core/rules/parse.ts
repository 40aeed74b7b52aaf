// Turns the JSON of validation criteria into compiled rules, or into a list of all their
// problems. Everything is checked here, so that an author learns of a misspelt field when the
// file is read, not when an agent first submits an output.

import type { Condition } from '../conditions.ts';
import { parseCondition } from '../conditions-parse.ts';
import { kindOf, MAX_PROBLEMS, report, shorten } from '../conditions-problems.ts';
import { isRecord } from '../is-record.ts';
import type { Fault, Path } from '../issue.ts';
import { didYouMean } from '../nearest.ts';
import type { Criteria, CriteriaPart, Negation } from './model.ts';
import { parseTest, TEST_FIELDS, type TestType } from './parse-kind.ts';
import { compileSchema, type FoundSchema } from './schema.ts';
import { countCodePoints } from './text.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Parsing {
  readonly problems: Fault[];
  readonly schemas: FoundSchema[];
  members: number;
}

/** Nesting of compositions, the outermost member counted as 1. */
const MAX_DEPTH = 64;
/** Members in one tree: shared branches (YAML aliases) could expand to billions. */
const MAX_MEMBERS = 10_000;
const MAX_TEXT_LENGTH = 1024;
export const COMMON_FIELDS = ['type', 'message', 'condition', 'suggestion'];
const TYPES = Object.keys(TEST_FIELDS).join(', ');
export const COMPOSITIONS = ['and', 'or', 'not'] as const;

/** Awaits `pause` between schemas, each of which takes milliseconds to compile. */
export async function parseCriteria(
  value: unknown,
  pause: () => Promise<void> = async () => {},
): Promise<{ criteria: Criteria | null; problems: Fault[] }> {
  const parsing: Parsing = { problems: [], schemas: [], members: 0 };
  const { problems } = parsing;
  if (isAbsent(value)) return { criteria: null, problems };
  const members = Array.isArray(value)
    ? parseMembers(value, [], 1, parsing)
    : parseMember(value, [], 1, parsing);
  for (const found of parsing.schemas) {
    if (problems.length >= MAX_PROBLEMS) break;
    await pause();
    await compileSchema(found, problems, pause);
  }
  return { criteria: problems.length > 0 ? null : { source: value, members }, problems };
}

/** Null, and an empty list or object, count as no criteria. */
function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function parseMembers(
  list: unknown[],
  path: Path,
  depth: number,
  parsing: Parsing,
): CriteriaPart[] {
  const members: CriteriaPart[] = [];
  for (let index = 0; index < list.length && parsing.members <= MAX_MEMBERS; index += 1) {
    members.push(...parseMember(list[index], [...path, index], depth, parsing));
  }
  return members;
}

/** One member, or none if it has problems. */
function parseMember(value: unknown, path: Path, depth: number, parsing: Parsing): CriteriaPart[] {
  const { problems } = parsing;
  parsing.members += 1;
  if (parsing.members > MAX_MEMBERS) {
    report(problems, 'too_many', path, `More than ${MAX_MEMBERS} rules in one place`);
    return [];
  }
  if (!isRecord(value)) {
    report(problems, 'wrong_type', path, `A rule must be an object, got ${kindOf(value)}`);
    return [];
  }
  if (depth > MAX_DEPTH) {
    report(problems, 'too_deep', path, `Rules are nested more than ${MAX_DEPTH} deep`);
    return [];
  }
  if (Object.hasOwn(value, 'type')) return parseRule(value, path, parsing);
  const operators = COMPOSITIONS.filter((name) => Object.hasOwn(value, name));
  const [operator] = operators;
  if (operator === undefined) {
    const message = `A rule needs a "type" (${TYPES}), or one of "and", "or", "not"`;
    report(problems, 'missing_key', path, message);
    return [];
  }
  if (operators.length > 1) {
    const message = `A composition has exactly one of "and", "or", "not", got ${operators.join(' and ')}`;
    report(problems, 'wrong_value', path, message);
  }
  return operator === 'not'
    ? parseNegation(value, path, depth, parsing)
    : parseComposition(operator, value, path, depth, parsing);
}

function parseComposition(
  kind: 'and' | 'or',
  value: Fields,
  path: Path,
  depth: number,
  parsing: Parsing,
): CriteriaPart[] {
  const { problems } = parsing;
  reportUnknownFields(value, [...COMPOSITIONS], path, problems);
  const list = value[kind];
  const at = [...path, kind];
  if (!Array.isArray(list) || list.length === 0) {
    const found = Array.isArray(list) ? 'an empty one' : kindOf(list);
    report(problems, 'wrong_type', at, `"${kind}" must be a non-empty array, got ${found}`);
    return [];
  }
  return [{ kind, members: parseMembers(list, at, depth + 1, parsing) }];
}

function parseNegation(value: Fields, path: Path, depth: number, parsing: Parsing): Negation[] {
  const { problems } = parsing;
  reportUnknownFields(value, [...COMPOSITIONS, 'message', 'suggestion'], path, problems);
  const message = parseText(value, 'message', path, problems);
  const suggestion = parseText(value, 'suggestion', path, problems);
  const [member] = parseMember(value.not, [...path, 'not'], depth + 1, parsing);
  return member === undefined ? [] : [{ kind: 'not', member, message, suggestion }];
}

function parseRule(value: Fields, path: Path, parsing: Parsing): CriteriaPart[] {
  const { problems } = parsing;
  if (!Object.hasOwn(value, 'message'))
    report(problems, 'missing_key', path, 'Missing field: message');
  const message = parseText(value, 'message', path, problems);
  const suggestion = parseText(value, 'suggestion', path, problems);
  const condition = parseRuleCondition(value, path, problems);
  const type = value.type;
  if (typeof type !== 'string' || !isTestType(type)) {
    const found = typeof type === 'string' ? shorten(type) : kindOf(type);
    const message = `Unknown rule type: ${found} (known are ${TYPES})`;
    report(problems, 'wrong_value', [...path, 'type'], message);
    return [];
  }
  reportUnknownFields(value, [...COMMON_FIELDS, ...TEST_FIELDS[type]], path, problems);
  const test = parseTest(type, value, path, problems, parsing.schemas);
  if (test === null || message === null) return [];
  const pointer = path.map((step) => `/${step}`).join('');
  return [{ ...test, pointer, message, suggestion, condition }];
}

function isTestType(type: string): type is TestType {
  return Object.hasOwn(TEST_FIELDS, type);
}

function parseRuleCondition(value: Fields, path: Path, problems: Fault[]): Condition | null {
  if (!Object.hasOwn(value, 'condition')) return null;
  const parsed = parseCondition(value.condition);
  for (const problem of parsed.problems) {
    report(problems, problem.code, [...path, 'condition', ...problem.path], problem.message);
  }
  return parsed.condition;
}

/** A text of 1 to 1024 code points; null if the field is absent or wrong. */
function parseText(
  value: Fields,
  field: 'message' | 'suggestion',
  path: Path,
  problems: Fault[],
): string | null {
  if (!Object.hasOwn(value, field)) return null;
  const text = value[field];
  const at = [...path, field];
  if (typeof text !== 'string') {
    report(problems, 'wrong_type', at, `"${field}" must be a string, got ${kindOf(text)}`);
    return null;
  }
  const length = countCodePoints(text);
  if (length >= 1 && length <= MAX_TEXT_LENGTH) return text;
  const message = `"${field}" must have 1 to ${MAX_TEXT_LENGTH} characters, got ${length}`;
  report(problems, 'wrong_length', at, message);
  return null;
}

function reportUnknownFields(
  value: Fields,
  known: readonly string[],
  path: Path,
  problems: Fault[],
): void {
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const message = `Unknown field: ${shorten(name)}${didYouMean(name, known)}`;
    report(problems, 'unknown_field', [...path, name], message);
  }
}
