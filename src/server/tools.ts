// Operations as MCP tools: how they are listed, and how a call becomes a result. What
// a client sees in text and in structuredContent is the same, word for word.

import * as z from 'zod';
import { type Refusal, Refused, refuse } from '../core/refusal.ts';
import type { Owner } from '../core/session/state.ts';
import { type CallContext, type Operation, parseArguments } from '../operations/operation.ts';
import { operations } from '../operations/table.ts';
import type { Workspace } from '../operations/workspace.ts';
import { type StackItem, stackItems } from '../sessions/stacks.ts';
import type { Log } from './log.ts';

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
  readonly outputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
  readonly annotations?: { readonly readOnlyHint: true };
}

export interface ToolResult {
  readonly [key: string]: unknown;
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
}

const MESSAGE_LIMIT = 4 * 1024;

let listed: ListedTool[] | undefined;

export function listTools(): ListedTool[] {
  listed ??= operations.map((operation) => ({
    name: operation.name,
    description: operation.description,
    inputSchema: inputSchemaOf(operation),
    outputSchema: { type: 'object', required: [...operation.answer, 'stack'] },
    ...(operation.readOnly ? { annotations: { readOnlyHint: true } } : {}),
  }));
  return listed;
}

export async function callTool(
  operation: Operation,
  given: unknown,
  context: CallContext,
  log: Log,
): Promise<ToolResult> {
  const began = performance.now();
  const { result, outcome } = await perform(operation, given, context, log);
  const stack = await stackOf(context.workspace, context.owner);
  log.call(operation.name, stack, outcome, performance.now() - began);
  if ('refusal' in result) return errorResult(result.refusal);
  const answer = { ...result.answer, stack };
  return {
    content: [{ type: 'text', text: JSON.stringify(answer) }],
    structuredContent: answer,
  };
}

async function perform(
  operation: Operation,
  given: unknown,
  context: CallContext,
  log: Log,
): Promise<{ result: { answer: object } | { refusal: Refusal }; outcome: string }> {
  try {
    const answer = await operation.run(context, parseArguments(operation, given));
    return { result: { answer }, outcome: 'ok' };
  } catch (error) {
    if (error instanceof Refused) {
      return { result: { refusal: error.refusal }, outcome: error.refusal.code };
    }
    log.fault(operation.name, error);
    const refusal = refuse(
      'internal_error',
      `deepwork failed: ${(error as Error).message}`,
      'nothing was changed; try once more, and report it with the server log if it happens again.',
    );
    return { result: { refusal }, outcome: 'internal_error' };
  }
}

export function errorResult({ code, message, next }: Refusal): ToolResult {
  const error = { code, message: cut(message), next };
  return {
    content: [
      { type: 'text', text: next === null ? error.message : `${error.message}\nNext: ${next}` },
    ],
    structuredContent: { error },
    isError: true,
  };
}

/** A call is answered even when the sessions cannot be listed. */
async function stackOf(workspace: Workspace, owner: Owner): Promise<StackItem[]> {
  try {
    return stackItems(await workspace.stacks.of(owner));
  } catch {
    return [];
  }
}

/** JSON Schema in few characters: every one of them costs each agent context. */
function inputSchemaOf(operation: Operation): ListedTool['inputSchema'] {
  const {
    $schema: _,
    additionalProperties: __,
    ...schema
  } = z.toJSONSchema(operation.input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      const { anyOf } = jsonSchema;
      if (anyOf?.every((each) => typeof each === 'object' && isPlainType(each))) {
        delete jsonSchema.anyOf;
        Object.assign(jsonSchema, { type: anyOf.map((each) => (each as { type: string }).type) });
      }
      delete jsonSchema.propertyNames;
      if (isEmpty(jsonSchema.items)) delete jsonSchema.items;
      if (isEmpty(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties;
    },
  });
  return schema as ListedTool['inputSchema'];
}

function isPlainType(schema: object): boolean {
  return Object.keys(schema).length === 1 && 'type' in schema && typeof schema.type === 'string';
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function cut(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= MESSAGE_LIMIT) return message;
  const head = bytes
    .subarray(0, MESSAGE_LIMIT - 16)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
  return `${head} … (cut)`;
}
