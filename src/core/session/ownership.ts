// Whose work a session is, and who may go on with it: the one rule that finding, taking
// over, repeating and listing all use.
//
//   the owner itself                                own     goes on
//   the owner's process is running                  alive   no one else may
//   gone, left by the same agent                    open    taken over by any call
//   left by the same agent, but maybe running       by_id   taken over only by its id
//     elsewhere, or on another model of it
//   left by another agent, for the coordinator      by_id
//   left by another agent, for anyone else          others  refused
//
// A client without a name is the coordinator, as everywhere in a team.

import { COORDINATOR } from '../team/caller.ts';
import type { Owner } from './state.ts';

/** `unknown`: it ran on another machine or in another container; no one here can tell. */
export type Liveness = 'alive' | 'gone' | 'unknown';

/** Who acts for owners, by names that outlive them, and whether they still do. */
export interface Processes {
  /** The name of the one that asks. */
  own(): string;
  livenessOf(process: string): Liveness;
  /** Which one it is and where, in words. */
  describe(process: string): string;
  /**
   * True: an owner can lose its work while its process runs, because it is alive only as long as
   * its lease is. What it still commits for that work is refused.
   */
  canLoseWork?(): boolean;
}

export type Claim = 'own' | 'open' | 'by_id' | 'alive' | 'others';

export function claimOf(
  caller: Omit<Owner, 'process'>,
  owner: Omit<Owner, 'process'>,
  liveness: Liveness,
): Claim {
  if (caller.identity === owner.identity) return 'own';
  if (liveness === 'alive') return 'alive';
  const isSame = isSameAgent(caller, owner);
  if (isSame && liveness === 'gone') return 'open';
  const name = agentNameOf(caller);
  const mayNameIt = isSame || name === COORDINATOR || name === agentNameOf(owner);
  return mayNameIt ? 'by_id' : 'others';
}

/** `writer` of `writer|model|variant`; the coordinator where no name was given. */
export function agentNameOf({ agent = COORDINATOR }: Pick<Owner, 'agent'>): string {
  return agent.split('|', 1)[0] as string;
}

/** What equal agents have in common, with or without a name. */
export function agentKeyOf({ agent = COORDINATOR }: Pick<Owner, 'agent'>): string {
  return agent;
}

function isSameAgent(caller: Pick<Owner, 'agent'>, owner: Pick<Owner, 'agent'>): boolean {
  if (agentKeyOf(caller) === agentKeyOf(owner)) return true;
  return owner.agent === undefined && agentNameOf(caller) === COORDINATOR;
}
