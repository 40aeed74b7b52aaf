// Walks all subschemas of a JSON Schema before the schema library sees it: checks every
// pattern, even in unused definitions, and removes keywords that neither draft defines but the
// library interprets.

import { report } from '../conditions-problems.ts';
import { isJsonWithin } from '../conditions-values.ts';
import { isRecord } from '../is-record.ts';
import type { Fault, Path } from '../issue.ts';
import { compileSchemaPattern } from './regex.ts';

type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 64;
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
/** `$async` would turn a verdict into a promise, which counts as true. */
const LIBRARY_WORDS = new Set(['$async', 'id', 'nullable', '__proto__']);

/** A copy of the schema that is safe for the library. */
export function prepareSchema(schema: Schema, path: Path, problems: Fault[]): Schema {
  if (!isJsonWithin(schema, MAX_VALUES)) {
    const message = `The schema must be JSON of at most ${MAX_VALUES} values`;
    report(problems, 'wrong_schema', path, message);
    return {};
  }

  const checkPattern = (pattern: unknown, at: Path) => {
    const compiled = typeof pattern === 'string' ? compileSchemaPattern(pattern) : null;
    if (compiled?.kind === 'problem') report(problems, 'wrong_schema', at, compiled.message);
  };

  /** A non-object is a boolean schema, or a mistake that the metaschema reports. */
  const copyAny = (value: unknown, at: Path, depth: number): unknown =>
    isRecord(value) ? copySchema(value, at, depth) : value;

  const copyMap = (keyword: string, map: Schema, path: Path, depth: number): Schema => {
    const entries = Object.entries(map).map(([name, value]): [string, unknown] => {
      const at = [...path, name];
      if (keyword === 'patternProperties') checkPattern(name, at);
      // The library silently ignores this name and would accept everything.
      if (name === '__proto__') report(problems, 'wrong_schema', at, 'Not supported: __proto__');
      return [name, copyAny(value, at, depth)];
    });
    return Object.fromEntries(entries);
  };

  const copySchema = (schema: Schema, path: Path, depth: number): Schema => {
    if (depth > MAX_DEPTH) {
      const message = `Schemas are nested more than ${MAX_DEPTH} deep`;
      report(problems, 'wrong_schema', path, message);
      return {};
    }
    const inner = depth + 1;
    const entries = Object.entries(schema)
      .filter(([keyword]) => !LIBRARY_WORDS.has(keyword))
      .map(([keyword, value]): [string, unknown] => {
        const at = [...path, keyword];
        if (keyword === 'pattern') checkPattern(value, at);
        if (Array.isArray(value) && HOLDS_LIST.has(keyword)) {
          return [keyword, value.map((one, index) => copyAny(one, [...at, index], inner))];
        }
        if (isRecord(value) && HOLDS_MAP.has(keyword)) {
          return [keyword, copyMap(keyword, value, at, inner)];
        }
        return [keyword, HOLDS_ONE.has(keyword) ? copyAny(value, at, inner) : value];
      });
    return Object.fromEntries(entries);
  };

  return copySchema(schema, path, 1);
}
