// The part of a rule that depends on its type: what it tests in the text.

import { kindOf, type ReportIn } from '../conditions-problems.ts';
import { isRecord } from '../is-record.ts';
import type { Path } from '../issue.ts';
import { notCompiled, type Test } from './model.ts';
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
  wrong: ReportIn,
  schemas: FoundSchema[],
): Test | null {
  switch (type) {
    case 'contains': {
      const value = readString(fields, 'value', wrong);
      return value === null ? null : { kind: 'contains', value };
    }
    case 'regex': {
      const pattern = readString(fields, 'pattern', wrong);
      const flags = Object.hasOwn(fields, 'flags') ? readString(fields, 'flags', wrong) : '';
      if (pattern === '') return wrong('wrong_regex', '"pattern" must not be empty', 'pattern');
      if (pattern === null || flags === null) return null;
      const compiled = compileRegex(pattern, flags);
      if (compiled.kind === 'regex') return compiled;
      return wrong('wrong_regex', compiled.message, compiled.field);
    }
    case 'length': {
      const min = readBound(fields, 'min', wrong) ?? 0;
      const max = readBound(fields, 'max', wrong) ?? Number.POSITIVE_INFINITY;
      if (min <= max) return { kind: 'length', min, max };
      const message = `"min" must not be greater than "max", got ${min} and ${max}`;
      return wrong('wrong_value', message, 'min');
    }
    case 'schema': {
      if (!Object.hasOwn(fields, 'schema')) return wrong('missing_key', 'Missing field: schema');
      const { schema } = fields;
      if (!isRecord(schema)) {
        return wrong('wrong_type', `"schema" must be an object, got ${kindOf(schema)}`, 'schema');
      }
      const compiled = notCompiled();
      schemas.push({ schema, path: [...path, 'schema'], compiled });
      return { kind: 'schema', schema: compiled };
    }
  }
}

function readString(fields: Fields, field: string, wrong: ReportIn): string | null {
  if (!Object.hasOwn(fields, field)) return wrong('missing_key', `Missing field: ${field}`);
  const value = fields[field];
  if (typeof value === 'string') return value;
  return wrong('wrong_type', `"${field}" must be a string, got ${kindOf(value)}`, field);
}

function readBound(fields: Fields, field: 'min' | 'max', wrong: ReportIn): number | null {
  if (!Object.hasOwn(fields, field)) return null;
  const value = fields[field];
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  const found = typeof value === 'number' ? value : kindOf(value);
  return wrong('wrong_type', `"${field}" must be an integer of 0 or more, got ${found}`, field);
}
