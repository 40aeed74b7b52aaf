// Operations as MCP tools: how they are listed, and how a call becomes a result. What
// a client sees in text and in structuredContent is the same, word for word.

import { type Refusal, Refused, refuse } from '../core/refusal.ts';
import type { Owner } from '../core/session/state.ts';
import { identityOf } from '../core/team/caller.ts';
import type { JsonSchema } from '../engine/answer-schema.ts';
import type { CallContext } from '../engine/call-context.ts';
import type { FormsWanted } from '../engine/forms.ts';
import { tellGuideFailure } from '../engine/guides/failure-text.ts';
import { guideFault } from '../engine/guides/failures.ts';
import type { Workspace } from '../engine/workspace.ts';
import { rpcCodeOf } from '../operations/guides/rpc-codes.ts';
import type { Operation } from '../operations/operation.ts';
import { type Audience, operationsFor } from '../operations/table.ts';
import type { Prose } from '../operations/team/define.ts';
import { type StackItem, stackItems } from '../sessions/stacks.ts';
import { type Log, outcomeOf } from './log.ts';

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: { readonly readOnlyHint: true };
}

export interface ToolResult {
  readonly [key: string]: unknown;
  readonly content: { readonly type: 'text'; readonly text: string }[];
  /** Prose has none: clients that get both hide the text from the model. */
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
  /** Instead of content: what the client is to show before it calls again. */
  readonly forms?: FormsWanted;
}

const MESSAGE_LIMIT = 4 * 1024;

/** Kept, because every client asks for the list; it differs by who asks. */
const listed = { coordinator: new Map<Operation, ListedTool>(), other: new Map() };

/** Sorted by name. */
export function listTools(audience: Audience): ListedTool[] {
  return operationsFor(audience)
    .map((operation) => describe(operation, audience.coordinator))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function describe(operation: Operation, coordinator: boolean): ListedTool {
  const kept: Map<Operation, ListedTool> = coordinator ? listed.coordinator : listed.other;
  const known = kept.get(operation);
  if (known !== undefined) return known;
  const { name, description, outputSchema, readOnly } = operation;
  const tool: ListedTool = {
    name,
    description,
    inputSchema: operation.inputSchema(coordinator),
    ...(outputSchema === null ? {} : { outputSchema }),
    ...(readOnly ? { annotations: { readOnlyHint: true } } : {}),
  };
  kept.set(operation, tool);
  return tool;
}

export async function callTool(
  operation: Operation,
  given: unknown,
  context: CallContext,
  log: Log,
): Promise<ToolResult> {
  const began = performance.now();
  const { workspace, owner } = context;
  let session: string | null = null;
  const about = (id: string) => {
    session = id;
  };
  const { result, outcome } = await perform(operation, given, { ...context, about }, log);
  // Of every call the log shows the stack, so it is looked at even where no answer has it.
  const stack = await stackOf(workspace, owner);
  log.call({
    tool: operation.name,
    agent: identityOf(context.caller),
    session: session ?? sessionIn(given),
    outcome,
    milliseconds: performance.now() - began,
    stack,
  });
  if ('refusal' in result) {
    return operation.toolset === 'team' ? proseError(result.refusal) : errorResult(result.refusal);
  }
  if (operation.toolset === 'team') {
    const { text, forms } = result.answer as Prose;
    return forms === undefined ? prose(text) : { content: [], forms };
  }
  // A guide has no state, so its answers carry no stack.
  const answer: Record<string, unknown> =
    operation.toolset === 'jobs' ? { ...result.answer, stack } : { ...result.answer };
  return {
    content: [{ type: 'text', text: JSON.stringify(answer) }],
    structuredContent: answer,
  };
}

/** What a call that found no session asked for. */
function sessionIn(given: unknown): string | null {
  const id = (given as { readonly session_id?: unknown } | null | undefined)?.session_id;
  return typeof id === 'string' ? id : null;
}

function prose(text: string): ToolResult {
  return { content: [{ type: 'text', text }] };
}

function proseError(refusal: Refusal): ToolResult {
  // What the protocol has a number for is the whole answer, not a tool's.
  if (rpcCodeOf(refusal) !== null) throw new Refused(refusal);
  const { message, next } = refusal;
  const then = next === null ? '' : `\nNext: ${next}`;
  return { ...prose(`Error: ${cut(message)}${then}`), isError: true };
}

async function perform(
  operation: Operation,
  given: unknown,
  context: CallContext,
  log: Log,
): Promise<{ result: { answer: object } | { refusal: Refusal }; outcome: string }> {
  try {
    const answer = await operation.run(context, operation.parse(given));
    return { result: { answer }, outcome: outcomeOf(answer) };
  } catch (error) {
    if (error instanceof Refused) {
      return { result: { refusal: error.refusal }, outcome: codeOf(error.refusal) };
    }
    const reference = log.fault(operation.name, error);
    const refusal: Refusal =
      operation.toolset === 'guides'
        ? guideFault(reference)
        : refuse(
            'internal_error',
            `deepwork failed: ${(error as Error).message}`,
            `try once more, and report it with line ${reference} of the server's log if it happens again.`,
          );
    return { result: { refusal }, outcome: 'internal_error' };
  }
}

function errorResult(refusal: Refusal): ToolResult {
  const { message, next, data } = refusal;
  const said = cut(message);
  const code = rpcCodeOf(refusal) ?? refusal.code;
  const ofGuide = code !== refusal.code;
  const error = ofGuide
    ? { code, message: said, data, ...(next === null ? {} : { next }) }
    : { code, message: said, next };
  const told = next === null ? said : `${said}\nNext: ${next}`;
  return {
    content: [{ type: 'text', text: ofGuide ? tellGuideFailure(refusal) : told }],
    structuredContent: { error },
    isError: true,
  };
}

/** As the log and programs know it. */
function codeOf(refusal: Refusal): string {
  return String(rpcCodeOf(refusal) ?? refusal.code);
}

/** A call is answered even when the sessions cannot be listed. */
export async function stackOf(workspace: Workspace, owner: Owner): Promise<StackItem[]> {
  try {
    return stackItems(await workspace.stacks.actedOn(owner));
  } catch {
    return [];
  }
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
