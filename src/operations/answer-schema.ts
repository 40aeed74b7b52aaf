// The JSON Schema of a tool's answer: all that it can hold, so that a program can be generated from
// the list of tools. Schemas are checked against the types of the answers when deepwork is compiled:
// an object declares every member of its type, and each member's schema admits all of its values.

export interface Schema<in T> {
  readonly [keyword: string]: unknown;
  /** Only for the compiler. */
  readonly [ADMITS]?: (value: T) => void;
}

declare const ADMITS: unique symbol;

export type JsonSchema = { readonly [keyword: string]: unknown; readonly type: 'object' };

export const TEXT: Schema<string> = { type: 'string' };
export const FLAG: Schema<boolean> = { type: 'boolean' };
export const WHOLE: Schema<number> = { type: 'integer' };
/** With members of any names. */
export const OBJECT: Schema<object> = { type: 'object' };
export const TEXTS: Schema<readonly string[]> = listOf(TEXT);
export const TEXT_OR_TEXTS = or(TEXTS, 'string');

interface Types {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

/** Admits values of more types. */
export function or<T, Name extends keyof Types>(
  schema: Schema<T>,
  ...types: readonly Name[]
): Schema<T | Types[Name]> {
  // Spread, the schema would still be one of T alone to the compiler.
  return { ...schema, type: [schema.type, ...types].flat() } as Schema<unknown>;
}

export function orNull<T>(schema: Schema<T>): Schema<T | null> {
  const { enum: values } = schema;
  return { ...or(schema, 'null'), ...(Array.isArray(values) && { enum: [...values, null] }) };
}

/** One of these. */
export function wordOf<T extends string>(values: readonly T[]): Schema<T> {
  return { type: 'string', enum: values };
}

export function listOf<T>(items: Schema<T>): Schema<readonly T[]> {
  return { type: 'array', items };
}

/** Members of any names, all of the same kind. */
export function mapOf<T>(values: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return { type: 'object', additionalProperties: values };
}

interface Sometimes<in T> {
  readonly sometimes: Schema<T>;
}

export function optionalMember<T>(schema: Schema<T>): Sometimes<T> {
  return { sometimes: schema };
}

export type Members<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K>
    ? Sometimes<Exclude<T[K], undefined>>
    : Schema<T[K]>;
};

export function object<T>(members: Members<T>): Schema<T> {
  return { ...openObject(members), additionalProperties: false };
}

/** May have other members as well. */
export function openObject<T>(members: Members<T>): Schema<T> {
  const all = Object.entries<Schema<never> | Sometimes<never>>(members);
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(([name, member]) => [name, member.sometimes ?? member])),
    required: all.filter(([, member]) => !('sometimes' in member)).map(([name]) => name),
  };
}

/** Not at the root, because a schema of answers has to be one of objects. */
export function answerOrFailure<T, E>(answer: Schema<T>, failure: Schema<E>): JsonSchema {
  return { type: 'object', anyOf: [answer, object<{ error: E }>({ error: failure })] };
}
