// The part of a rule that depends on its type: what it tests in the text.

import { kindOf, report } from '../conditions-problems.ts';
import { isRecord } from '../is-record.ts';
import type { Fault, Path } from '../issue.ts';
import type { Test } from './model.ts';
import { compileRegex } from './regex.ts';
import type { FoundSchema } from './schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of each type of rule, besides the common ones. */
export const TEST_FIELDS = {
  contains: ['value'],
  regex: ['pattern', 'flags'],
  length: ['min', 'max'],
  schema: ['schema'],
} as const;

export type TestType = keyof typeof TEST_FIELDS;

/** Null if there are problems. A schema is only collected, to be compiled later. */
export function parseTest(
  type: TestType,
  fields: Fields,
  path: Path,
  problems: Fault[],
  schemas: FoundSchema[],
): Test | null {
  switch (type) {
    case 'contains': {
      const value = readString(fields, 'value', path, problems);
      return value === null ? null : { kind: 'contains', value };
    }
    case 'regex':
      return parseRegex(fields, path, problems);
    case 'length':
      return parseLength(fields, path, problems);
    case 'schema':
      return parseSchema(fields, path, problems, schemas);
  }
}

function parseRegex(fields: Fields, path: Path, problems: Fault[]): Test | null {
  const pattern = readString(fields, 'pattern', path, problems);
  const flags = Object.hasOwn(fields, 'flags') ? readString(fields, 'flags', path, problems) : '';
  if (pattern === '') {
    report(problems, 'wrong_regex', [...path, 'pattern'], '"pattern" must not be empty');
    return null;
  }
  if (pattern === null || flags === null) return null;
  const compiled = compileRegex(pattern, flags);
  if (compiled.kind === 'regex') return compiled;
  report(problems, 'wrong_regex', [...path, compiled.field], compiled.message);
  return null;
}

function parseLength(fields: Fields, path: Path, problems: Fault[]): Test | null {
  const min = readBound(fields, 'min', path, problems) ?? 0;
  const max = readBound(fields, 'max', path, problems) ?? Number.POSITIVE_INFINITY;
  if (min <= max) return { kind: 'length', min, max };
  const message = `"min" must not be greater than "max", got ${min} and ${max}`;
  report(problems, 'wrong_value', [...path, 'min'], message);
  return null;
}

function parseSchema(
  fields: Fields,
  path: Path,
  problems: Fault[],
  schemas: FoundSchema[],
): Test | null {
  const at = [...path, 'schema'];
  if (!Object.hasOwn(fields, 'schema')) {
    report(problems, 'missing_key', path, 'Missing field: schema');
    return null;
  }
  const { schema } = fields;
  if (!isRecord(schema)) {
    report(problems, 'wrong_type', at, `"schema" must be an object, got ${kindOf(schema)}`);
    return null;
  }
  const compiled = { accepts: () => false, complaints: () => [] };
  schemas.push({ schema, path: at, compiled });
  return { kind: 'schema', schema: compiled };
}

function readString(fields: Fields, field: string, path: Path, problems: Fault[]): string | null {
  if (!Object.hasOwn(fields, field)) {
    report(problems, 'missing_key', path, `Missing field: ${field}`);
    return null;
  }
  const value = fields[field];
  if (typeof value === 'string') return value;
  const message = `"${field}" must be a string, got ${kindOf(value)}`;
  report(problems, 'wrong_type', [...path, field], message);
  return null;
}

function readBound(
  fields: Fields,
  field: 'min' | 'max',
  path: Path,
  problems: Fault[],
): number | null {
  if (!Object.hasOwn(fields, field)) return null;
  const value = fields[field];
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  const found = typeof value === 'number' ? value : kindOf(value);
  const message = `"${field}" must be an integer of 0 or more, got ${found}`;
  report(problems, 'wrong_type', [...path, field], message);
  return null;
}
