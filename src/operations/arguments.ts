// Checks arguments against the schema of their tool. Problems are listed in the order of the
// parameters, with unknown arguments at the end; each toolset words them as it has promised.

import * as z from 'zod';
import { nearest } from '../core/nearest.ts';
import type { JsonSchema } from './answer-schema.ts';

export interface InvalidArgument {
  readonly path: readonly PropertyKey[];
  /** Completes a sentence that begins with the path. */
  readonly reason: string;
  readonly isMissing?: true;
  /** For an unknown parameter: the one that was probably meant. */
  readonly meant?: string | null;
}

export function readArguments<Input>(
  input: z.ZodType<Input>,
  given: unknown,
): { readonly input: Input } | { readonly problems: readonly InvalidArgument[] } {
  const parsed = input.safeParse(bounded(given ?? {}, keysAt(input, [])));
  if (parsed.success) return { input: parsed.data };
  return { problems: parsed.error.issues.flatMap((issue) => problemsIn(issue, input, given)) };
}

/** More than fit into an answer; checking 200,000 would block other calls. */
const MAX_UNKNOWN = 200;

function bounded(given: unknown, known: readonly string[]): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const names = Object.keys(given);
  if (names.length <= known.length + MAX_UNKNOWN) return given;
  const kept = [
    ...known.filter((name) => Object.hasOwn(given, name)),
    ...names.slice(0, MAX_UNKNOWN),
  ];
  return Object.fromEntries(kept.map((name) => [name, (given as Record<string, unknown>)[name]]));
}

function problemsIn(issue: z.core.$ZodIssue, input: z.ZodType, given: unknown): InvalidArgument[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(input, path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      reason: 'is not a parameter',
      meant: nearest(key, known),
    }));
  }
  if (path.length > 0 && isAbsent(path, given)) {
    return [{ path, reason: 'is required', isMissing: true }];
  }
  return [{ path, reason: issue.message.replace(/^Invalid input: /, '') }];
}

/** The members that an object among the parameters may have. */
function keysAt(input: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let schema: unknown = input;
  for (const key of path) {
    if (schema instanceof z.ZodArray) schema = schema.element;
    else if (schema instanceof z.ZodObject) schema = schema.shape[key as string];
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function isAbsent(path: readonly PropertyKey[], given: unknown): boolean {
  let value = given;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return false;
}

/** `todos[3].content` */
export function writtenPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, depth) =>
      typeof key === 'number' ? `[${key}]` : `${depth === 0 ? '' : '.'}${String(key)}`,
    )
    .join('');
}

const MAX_NAME = 100;

/** All of them in one sentence. */
export function describeProblems(problems: readonly InvalidArgument[]): string {
  return problems
    .map(({ path, reason, meant }) => {
      const named = path.map((key) => (typeof key === 'string' ? key.slice(0, MAX_NAME) : key));
      return `${writtenPath(named) || 'arguments'}: ${reason}${meant ? `; did you mean '${meant}'?` : ''}`;
    })
    .join('; ');
}

/**
 * A short JSON Schema, because every character costs each agent context. It leaves out that unknown
 * parameters and overlong lists are refused.
 */
export function compactSchema(input: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      const [some, none] = jsonSchema.anyOf ?? [];
      if (typeof some === 'object' && typeof none === 'object' && none.type === 'null') {
        delete jsonSchema.anyOf;
        Object.assign(jsonSchema, { ...some, ...jsonSchema, type: [some.type, 'null'].flat() });
      }
      delete jsonSchema.maxItems;
      delete jsonSchema.additionalProperties;
    },
  });
  return schema as JsonSchema;
}
