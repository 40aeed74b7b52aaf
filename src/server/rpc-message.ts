// Validates a message before anything interprets it. The SDK leaves some invalid ones without
// an answer; here each gets one, the same over stdio and HTTP.

import { isRecord } from '../core/is-record.ts';
import { hasMoreValuesThan } from '../core/json-size.ts';
import { RPC_CODES } from '../operations/rpc-codes.ts';
import { isDirect } from './direct-names.ts';

export type RpcMessage = Record<string, unknown>;

export type ReadMessage =
  | { readonly message: RpcMessage }
  | { readonly error: object; readonly id?: string | number };

/** An id is sent back with the answer, so its length is limited. */
const MAX_ID_LENGTH = 1024;

/** The SDK recurses into a message and must not exhaust the stack. */
const MAX_DEPTH = 256;

/** Parsing more would block everything else. A long text is one value. */
const MAX_VALUES = 200_000;

export function readMessage(text: string): ReadMessage {
  if (hasMoreValuesThan(MAX_VALUES, text)) {
    return { error: invalidRequest(`it must not have more than ${MAX_VALUES} values`) };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { error: { code: RPC_CODES.parse_error, message: 'Parse error' } };
  }
  return judgeMessage(value);
}

/** The same for a message that is already parsed. */
export function judgeMessage(value: unknown): ReadMessage {
  if (Array.isArray(value)) return { error: invalidRequest('batches are not supported') };
  if (!isRecord(value)) return { error: invalidRequest('not a JSON-RPC message') };
  const message: RpcMessage = value;
  const { id, method } = message;
  const params = withoutNulls(message);
  const refused = (error: object): ReadMessage => {
    const isRequest = 'method' in message || !('result' in message || 'error' in message);
    return isRequest && isId(id) ? { error, id } : { error };
  };
  if (message.jsonrpc !== '2.0') return refused(invalidRequest('jsonrpc must be "2.0"'));
  if (id !== undefined && typeof id !== 'string' && !isNumberedId(id, message)) {
    const whole = isDirect(message) ? '' : 'whole ';
    return refused(invalidRequest(`id must be a string or a ${whole}number`));
  }
  if (typeof id === 'string' && id.length > MAX_ID_LENGTH) {
    return refused(invalidRequest(`id must have at most ${MAX_ID_LENGTH} characters`));
  }
  if (!('method' in message) && !('result' in message) && !('error' in message)) {
    return refused(invalidRequest('method is missing'));
  }
  // Tools and direct methods report themselves which parameter is nested too deeply.
  const checksItself = method === 'tools/call' || isDirect(message);
  if (!checksItself && isDeeperThan(MAX_DEPTH, message)) {
    return refused(invalidRequest(`it must not be nested deeper than ${MAX_DEPTH} levels`));
  }
  if (!('method' in message)) return { message };
  if (typeof method !== 'string') return refused(invalidRequest('method must be a string'));
  const reason = wrongParams(params);
  if (reason !== null) {
    const error = invalidParams(...reason);
    return id === undefined ? { message: { jsonrpc: '2.0', method } } : refused(error);
  }
  // The SDK would drop a message with members that JSON-RPC does not define.
  return {
    message: {
      jsonrpc: '2.0',
      ...(id === undefined ? {} : { id }),
      method,
      ...(params === undefined ? {} : { params }),
    },
  };
}

/** The id to answer a request with; null if it cannot be read, or nothing was requested. */
export function requestIdOf(read: ReadMessage): string | number | null {
  if ('error' in read) return read.id ?? null;
  const { method, id } = read.message;
  return method !== undefined && isId(id) ? id : null;
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}

/**
 * Null counts as absent: for the params of every method, and for each parameter of the
 * protocol's own methods, none of which may be null.
 */
function withoutNulls(message: RpcMessage): unknown {
  const params = message.params ?? undefined;
  if (!isRecord(params) || isDirect(message)) return params;
  const given = Object.entries(params);
  const kept = given.filter(([, value]) => value !== null);
  return kept.length === given.length ? params : Object.fromEntries(kept);
}

/** The SDK would not answer a request whose id is not a safe integer. */
function isNumberedId(id: unknown, message: RpcMessage): boolean {
  return isDirect(message) ? Number.isFinite(id) : Number.isSafeInteger(id);
}

/** What any method's params must be. The SDK would not answer requests with others at all. */
function wrongParams(params: unknown): readonly [field: string, reason: string] | null {
  if (params === undefined) return null;
  if (!isRecord(params)) return ['params', 'must be an object'];
  const _meta = params._meta ?? {};
  if (!isRecord(_meta)) return ['_meta', 'must be an object'];
  const { progressToken } = _meta;
  const fits = ['undefined', 'string'].includes(typeof progressToken);
  return fits || Number.isSafeInteger(progressToken)
    ? null
    : ['progressToken', 'must be a string or a whole number'];
}

/** Level by level, since recursion could exhaust the stack, too. */
function isDeeperThan(max: number, message: RpcMessage): boolean {
  let level: object[] = [message];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === max) return true;
    const next: object[] = [];
    for (const value of level) {
      for (const inner of Object.values(value)) {
        if (typeof inner === 'object' && inner !== null) next.push(inner);
      }
    }
    level = next;
  }
  return false;
}

export function invalidParams(field: string, reason: string) {
  const message = `Invalid params: ${field} ${reason}`;
  return { code: RPC_CODES.invalid_params, message, data: { field, reason } };
}

export function methodNotFound(method: string) {
  const data = { method: method.slice(0, 200) };
  return { code: RPC_CODES.method_not_found, message: 'Method not found', data };
}

export function invalidRequest(reason: string): object {
  return { code: RPC_CODES.invalid_request, message: 'Invalid Request', data: { reason } };
}
