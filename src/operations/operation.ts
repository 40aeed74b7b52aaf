// The shape of an operation. Each tool is written once, in a file of its own, and
// listed in `table.ts`; MCP tools and `deepwork call` are made from that table.
//
//   export const abortWorkflow = defineOperation({
//     name: 'abort_workflow',
//     description: 'Give up a workflow …',
//     input: z.strictObject({ explanation: text('Why') }),
//     answer: { aborted_workflow: TEXT, … },
//     readOnly: false,
//     run: async (context, input) => ({ … }),
//   });
//
// Guides and the team have forms of their own: `guides/define.ts`, `team/define.ts`.

import * as z from 'zod';
import { depthOf } from '../core/json-depth.ts';
import { didYouMean } from '../core/nearest.ts';
import { Refused, refuse } from '../core/refusal.ts';
import { type JsonSchema, listOf, OBJECT, object, type Schema } from '../engine/answer-schema.ts';
import type { CallContext } from '../engine/call-context.ts';
import { faultOfContext } from '../engine/context.ts';
import type { Toolset } from './toolsets.ts';

export interface Operation<Input = unknown, Answer extends object = object> {
  readonly name: string;
  readonly description: string;
  /** Which part of deepwork it belongs to. */
  readonly toolset: Toolset;
  /** For everybody but the coordinator it does not exist. */
  readonly coordinatorOnly: boolean;
  readonly readOnly: boolean;
  /** As it is shown to the coordinator, or to any other agent. */
  inputSchema(coordinator: boolean): JsonSchema;
  /** Null: the answer is prose. */
  readonly outputSchema: JsonSchema | null;
  /** Judges arguments as they came from outside; refused if they do not fit. */
  parse(given: unknown): Input;
  run(context: CallContext, input: Input): Promise<Answer>;
}

interface JobOperation<Input, Answer extends object> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** The members of a successful answer, all always present; `stack` is added to each. */
  readonly answer: Readonly<Record<keyof Answer & string, Schema>> &
    Readonly<Record<string, Schema>>;
  readonly readOnly: boolean;
  run(context: CallContext, input: Input): Promise<Answer>;
}

export function defineOperation<Input, Answer extends object>(
  operation: JobOperation<Input, Answer>,
): Operation<Input, Answer> {
  const { name, description, input, answer, readOnly, run } = operation;
  return {
    name,
    description,
    toolset: 'jobs',
    coordinatorOnly: false,
    readOnly,
    inputSchema: () => compactSchema(input),
    outputSchema: object({ stack: listOf(OBJECT), ...answer }),
    parse: (given) => parseArguments(name, input, given),
    run,
  };
}

const TEXT_LIMIT = 1024 * 1024;
const DEPTH = 64;

/** A text parameter. */
export function text(description?: string) {
  const schema = z.string().refine((value) => Buffer.byteLength(value) <= TEXT_LIMIT, {
    error: 'is longer than 1 MiB',
  });
  return description === undefined ? schema : schema.describe(description);
}

/** A text parameter that may be left out or null. */
export function optionalText(description?: string) {
  const schema = text().nullish();
  return description === undefined ? schema : schema.describe(description);
}

/** Which session a call is about. */
export function sessionParameter() {
  return optionalText('Default: top of stack');
}

/** Facts for `when` conditions. */
export function contextParameter() {
  return z
    .unknown()
    .superRefine((value, check) => {
      const fault = value === null || value === undefined ? null : faultOfContext(value);
      if (fault !== null) check.addIssue({ code: 'custom', message: fault });
    })
    .meta({ type: 'object' })
    .nullish()
    .describe('Facts for conditions')
    .transform((value) => (value ?? null) as Readonly<Record<string, unknown>> | null);
}

/** Output names to paths, or a bare list of paths. */
export function outputsParameter(description?: string) {
  return jsonParameter(
    'must be an object that maps output names to file paths',
    (value) => isMap(value) || Array.isArray(value),
  ).meta({ type: ['object', 'array'], ...(description === undefined ? {} : { description }) });
}

/**
 * JSON that is kept as it came. (Zod's own records would drop a key called `__proto__`,
 * and whoever sends one is owed an answer about it.)
 */
function jsonParameter(problem: string, fits: (value: unknown) => boolean) {
  return z
    .unknown()
    .refine(fits, { error: problem, abort: true })
    .refine((value) => depthOf(value, DEPTH) <= DEPTH, {
      error: 'is nested deeper than 64',
      abort: true,
    });
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseArguments<Input>(name: string, input: z.ZodType<Input>, given: unknown): Input {
  const read = readArguments(input, given);
  if ('input' in read) return read.input;
  throw new Refused(
    refuse(
      'invalid_arguments',
      `Invalid arguments for ${name}: ${read.problems.join('; ')}`,
      `correct the arguments and call ${name} again.${aboutMissing(input, given)}`,
    ),
  );
}

/** What each required parameter that is missing is for. */
function aboutMissing(input: z.ZodType, given: unknown): string {
  if (!(input instanceof z.ZodObject)) return '';
  const missing = Object.entries(input.shape).filter(
    ([name, schema]) =>
      isAbsent([name], given) && !(schema as z.ZodType).safeParse(undefined).success,
  );
  return missing
    .map(([name, schema]) => ` ${name}: ${(schema as z.ZodType).description}.`)
    .join('');
}

/** The arguments, or what is wrong with each that does not fit. */
export function readArguments<Input>(
  input: z.ZodType<Input>,
  given: unknown,
): { readonly input: Input } | { readonly problems: readonly string[] } {
  const parsed = input.safeParse(given ?? {});
  if (parsed.success) return { input: parsed.data };
  return { problems: parsed.error.issues.map((issue) => describeIssue(issue, input, given)) };
}

function describeIssue(issue: z.core.$ZodIssue, input: z.ZodType, given: unknown): string {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(input, issue.path);
    return issue.keys
      .map((key) => {
        const place = placeOf([...issue.path, key.slice(0, 100)]);
        return `${place}: is not a parameter${didYouMean(key, known)}`;
      })
      .join('; ');
  }
  const parameter = placeOf(issue.path) || 'arguments';
  if (issue.path.length > 0 && isAbsent(issue.path, given)) return `${parameter}: is required`;
  return `${parameter}: ${issue.message.replace(/^Invalid input: /, '')}`;
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

/** `todos[3].content`: the one among many that does not fit. */
function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, depth) =>
      typeof key === 'number' ? `[${key}]` : `${depth === 0 ? '' : '.'}${String(key)}`,
    )
    .join('');
}

function isAbsent(path: readonly PropertyKey[], given: unknown): boolean {
  let value = given;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return false;
}

/**
 * JSON Schema in few characters: every one of them costs each agent context. What may be
 * left out may also be null, and what is too much is refused by name; neither is listed.
 */
export function compactSchema(input: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      const [some, none] = jsonSchema.anyOf ?? [];
      if (typeof some === 'object' && typeof none === 'object' && none.type === 'null') {
        delete jsonSchema.anyOf;
        Object.assign(jsonSchema, { ...some, ...jsonSchema });
      }
      delete jsonSchema.maxItems;
      delete jsonSchema.additionalProperties;
    },
  });
  return schema as JsonSchema;
}
