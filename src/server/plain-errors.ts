// Rewords the SDK's errors for requests that do not match its schemas. The SDK answers them
// with a JSON list of issues, and for some methods with the code of an internal error.

import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { invalidParams } from './rpc-message.ts';

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
