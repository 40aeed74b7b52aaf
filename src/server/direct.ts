// Direct JSON-RPC methods: the guide tools, called by their own names on the same
// connection, before or without any handshake. They are answered in front of the SDK,
// which would rephrase their errors and demand an `initialize` first.

import { Refused } from '../core/refusal.ts';
import { identityOf } from '../core/team/caller.ts';
import type { Workspace } from '../engine/workspace.ts';
import { rpcCodeOf } from '../operations/guides/rpc-codes.ts';
import { findOperation } from '../operations/table.ts';
import type { Toolset } from '../operations/toolsets.ts';
import type { CallerIdentity } from './caller-identity.ts';
import { type Log, outcomeOf } from './log.ts';
import type { Message } from './message.ts';
import { stackOf } from './tools.ts';

/** Where a direct call comes from; nothing can be told or given up on the way. */
export interface DirectCall extends CallerIdentity {
  readonly workspace: Workspace;
  readonly faces: readonly Toolset[];
}

/** The response, or null where none is due: to a notification. */
export async function answerDirectly(
  { id, method, params }: Message,
  call: DirectCall,
  log: Log,
): Promise<Message | null> {
  const outcome = await perform(String(method), params, call, log);
  return id === undefined ? null : { jsonrpc: '2.0', id, ...outcome };
}

async function perform(
  method: string,
  params: unknown,
  { workspace, faces, caller, owner }: DirectCall,
  log: Log,
): Promise<Message> {
  const began = performance.now();
  const noteCall = async (outcome: string) => {
    const stack = await stackOf(workspace, owner);
    const milliseconds = performance.now() - began;
    const agent = identityOf(caller);
    log.call({ tool: method, agent, session: null, outcome, milliseconds, stack });
  };
  const operation = findOperation(method);
  if (operation?.toolset !== 'guides' || !faces.includes('guides')) {
    await noteCall('-32601');
    const data = { method: method.slice(0, 200) };
    return { error: { code: -32601, message: 'Method not found', data } };
  }
  try {
    const signal = new AbortController().signal;
    const nothing = () => {};
    const context = { workspace, owner, caller, signal, progress: nothing, afterAnswer: nothing };
    const result = await operation.run(context, operation.parse(params));
    await noteCall(outcomeOf(result));
    return { result };
  } catch (error) {
    const code = error instanceof Refused ? rpcCodeOf(error.refusal) : null;
    if (error instanceof Refused && code !== null) {
      const { message, data } = error.refusal;
      await noteCall(String(code));
      return { error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
    const reference = log.fault(method, error);
    await noteCall('internal_error');
    return { error: { code: -32603, message: 'Internal error', data: { log: reference } } };
  }
}
