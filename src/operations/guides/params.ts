// The parameters of the guide tools, judged one by one: the first that does not fit is
// named. The same description gives the JSON Schema that clients are shown.

import { type JsonSchema, object } from '../answer-schema.ts';
import { faultOfContext } from '../context.ts';
import { invalidParam } from './failures.ts';

interface Parameter<T> {
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
  /** The value, or the reason why it is none (with the place inside, if it has one). */
  read(value: unknown): { readonly value: T } | { readonly reason: string; readonly at?: string };
}

type Parameters<Input> = { readonly [Name in keyof Input]: Parameter<Input[Name]> };

const ID_LIMIT = 1000;
const OUTPUT_LIMIT = 5 * 1024 * 1024;
const STEPS_LIMIT = 10_000;

export const id: Parameter<string> = {
  required: true,
  schema: { type: 'string' },
  read: (value) => {
    if (typeof value !== 'string') return { reason: 'must be a string' };
    if (value === '') return { reason: 'must not be empty' };
    return value.length > ID_LIMIT ? { reason: 'is too long' } : { value };
  },
};

export const outputText: Parameter<string> = {
  required: true,
  schema: { type: 'string' },
  read: (value) => {
    if (typeof value !== 'string') return { reason: 'must be a string' };
    if (Buffer.byteLength(value) > OUTPUT_LIMIT) return { reason: 'is larger than 5 MiB' };
    return { value };
  },
};

export const stepIds: Parameter<readonly string[]> = {
  required: true,
  schema: { type: 'array', items: { type: 'string' } },
  read: (value) => {
    if (!Array.isArray(value)) return { reason: 'must be an array of step ids' };
    if (value.length > STEPS_LIMIT) return { reason: `has more than ${STEPS_LIMIT} entries` };
    const odd = value.findIndex((each) => typeof each !== 'string' || each.length > ID_LIMIT);
    return odd === -1 ? { value } : { reason: 'must be a step id', at: `[${odd}]` };
  },
};

export const context: Parameter<Readonly<Record<string, unknown>>> = {
  required: true,
  schema: { type: 'object', description: 'Facts for conditions' },
  read: (value) => {
    const reason = faultOfContext(value);
    return reason === null ? { value: value as Readonly<Record<string, unknown>> } : { reason };
  },
};

/** With what it is for, as clients are shown it. */
export function told<T>(parameter: Parameter<T>, description: string): Parameter<T> {
  return { ...parameter, schema: { ...parameter.schema, description } };
}

/** May be absent or null. */
export function optional<T>(parameter: Parameter<T>): Parameter<T | null> {
  return {
    required: false,
    schema: parameter.schema,
    read: (value) =>
      value === undefined || value === null ? { value: null } : parameter.read(value),
  };
}

export function readParams<Input>(parameters: Parameters<Input>, given: unknown): Input {
  const params = given ?? {};
  if (!isObject(params)) throw invalidParam('params', 'must be an object');
  const read = Object.entries<Parameter<unknown>>(parameters).map(([name, parameter]) => {
    const present = Object.hasOwn(params, name);
    if (!present && parameter.required) throw invalidParam(name, 'is required');
    const result = parameter.read(present ? params[name] : undefined);
    if ('reason' in result) throw invalidParam(`${name}${result.at ?? ''}`, result.reason);
    return [name, result.value];
  });
  const unknown = Object.keys(params).find((name) => !Object.hasOwn(parameters, name));
  if (unknown !== undefined) throw invalidParam(unknown, 'is not a parameter');
  return Object.fromEntries(read) as Input;
}

export function paramsSchema<Input>(parameters: Parameters<Input>): JsonSchema {
  const entries = Object.entries<Parameter<unknown>>(parameters);
  const required = entries.filter(([, each]) => each.required).map(([name]) => name);
  return {
    ...object(Object.fromEntries(entries.map(([name, each]) => [name, each.schema]))),
    ...(required.length > 0 ? { required } : {}),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
