// Everything over HTTP that a stranger could make grow has a bound, and this is the list.

export interface HttpLimits {
  /** One request's body. */
  readonly bodyBytes: number;
  /** All bodies that are being received or worked on, beyond a small part of each. */
  readonly allBodyBytes: number;
  /** Requests that have not been answered, streams included. */
  readonly requests: number;
  /** Sessions of the handshake era, at one time. */
  readonly sessions: number;
  /** A session that nobody used for so long is over. */
  readonly idleMs: number;
  /** Streams that clients of the oldest era hold open. */
  readonly eventStreams: number;
  /** What a client may leave unread on a stream before it is let go. */
  readonly unreadBytes: number;
  /** What all clients together may leave unread, before the one with the most is let go. */
  readonly allUnreadBytes: number;
  /** How long a whole answer may wait to be read. */
  readonly unreadMs: number;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly connections: number;
  /** Calls of one connection of the oldest era, which need not wait for their answers. */
  readonly callsOfStream: number;
  readonly launches: number;
}

const MIB = 1024 * 1024;

export const LIMITS: HttpLimits = {
  bodyBytes: 10 * MIB,
  allBodyBytes: 64 * MIB,
  requests: 2048,
  sessions: 1000,
  idleMs: 30 * 60 * 1000,
  eventStreams: 256,
  unreadBytes: 8 * MIB,
  allUnreadBytes: 64 * MIB,
  unreadMs: 30_000,
  headersMs: 5000,
  requestMs: 30_000,
  connections: 2048,
  callsOfStream: 256,
  launches: 256,
};
