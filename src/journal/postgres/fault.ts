// What an error of the driver means for the one who asked:
//
//   lost     the connection broke or was silent; what was sent may have been done
//   away     no connection came about, or the server is not ready: nothing was done, try again
//   refused  the server understood and said no, or never will say yes: trying again is no use
//
// Texts are for people and never hold credentials.

import { withoutSecrets } from './address.ts';

export interface Fault {
  readonly kind: 'lost' | 'away' | 'refused';
  readonly why: string;
  /** The five characters of PostgreSQL, or the system's word. */
  readonly code: string;
}

/** A statement that was not answered in time; its connection is given up. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly code = 'NO_ANSWER';
}

/** A connection that was closed before the server said anything. */
export class ClosedEarly extends Error {
  override readonly name = 'ClosedEarly';
  readonly code = 'CLOSED_EARLY';
}

/** Nothing was sent over a connection that never was. */
const NOT_CONNECTED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'its host is not known',
  EAI_AGAIN: 'its host cannot be looked up now',
  ENOENT: 'there is no such socket',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  CONNECT_TIMEOUT: 'no connection in time',
  CLOSED_EARLY: 'connections are closed at once',
};

/** The server says: not now. Nothing was done. */
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

/** The server ends the connection. */
const ENDED = new Set(['57P01', '57P02', '57P05']);

const UNIQUE_VIOLATION = '23505';

export function isUniqueViolation(error: unknown): boolean {
  return isFromServer(error) && error.code === UNIQUE_VIOLATION;
}

export function faultOf(error: unknown, url: string): Fault {
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

/** Other errors have no severity. */
function isFromServer(error: unknown): error is { readonly code: string } {
  const { severity, code } = error as { severity?: unknown; code?: unknown };
  return severity !== undefined && typeof code === 'string';
}
