// Direct JSON-RPC methods: the guide tools, called by their own names on the same
// connection, before or without any handshake. They are answered in front of the SDK,
// which would rephrase their errors and demand an `initialize` first.

import { isRecord } from '../core/is-record.ts';
import type { Workspace } from '../engine/workspace.ts';
import { RPC_CODES } from '../operations/rpc-codes.ts';
import { findOperation } from '../operations/table.ts';
import type { Toolset } from '../operations/toolsets.ts';
import type { CallerIdentity } from './caller-identity.ts';
import type { Log } from './log.ts';
import type { RpcMessage } from './rpc-message.ts';
import { callTool, logUnknown } from './tools.ts';

/** The origin of a direct call, which reports no progress and cannot be cancelled. */
export interface DirectCall extends CallerIdentity {
  readonly workspace: Workspace;
  readonly toolsets: readonly Toolset[];
}

/** The response; null for a notification. */
export async function answerDirectly(
  { id, method, params }: RpcMessage,
  call: DirectCall,
  log: Log,
): Promise<RpcMessage | null> {
  const outcome = await perform(String(method), params, call, log);
  return id === undefined ? null : { jsonrpc: '2.0', id, ...outcome };
}

async function perform(
  method: string,
  params: unknown,
  call: DirectCall,
  log: Log,
): Promise<RpcMessage> {
  const operation = findOperation(method);
  if (operation?.toolset !== 'guides' || !call.toolsets.includes('guides')) {
    const code = RPC_CODES.method_not_found;
    await logUnknown(method, code, call, log);
    return { error: { code, message: 'Method not found', data: { method: method.slice(0, 200) } } };
  }
  const nothing = () => {};
  const { workspace, owner, caller } = call;
  const { signal } = new AbortController();
  const context = { workspace, owner, caller, signal, progress: nothing, afterAnswer: nothing };
  const given = withoutMeta(params);
  const { structuredContent, isError } = (await callTool(operation, given, context, log)).result;
  return isError ? { error: structuredContent?.error } : { result: structuredContent };
}

/** `_meta` is the protocol's own, and any request may carry it. */
function withoutMeta(params: unknown): unknown {
  if (!isRecord(params) || !Object.hasOwn(params, '_meta')) return params;
  const { _meta, ...given } = params;
  return given;
}
