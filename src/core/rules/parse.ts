// Turns the JSON of validation criteria into compiled rules, or into a list of all their
// problems. Everything is checked here, so that an author learns of a misspelt field when the
// file is read, not when an agent first submits an output.

import type { Condition } from '../conditions.ts';
import { parseCondition } from '../conditions-parse.ts';
import {
  kindOf,
  MAX_PROBLEMS,
  type ReportIn,
  report,
  reportIn,
  shorten,
} from '../conditions-problems.ts';
import { isRecord } from '../is-record.ts';
import type { Fault, Path } from '../issue.ts';
import { didYouMean } from '../nearest.ts';
import type { Criteria, CriteriaPart } from './model.ts';
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
  const parsed = parseOne(value, path, depth, parsing);
  return parsed === null ? [] : [parsed];
}

function parseOne(
  value: unknown,
  path: Path,
  depth: number,
  parsing: Parsing,
): CriteriaPart | null {
  const wrong = reportIn(parsing.problems, path);
  parsing.members += 1;
  if (parsing.members > MAX_MEMBERS) {
    return wrong('too_many', `More than ${MAX_MEMBERS} rules in one place`);
  }
  if (!isRecord(value))
    return wrong('wrong_type', `A rule must be an object, got ${kindOf(value)}`);
  if (depth > MAX_DEPTH) return wrong('too_deep', `Rules are nested more than ${MAX_DEPTH} deep`);
  if (Object.hasOwn(value, 'type')) return parseRule(value, path, parsing);
  const operators = COMPOSITIONS.filter((name) => Object.hasOwn(value, name));
  const [operator] = operators;
  if (operator === undefined) {
    return wrong('missing_key', `A rule needs a "type" (${TYPES}), or one of "and", "or", "not"`);
  }
  if (operators.length > 1) {
    const message = `A composition has exactly one of "and", "or", "not", got ${operators.join(' and ')}`;
    wrong('wrong_value', message);
  }
  const at = [...path, operator];
  if (operator === 'not') {
    reportUnknownFields(value, [...COMPOSITIONS, 'message', 'suggestion'], wrong);
    const message = parseText(value, 'message', wrong);
    const suggestion = parseText(value, 'suggestion', wrong);
    const [member] = parseMember(value.not, at, depth + 1, parsing);
    return member === undefined ? null : { kind: 'not', member, message, suggestion };
  }
  reportUnknownFields(value, COMPOSITIONS, wrong);
  const list = value[operator];
  if (Array.isArray(list) && list.length > 0) {
    return { kind: operator, members: parseMembers(list, at, depth + 1, parsing) };
  }
  const found = Array.isArray(list) ? 'an empty one' : kindOf(list);
  return wrong('wrong_type', `"${operator}" must be a non-empty array, got ${found}`, operator);
}

function parseRule(value: Fields, path: Path, { problems, schemas }: Parsing): CriteriaPart | null {
  const wrong = reportIn(problems, path);
  if (!Object.hasOwn(value, 'message')) wrong('missing_key', 'Missing field: message');
  const message = parseText(value, 'message', wrong);
  const suggestion = parseText(value, 'suggestion', wrong);
  const condition = parseRuleCondition(value, path, problems);
  const type = value.type;
  if (typeof type !== 'string' || !isTestType(type)) {
    const found = typeof type === 'string' ? shorten(type) : kindOf(type);
    return wrong('wrong_value', `Unknown rule type: ${found} (known are ${TYPES})`, 'type');
  }
  reportUnknownFields(value, [...COMMON_FIELDS, ...TEST_FIELDS[type]], wrong);
  const test = parseTest(type, value, path, wrong, schemas);
  if (test === null || message === null) return null;
  const pointer = path.map((step) => `/${step}`).join('');
  return { ...test, pointer, message, suggestion, condition };
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
function parseText(value: Fields, field: 'message' | 'suggestion', wrong: ReportIn): string | null {
  if (!Object.hasOwn(value, field)) return null;
  const text = value[field];
  if (typeof text !== 'string') {
    return wrong('wrong_type', `"${field}" must be a string, got ${kindOf(text)}`, field);
  }
  const length = countCodePoints(text);
  if (length >= 1 && length <= MAX_TEXT_LENGTH) return text;
  const message = `"${field}" must have 1 to ${MAX_TEXT_LENGTH} characters, got ${length}`;
  return wrong('wrong_length', message, field);
}

function reportUnknownFields(value: Fields, known: readonly string[], wrong: ReportIn): void {
  for (const name of Object.keys(value).filter((each) => !known.includes(each))) {
    wrong('unknown_field', `Unknown field: ${shorten(name)}${didYouMean(name, known)}`, name);
  }
}
