// All limits on what a stranger could make grow over HTTP.

export interface HttpLimits {
  /** One request's body. */
  readonly bodyBytes: number;
  /** All bodies being received or processed, except a small part of each. */
  readonly allBodyBytes: number;
  /** Requests without a complete answer, including streams. */
  readonly requests: number;
  /** Simultaneous sessions of the handshake era. */
  readonly sessions: number;
  /** A session unused for this long is over. */
  readonly idleMs: number;
  /** Streams that clients of the oldest era hold open. */
  readonly eventStreams: number;
  /** Unread bytes on a stream before its client is disconnected. */
  readonly unreadBytes: number;
  /** Unread bytes of all clients before the one with the most is disconnected. */
  readonly allUnreadBytes: number;
  /** How long a complete answer may wait to be read. */
  readonly unreadMs: number;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly connections: number;
  /** Unanswered calls of one connection of the oldest era. */
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
