// What a loader checks inside rules and conditions and a JSON Schema of the file cannot express.
// Together with the lists of each format, only these may make the two disagree, and each entry has
// an example in the tests: a file that the schema accepts and the loader refuses with that message.
// Before adding to it, look for a way to express it in the schema.

import type { Json } from './json.ts';

export interface Unsayable {
  readonly what: string;
  /** Recognises the loader's message. */
  readonly message: RegExp;
}

export interface UnsayableOfRules extends Unsayable {
  /** Criteria that have only this against them. */
  readonly example: () => Json;
}

const rule = (more: { readonly [key: string]: Json }): Json => ({ message: 'm', ...more });
const schemaRule = (schema: Json): Json => rule({ type: 'schema', schema });
const lengthRule = rule({ type: 'length' });

function nested(levels: number, innermost: Json, around: (inner: Json) => Json): Json {
  let value = innermost;
  for (let level = 1; level < levels; level += 1) value = around(value);
  return value;
}

export const UNSAYABLE_IN_RULES: readonly UnsayableOfRules[] = [
  {
    what: 'whether a regular expression compiles',
    message: /Invalid regular expression: /,
    example: () => rule({ type: 'regex', pattern: '(' }),
  },
  {
    what: 'that one number is not greater than another',
    message: /"min" must not be greater than "max"/,
    example: () => rule({ type: 'length', min: 2, max: 1 }),
  },
  {
    what: 'whether a JSON Schema is one',
    message: /Malformed schema: /,
    example: () => schemaRule({ type: 'text' }),
  },
  {
    what: 'which drafts of JSON Schema are understood',
    message: /Not supported: \$schema \(known are /,
    example: () => schemaRule({ $schema: 'x' }),
  },
  {
    what: 'which names a JSON Schema may describe',
    message: /Not supported: __proto__/,
    example: () => schemaRule(JSON.parse('{"properties": {"__proto__": {}}}')),
  },
  {
    what: 'how large a JSON Schema is',
    message: /The schema must be JSON of at most \d+ values/,
    example: () => schemaRule({ enum: Array.from({ length: 60_000 }, (_, index) => index) }),
  },
  {
    what: 'how deep conditions are nested',
    message: /Conditions are nested more than \d+ deep/,
    example: () => {
      const condition = nested(33, {}, (not) => ({ not }));
      return rule({ type: 'length', condition });
    },
  },
  {
    what: 'how many rules there are in all',
    message: /More than \d+ rules in one place/,
    example: () => Array<Json>(10_001).fill(lengthRule),
  },
  {
    what: 'how many conditions there are in all',
    message: /More than \d+ conditions in one/,
    example: () => rule({ type: 'length', condition: { and: Array<Json>(10_001).fill({}) } }),
  },
  {
    what: 'how large an operand is',
    message: /must be a JSON value of at most \d+ parts/,
    example: () => {
      const equals = Array<Json>(10_001).fill(0);
      return rule({ type: 'length', condition: { var: 'x', equals } });
    },
  },
];

export function isOneOf(message: string, list: readonly Unsayable[]): boolean {
  return list.some((unsayable) => unsayable.message.test(message));
}
