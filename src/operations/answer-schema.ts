// The JSON Schema of a tool's answer. The listing of all tools may cost an agent 2,800 tokens, so a
// schema gives each member of an answer its type and, inside, names only what an agent needs. An
// object in the answers of several tools is described by one of them: `begin_step` and `stack` by
// start_workflow.

export type Schema = { readonly [keyword: string]: unknown };

export type JsonSchema = Schema & { readonly type: 'object' };

export const TEXT: Schema = { type: 'string' };
export const FLAG: Schema = { type: 'boolean' };
export const OBJECT: Schema = { type: 'object' };

export function orNull(schema: Schema): Schema {
  return { ...schema, type: [schema.type, 'null'] };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** Nothing is required: a failure has only `error`. */
export function object(properties: Readonly<Record<string, Schema>>): JsonSchema {
  return { type: 'object', properties };
}
