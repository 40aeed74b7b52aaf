// Direct JSON-RPC methods: the guide tools, called by their own names on the same
// connection, before or without any handshake. They are answered in front of the SDK,
// which would rephrase their errors and demand an `initialize` first.

import { randomBytes } from 'node:crypto';
import { Refused } from '../core/refusal.ts';
import { identityOf } from '../core/team/caller.ts';
import type { Face } from '../operations/faces.ts';
import { findOperation } from '../operations/table.ts';
import type { Workspace } from '../operations/workspace.ts';
import { type Log, outcomeOf } from './log.ts';
import type { Message } from './message.ts';
import type { Speaker } from './speaker.ts';

/** Where a direct call comes from; nothing can be told or given up on the way. */
export interface DirectCall extends Speaker {
  readonly workspace: Workspace;
  readonly faces: readonly Face[];
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
  const operation = findOperation(method);
  if (operation?.face !== 'guides' || !faces.includes('guides')) {
    const data = { method: method.slice(0, 200) };
    return { error: { code: -32601, message: 'Method not found', data } };
  }
  const agent = identityOf(caller);
  const noteCall = (outcome: string) => {
    const milliseconds = performance.now() - began;
    log.call({ tool: method, agent, session: null, outcome, milliseconds, stack: [] });
  };
  try {
    const signal = new AbortController().signal;
    const nothing = () => {};
    const context = { workspace, owner, caller, signal, progress: nothing, afterAnswer: nothing };
    const result = await operation.run(context, operation.parse(params));
    noteCall(outcomeOf(result));
    return { result };
  } catch (error) {
    if (error instanceof Refused && typeof error.refusal.code === 'number') {
      const { code, message, data } = error.refusal;
      noteCall(String(code));
      return { error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
    const reference = randomBytes(4).toString('hex');
    log.fault(`${method} ${reference}`, error);
    noteCall('internal_error');
    return { error: { code: -32603, message: 'Internal error', data: { log: reference } } };
  }
}
