// Rewords the SDK's errors. It answers requests that do not match its schemas with a JSON list of
// issues, and for some methods with the code of an internal error; and it refuses a method that does
// not exist without naming it.

import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { RPC_CODES } from '../operations/rpc-codes.ts';
import { invalidParams, methodNotFound } from './rpc-message.ts';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** Logs a fault; returns the reference to its log entry. */
export type LogFault = (method: string, error: unknown) => string;

interface Issue {
  readonly path: readonly (string | number)[];
  readonly expected?: string;
  readonly message: string;
}

export class PlainServer extends Server {
  /** Set after the SDK's constructor, which already registers handlers. */
  onFault: LogFault = () => '';

  override connect(transport: Transport): Promise<void> {
    // The SDK refuses an unknown method at once, so the last request is the one that is refused.
    let last = { id: null as unknown, method: '' };
    const { onmessage, send } = transport;
    transport.onmessage = (message, extra) => {
      onmessage?.(message, extra);
      if ('method' in message && 'id' in message) last = { id: message.id, method: message.method };
    };
    transport.send = (message, options) => {
      const isUnnamed =
        'error' in message &&
        message.error.code === RPC_CODES.method_not_found &&
        message.id === last.id;
      const named = isUnnamed ? { ...message, error: methodNotFound(last.method) } : message;
      return send.call(transport, named, options);
    };
    return super.connect(transport);
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        const issue = issueIn(error);
        if (issue !== null) throw asInvalidParams(issue);
        if (hasCode(error)) throw error;
        const data = { log: this.onFault(method, error) };
        throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error', data);
      }
    };
  }
}

/** Errors with a protocol code already describe themselves. */
function hasCode(error: unknown): boolean {
  return Number.isSafeInteger((error as { readonly code?: unknown } | null)?.code);
}

/** The first issue of the list in the message. */
function issueIn(error: unknown): Issue | null {
  if (!(error instanceof Error)) return null;
  const list = error.message.slice(error.message.indexOf('['));
  try {
    const [first] = JSON.parse(list) as Issue[];
    return Array.isArray(first?.path) && typeof first.message === 'string' ? first : null;
  } catch {
    return null;
  }
}

function asInvalidParams({ path, expected, message }: Issue): ProtocolError {
  const inside = path[0] === 'params' ? path.slice(1) : path;
  const field = inside.join('.') || 'params';
  const reason = message.endsWith('received undefined')
    ? 'is required'
    : `must be ${EXPECTED[expected ?? ''] ?? 'something else'}`;
  const error = invalidParams(field, reason);
  return new ProtocolError(error.code, error.message, error.data);
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};
