// The parameters of the guide tools, judged one by one: the first that does not fit is
// named. The same description gives the JSON Schema that clients are shown.

import { nearest } from '../../core/nearest.ts';
import { type JsonSchema, object } from '../../engine/answer-schema.ts';
import { faultOfContext } from '../../engine/context.ts';
import { invalidParam } from '../../engine/guides/failures.ts';

interface Parameter<T> {
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
  /** What to do where it is required and not given, if that is not obvious. */
  readonly ifAbsent?: string;
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
  ifAbsent: 'give [] if nothing is done yet.',
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
    if (!present && parameter.required) {
      throw invalidParam(
        name,
        'is required',
        misnamed(params, parameters, name) ?? parameter.ifAbsent,
      );
    }
    const result = parameter.read(present ? params[name] : undefined);
    if ('reason' in result) throw invalidParam(`${name}${result.at ?? ''}`, result.reason);
    return [name, result.value];
  });
  const unknown = unknownIn(params, parameters);
  if (unknown !== undefined) {
    throw invalidParam(unknown, 'is not a parameter', renamed(unknown, parameters));
  }
  return Object.fromEntries(read) as Input;
}

function unknownIn(params: object, parameters: object): string | undefined {
  return Object.keys(params).find((name) => !Object.hasOwn(parameters, name));
}

function renamed(unknown: string, parameters: object): string | undefined {
  const meant = nearest(unknown, Object.keys(parameters));
  return meant === null ? undefined : `write ${meant} instead of ${unknown} and call again.`;
}

/** What is missing may be there under a name that is nearly right. */
function misnamed(params: object, parameters: object, missing: string): string | undefined {
  const unknown = unknownIn(params, parameters);
  return unknown !== undefined && nearest(unknown, Object.keys(parameters)) === missing
    ? renamed(unknown, parameters)
    : undefined;
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
