// Where a history is played: something that stores sessions and commits decisions. One shell keeps
// them in memory around the decider alone, the other in a journal.

import type { Refusal } from '../../src/core/refusal.ts';
import type { SessionDecision } from '../../src/core/session/events.ts';
import type { Owner, Session } from '../../src/core/session/state.ts';
import { type Actor, isNamed } from './calls.ts';

export interface Shell {
  /** Time, which also goes back: nothing may depend on it. */
  clock(): string;
  ownerOf(actor: Actor): Owner;
  /** The name in the history of a process that a session has on record. */
  nameOf(process: string): string;
  /** The session that a call concerns, adopted first if its owner is gone. */
  claim(actor: Actor, id: string | null): Promise<Session | Refusal>;
  load(id: string): Promise<Session | null>;
  /** Decides and commits; the session as it is then. */
  commit(
    actor: Actor,
    id: string,
    decide: (session: Session | null) => SessionDecision,
  ): Promise<Session | Refusal>;
  /** Bottom to top. */
  stack(owner: string): Promise<readonly Session[]>;
  die(process: string): Promise<void>;
  rebuild(): Promise<void>;
}

/** Slightly later at each reading, and sometimes an hour earlier. */
export function unsteadyClock(): () => string {
  let time = Date.UTC(2025, 0, 1);
  let readings = 0;
  return () => {
    readings += 1;
    time += readings % 5 === 0 ? -3_600_000 : 1;
    return new Date(time).toISOString();
  };
}

/** Owners called `named-…` are named agents, all others clients without a name. */
export function namedOwner(owner: string): Omit<Owner, 'process'> {
  return { identity: owner, ...(isNamed(owner) && { agent: owner }) };
}

export function isRefusal(result: object): result is Refusal {
  return 'code' in result;
}
