// Operations as MCP tools: how they are listed, and how a call is run and logged. The operation
// itself decides how its result is presented.

import { requireFreshReads } from '../async/call-scope.ts';
import { type Refusal, Refused, refuse } from '../core/refusal.ts';
import { identityOf } from '../core/team/caller.ts';
import type { CallContext } from '../engine/call-context.ts';
import type { JsonSchema } from '../operations/answer-schema.ts';
import type { Operation } from '../operations/operation.ts';
import { rpcCodeOf } from '../operations/rpc-codes.ts';
import { type Audience, operationsFor } from '../operations/table.ts';
import { inWords, type ToolResult } from '../operations/tool-result.ts';
import { type StackItem, stackItems } from '../sessions/stack-items.ts';
import { type Log, outcomeOf, toFix } from './log.ts';

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: { readonly readOnlyHint: true };
  readonly _meta?: { readonly 'anthropic/alwaysLoad': true };
}

/** Cached, because every client requests the list; the coordinator's differs. */
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
  const { name, description, outputSchema, readOnly, loadAtOnce = false } = operation;
  const tool: ListedTool = {
    name,
    description,
    inputSchema: operation.inputSchema(coordinator),
    ...(outputSchema === null ? {} : { outputSchema }),
    ...(readOnly ? { annotations: { readOnlyHint: true } } : {}),
    ...(loadAtOnce ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
  };
  kept.set(operation, tool);
  return tool;
}

export interface Called {
  readonly result: ToolResult;
  /** Null if it was not refused. */
  readonly refusal: Refusal | null;
}

export function callTool(
  operation: Operation,
  given: unknown,
  context: CallContext,
  log: Log,
): Promise<Called> {
  return context.workspace.withinCall(() => callNow(operation, given, context, log));
}

async function callNow(
  operation: Operation,
  given: unknown,
  context: CallContext,
  log: Log,
): Promise<Called> {
  const began = performance.now();
  let session = sessionIn(given);
  const about = (id: string) => {
    session = id;
  };
  // An answer that does not know the outcome reports no change that the call may have made.
  let isReported = true;
  const afterAnswer: CallContext['afterAnswer'] = (work) =>
    context.afterAnswer((delivered) => {
      requireFreshReads();
      return work(delivered && isReported);
    });
  const within = { ...context, about, afterAnswer };
  const { answer, refusal } = await run(operation, given, within, log);
  isReported = refusal?.code !== 'store_outcome_unknown';
  const stack = await stackFor(context, operation.showsStack);
  log.call({
    tool: operation.name,
    agent: identityOf(context.caller),
    session,
    outcome: refusal === null ? outcomeOf(answer) : String(rpcCodeOf(refusal) ?? refusal.code),
    refused: refusal === null ? toFix(answer) : inWords(refusal),
    milliseconds: performance.now() - began,
    stack,
  });
  const result =
    refusal === null ? operation.present(answer, stack) : operation.presentRefusal(refusal);
  return { result, refusal };
}

/** Calls of unknown tools are logged, too. */
export async function logUnknown(
  tool: string,
  code: number,
  context: Origin,
  log: Log,
): Promise<void> {
  const stack = await stackFor(context, false);
  const agent = identityOf(context.caller);
  const outcome = String(code);
  log.call({ tool, agent, session: null, outcome, refused: null, milliseconds: 0, stack });
}

/** The session that the arguments name, for a call that finds none. */
function sessionIn(given: unknown): string | null {
  const id = (given as { readonly session_id?: unknown } | null | undefined)?.session_id;
  return typeof id === 'string' ? id : null;
}

async function run(
  operation: Operation,
  given: unknown,
  context: CallContext,
  log: Log,
): Promise<{ readonly answer?: unknown; readonly refusal: Refusal | null }> {
  try {
    return { answer: await operation.run(context, operation.parse(given)), refusal: null };
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.refusal };
    const line = log.fault(operation.name, error);
    const next = `try once more, and report it with line ${line} of the server's log if it happens again.`;
    const message = `deepwork failed: ${(error as Error).message}`;
    return { refusal: refuse('internal_error', message, next, { log: line }) };
  }
}

type Origin = Pick<CallContext, 'workspace' | 'owner' | 'caller'>;

/**
 * The log shows the stack of every call. The sessions are read for it only if the answer shows it,
 * too; otherwise their last known state is enough.
 */
async function stackFor({ workspace, owner }: Origin, isShown: boolean): Promise<StackItem[]> {
  try {
    const { stacks } = workspace;
    return stackItems(await (isShown ? stacks.actedOn(owner) : stacks.lastSeen(owner)));
  } catch {
    // A call is answered even when the sessions cannot be listed.
    return [];
  }
}
