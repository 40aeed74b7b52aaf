// Direct JSON-RPC methods: the guide tools, called by their own names on the same
// connection, before or without any handshake. They are answered in front of the SDK,
// which would rephrase their errors and demand an `initialize` first.

import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { isRecord } from '../core/is-record.ts';
import type { Workspace } from '../engine/workspace.ts';
import { findOperation } from '../operations/table.ts';
import type { Toolset } from '../operations/toolsets.ts';
import type { CallerIdentity } from './caller-identity.ts';
import type { Log } from './log.ts';
import { methodNotFound, type RpcMessage } from './rpc-message.ts';
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
    const error = methodNotFound(method);
    await logUnknown(method, error.code, call, log);
    return { error };
  }
  const nothing = () => {};
  const { workspace, owner, caller } = call;
  const { signal } = new AbortController();
  const context = { workspace, owner, caller, signal, progress: nothing, afterAnswer: nothing };
  const { _meta, ...given } = isRecord(params) ? params : {};
  const { structuredContent, isError } = (await callTool(operation, given, context, log)).result;
  if (isError) return { error: structuredContent?.error };
  // The era without a handshake names its version in each request, and requires this member.
  const isStateless = isRecord(_meta) && PROTOCOL_VERSION_META_KEY in _meta;
  return { result: { ...structuredContent, ...(isStateless && { resultType: 'complete' }) } };
}
