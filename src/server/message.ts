// What a message must be before anything looks at what it asks for. The SDK leaves some
// broken ones without an answer; here each gets one, the same over stdio and over HTTP.

import { hasMoreValuesThan } from '../core/json-size.ts';
import { isDirect } from './direct-names.ts';

export type Message = Record<string, unknown>;

export type Read =
  | { readonly message: Message }
  | { readonly error: object; readonly id?: unknown };

/** An id is sent back with the answer. */
const MAX_ID_LENGTH = 1024;

/** The SDK calls itself for each level of a message, and must not run out of stack. */
const DEEPEST = 256;

/** Parsing more would keep everyone else waiting. A long text is one value. */
const MAX_VALUES = 200_000;

export function readMessage(text: string): Read {
  if (hasMoreValuesThan(MAX_VALUES, text)) {
    return { error: invalidRequest(`it must not have more than ${MAX_VALUES} values`) };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { error: { code: -32700, message: 'Parse error' } };
  }
  return judgeMessage(value);
}

/** The same for what is parsed already. */
export function judgeMessage(value: unknown): Read {
  if (Array.isArray(value)) return { error: invalidRequest('batches are not supported') };
  if (!isObject(value)) return { error: invalidRequest('not a JSON-RPC message') };
  const message: Message = value;
  const { id, method } = message;
  const params = withoutNulls(message);
  const refused = (error: object): Read => {
    const isRequest = 'method' in message || !('result' in message || 'error' in message);
    const known = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
    return isRequest && known ? { error, id } : { error };
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
  // Tools and direct methods say themselves which of their parameters is nested too deep.
  const judgesItself = method === 'tools/call' || isDirect(message);
  if (!judgesItself && isDeeperThan(DEEPEST, message)) {
    return refused(invalidRequest(`it must not be nested deeper than ${DEEPEST} levels`));
  }
  if (!('method' in message)) return { message };
  if (typeof method !== 'string') return refused(invalidRequest('method must be a string'));
  // The direct methods judge their parameters themselves.
  const reason = isDirect(message) ? null : wrongParams(params);
  if (reason !== null) {
    const error = invalidParams(...reason);
    return id === undefined ? { message: { jsonrpc: '2.0', method } } : { error, id };
  }
  // Members that JSON-RPC does not know would make the SDK drop the message.
  return {
    message: {
      jsonrpc: '2.0',
      ...(id === undefined ? {} : { id }),
      method,
      ...(params === undefined ? {} : { params }),
    },
  };
}

/**
 * Null counts as absent: for the parameters of every method, and for each of them where the
 * method is the protocol's, which has none that may be null.
 */
function withoutNulls(message: Message): unknown {
  const params = message.params ?? undefined;
  if (!isObject(params) || isDirect(message)) return params;
  const given = Object.entries(params);
  const kept = given.filter(([, value]) => value !== null);
  return kept.length === given.length ? params : Object.fromEntries(kept);
}

/** To a request whose id is no safe integer the SDK would give no answer. */
function isNumberedId(id: unknown, message: Message): boolean {
  return isDirect(message) ? Number.isFinite(id) : Number.isSafeInteger(id);
}

/** To requests of these shapes the SDK would give no answer at all. */
function wrongParams(params: unknown): readonly [field: string, reason: string] | null {
  if (params === undefined) return null;
  if (!isObject(params)) return ['params', 'must be an object'];
  const { _meta } = params;
  if (_meta === undefined) return null;
  if (!isObject(_meta)) return ['_meta', 'must be an object'];
  const { progressToken } = _meta;
  const fits = ['undefined', 'string'].includes(typeof progressToken);
  return fits || Number.isSafeInteger(progressToken)
    ? null
    : ['progressToken', 'must be a string or a whole number'];
}

/** Level by level, since a function that calls itself would run out of stack, too. */
function isDeeperThan(most: number, message: Message): boolean {
  let level: object[] = [message];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === most) return true;
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function invalidParams(field: string, reason: string) {
  const message = `Invalid params: ${field} ${reason}`;
  return { code: -32602, message, data: { field, reason } };
}

export function invalidRequest(reason: string): object {
  return { code: -32600, message: 'Invalid Request', data: { reason } };
}
