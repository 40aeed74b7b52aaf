// Turns the JSON of validation criteria into compiled rules, or into every problem they
// have. Nothing is left to be found out while an output is judged, so an author learns
// of a misspelt field when the file is read, not when an agent first trips over it.

import { type Condition, parseCondition } from '../conditions.ts';
import { isRecord, kindOf, MAX_PROBLEMS, quote, report } from '../conditions-problems.ts';
import { didYouMean } from '../nearest.ts';
import type { Criteria, CriteriaProblem, Member, Negation } from './model.ts';
import { parseTest, TEST_FIELDS, type TestType } from './parse-kind.ts';
import { compileSchema, type FoundSchema } from './schema.ts';
import { countCodePoints } from './text.ts';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

interface Parsing {
  readonly problems: CriteriaProblem[];
  readonly schemas: FoundSchema[];
  members: number;
}

/** Compositions inside compositions, the outermost member counted as 1. */
const DEEPEST = 64;
/** Members in one tree: shared branches (YAML aliases) could stand for billions. */
const MAX_MEMBERS = 10_000;
const MAX_TEXT_LENGTH = 1024;
export const COMMON_FIELDS = ['type', 'message', 'condition', 'suggestion'];
const TYPES = Object.keys(TEST_FIELDS).join(', ');
export const COMPOSITIONS = ['and', 'or', 'not'] as const;

/** `pause` is waited for between schemas, each of which takes milliseconds to compile. */
export async function parseCriteria(
  value: unknown,
  pause: () => Promise<void> = async () => {},
): Promise<{ criteria: Criteria | null; problems: CriteriaProblem[] }> {
  const parsing: Parsing = { problems: [], schemas: [], members: 0 };
  const { problems } = parsing;
  if (areNone(value)) return { criteria: null, problems };
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

function areNone(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function parseMembers(list: unknown[], path: Path, depth: number, parsing: Parsing): Member[] {
  const members: Member[] = [];
  for (let index = 0; index < list.length && parsing.members <= MAX_MEMBERS; index += 1) {
    members.push(...parseMember(list[index], [...path, index], depth, parsing));
  }
  return members;
}

/** One member, or none if it has problems. */
function parseMember(value: unknown, path: Path, depth: number, parsing: Parsing): Member[] {
  const { problems } = parsing;
  parsing.members += 1;
  if (parsing.members > MAX_MEMBERS) {
    report(problems, { path, message: `More than ${MAX_MEMBERS} rules in one place` });
    return [];
  }
  if (!isRecord(value)) {
    report(problems, { path, message: `A rule must be an object, got ${kindOf(value)}` });
    return [];
  }
  if (depth > DEEPEST) {
    report(problems, { path, message: `Rules are nested more than ${DEEPEST} deep` });
    return [];
  }
  if (Object.hasOwn(value, 'type')) return parseRule(value, path, parsing);
  const operators = COMPOSITIONS.filter((name) => Object.hasOwn(value, name));
  const [operator] = operators;
  if (operator === undefined) {
    const message = `A rule needs a "type" (${TYPES}), or one of "and", "or", "not"`;
    report(problems, { path, message });
    return [];
  }
  if (operators.length > 1) {
    const message = `A composition has exactly one of "and", "or", "not", got ${operators.join(' and ')}`;
    report(problems, { path, message });
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
): Member[] {
  const { problems } = parsing;
  reportUnknownFields(value, [...COMPOSITIONS], path, problems);
  const list = value[kind];
  const at = [...path, kind];
  if (!Array.isArray(list) || list.length === 0) {
    const found = Array.isArray(list) ? 'an empty one' : kindOf(list);
    report(problems, { path: at, message: `"${kind}" must be a non-empty array, got ${found}` });
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

function parseRule(value: Fields, path: Path, parsing: Parsing): Member[] {
  const { problems } = parsing;
  if (!Object.hasOwn(value, 'message'))
    report(problems, { path, message: 'Missing field: message' });
  const message = parseText(value, 'message', path, problems);
  const suggestion = parseText(value, 'suggestion', path, problems);
  const condition = parseRuleCondition(value, path, problems);
  const type = value.type;
  if (typeof type !== 'string' || !isTestType(type)) {
    const found = typeof type === 'string' ? quote(type) : kindOf(type);
    const message = `Unknown rule type: ${found} (known are ${TYPES})`;
    report(problems, { path: [...path, 'type'], message });
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

function parseRuleCondition(
  value: Fields,
  path: Path,
  problems: CriteriaProblem[],
): Condition | null {
  if (!Object.hasOwn(value, 'condition')) return null;
  const parsed = parseCondition(value.condition);
  for (const problem of parsed.problems) {
    report(problems, { ...problem, path: [...path, 'condition', ...problem.path] });
  }
  return parsed.condition;
}

/** A text of 1 to 1024 code points; null if the field is absent or wrong. */
function parseText(
  value: Fields,
  field: 'message' | 'suggestion',
  path: Path,
  problems: CriteriaProblem[],
): string | null {
  if (!Object.hasOwn(value, field)) return null;
  const text = value[field];
  const at = [...path, field];
  if (typeof text !== 'string') {
    report(problems, { path: at, message: `"${field}" must be a string, got ${kindOf(text)}` });
    return null;
  }
  const length = countCodePoints(text);
  if (length >= 1 && length <= MAX_TEXT_LENGTH) return text;
  const message = `"${field}" must have 1 to ${MAX_TEXT_LENGTH} characters, got ${length}`;
  report(problems, { path: at, message });
  return null;
}

function reportUnknownFields(
  value: Fields,
  known: readonly string[],
  path: Path,
  problems: CriteriaProblem[],
): void {
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const message = `Unknown field: ${quote(name)}${didYouMean(name, known)}`;
    report(problems, { path: [...path, name], message });
  }
}
