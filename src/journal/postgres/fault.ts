// Classifies errors of the driver:
//
//   lost     the connection broke or was silent; the statement may have been executed
//   away     no connection was made, or the server is not ready: nothing was executed, try again
//   refused  the server rejected it, or will never accept it: trying again is pointless
//
// Texts are for people and never contain credentials.

import { withoutSecrets } from './address.ts';

export interface DatabaseFault {
  readonly kind: 'lost' | 'away' | 'refused';
  readonly why: string;
  /** PostgreSQL's five characters, or the system's error code. */
  readonly code: string;
}

/** A statement was not answered in time; its connection is dropped. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly code = 'NO_ANSWER';
}

/** A connection was closed before the server sent anything. */
export class ClosedEarly extends Error {
  override readonly name = 'ClosedEarly';
  readonly code = 'CLOSED_EARLY';
}

/** No connection was made, so nothing was sent. */
const NOT_CONNECTED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'its host cannot be looked up now',
  ENOENT: 'there is no such socket',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  CONNECT_TIMEOUT: 'connecting timed out',
  CLOSED_EARLY: 'it closes connections at once',
};

/** The server cannot do it now; nothing was executed. */
const NOT_NOW = new Set([
  '57P03', // starting up, or shutting down
  '53300', // too many connections
  '53200', // out of memory
  '40001', // serialization
  '40P01', // deadlock
  '55P03', // lock not available
  '57014', // the statement took too long
  '25006', // read-only: a standby that has not taken over yet
]);

/** The server has ended the connection. */
const ENDED = new Set(['57P01', '57P02', '57P05']);

const UNIQUE_VIOLATION = '23505';

export function isUniqueViolation(error: unknown): boolean {
  return isFromServer(error) && error.code === UNIQUE_VIOLATION;
}

export function faultOf(error: unknown, url: string): DatabaseFault {
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  const why = withoutSecrets(message, url).slice(0, 300);
  if (isFromServer(error)) {
    if (ENDED.has(code) || code.startsWith('08')) return { kind: 'lost', code, why };
    if (NOT_NOW.has(code)) return { kind: 'away', code, why };
    return { kind: 'refused', code, why };
  }
  const notConnected = NOT_CONNECTED[code];
  if (notConnected !== undefined) return { kind: 'away', code, why: notConnected };
  if (code === 'NO_ANSWER') return { kind: 'lost', code, why: 'it does not answer' };
  if (code.startsWith('CONNECTION_')) return { kind: 'lost', code, why: 'the connection broke' };
  if (LOST_BY_SYSTEM.has(code)) return { kind: 'lost', code, why: `the connection broke, ${code}` };
  return { kind: 'refused', code, why };
}

const LOST_BY_SYSTEM = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNABORTED', 'EPROTO']);

/** Only errors of the server have a severity. */
function isFromServer(error: unknown): error is { readonly code: string } {
  const { severity, code } = error as { severity?: unknown; code?: unknown };
  return severity !== undefined && typeof code === 'string';
}
