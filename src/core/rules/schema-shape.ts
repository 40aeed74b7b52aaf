// Walks the places of a JSON Schema where schemas stand, before the schema library sees
// it: checks every pattern, also in definitions that nothing refers to yet, and takes
// out the words that neither draft knows but the library gives a meaning of its own.

import { isRecord, report } from '../conditions-problems.ts';
import { isJsonWithin } from '../conditions-values.ts';
import type { CriteriaProblem } from './model.ts';
import { compileSchemaPattern } from './regex.ts';

type Path = readonly (string | number)[];

const DEEPEST = 64;
const MAX_VALUES = 50_000;

const HOLDS_ONE = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const HOLDS_LIST = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const HOLDS_MAP = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);
/** `$async` would even turn a verdict into a promise, which counts as true. */
const LIBRARY_WORDS = new Set(['$async', 'id', 'nullable', '__proto__']);

/** A copy of the schema that the library can be trusted with. */
export function prepareSchema(
  schema: Readonly<Record<string, unknown>>,
  path: Path,
  problems: CriteriaProblem[],
): Record<string, unknown> {
  if (!isJsonWithin(schema, MAX_VALUES)) {
    const message = `The schema must be JSON of at most ${MAX_VALUES} values`;
    report(problems, { kind: 'schema', path, message });
    return {};
  }
  return copySchema(schema, path, 1, problems);
}

function copySchema(
  schema: Readonly<Record<string, unknown>>,
  path: Path,
  depth: number,
  problems: CriteriaProblem[],
): Record<string, unknown> {
  if (depth > DEEPEST) {
    const message = `Schemas are nested more than ${DEEPEST} deep`;
    report(problems, { kind: 'schema', path, message });
    return {};
  }
  const entries = Object.entries(schema)
    .filter(([keyword]) => !LIBRARY_WORDS.has(keyword))
    .map(([keyword, value]): [string, unknown] => {
      const at = [...path, keyword];
      if (keyword === 'pattern') checkPattern(value, at, problems);
      if (Array.isArray(value) && HOLDS_LIST.has(keyword)) {
        return [keyword, value.map((one, i) => copyAny(one, [...at, i], depth + 1, problems))];
      }
      if (isRecord(value) && HOLDS_MAP.has(keyword)) {
        return [keyword, copyMap(keyword, value, at, depth, problems)];
      }
      if (HOLDS_ONE.has(keyword)) return [keyword, copyAny(value, at, depth + 1, problems)];
      return [keyword, value];
    });
  return Object.fromEntries(entries);
}

function copyMap(
  keyword: string,
  map: Readonly<Record<string, unknown>>,
  path: Path,
  depth: number,
  problems: CriteriaProblem[],
): Record<string, unknown> {
  const entries = Object.entries(map).map(([name, value]): [string, unknown] => {
    const at = [...path, name];
    if (keyword === 'patternProperties') checkPattern(name, at, problems);
    // The library leaves this name out without a word, and would let everything pass.
    if (name === '__proto__') {
      report(problems, { kind: 'schema', path: at, message: 'Not supported: __proto__' });
    }
    return [name, copyAny(value, at, depth + 1, problems)];
  });
  return Object.fromEntries(entries);
}

/** What is not an object is a boolean schema, or a mistake that the metaschema will name. */
function copyAny(value: unknown, path: Path, depth: number, problems: CriteriaProblem[]): unknown {
  return isRecord(value) ? copySchema(value, path, depth, problems) : value;
}

function checkPattern(pattern: unknown, path: Path, problems: CriteriaProblem[]): void {
  if (typeof pattern !== 'string') return;
  const compiled = compileSchemaPattern(pattern);
  if (compiled.kind === 'problem') {
    report(problems, { kind: 'schema', path, message: compiled.message });
  }
}
