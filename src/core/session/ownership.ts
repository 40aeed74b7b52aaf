// Who owns a session, and who may continue it: the one rule that finding, taking over, repeating
// and listing all use.
//
//   caller is the owner itself                          own     continues
//   the owner's process is running                      alive   no one else may continue
//   same agent, and the process is gone                 open    taken over by any call
//   same agent, but it may still run elsewhere,         by_id   taken over only by its id
//     or works for an unattended run
//   another agent's, and the caller is the coordinator  by_id
//   another agent's, any other caller                   others  refused
//
// An agent is its name, whichever model it runs on; a client without a name is the coordinator, as
// everywhere in a team.

import { COORDINATOR } from '../team/caller.ts';
import type { Owner } from './state.ts';

/** `unknown`: it ran on another machine or in another container. */
export type Liveness = 'alive' | 'gone' | 'unknown';

/** The processes that act for owners, by names that are never reused, and whether they are alive. */
export interface Processes {
  /** The name of the current process. */
  own(): string;
  livenessOf(process: string): Liveness;
  /** Which process it is and where, for people. */
  describe(process: string): string;
  /**
   * True if an owner can lose its work while its process still runs, because its lease has
   * expired. Its later commits are then refused.
   */
  canLoseWork?(): boolean;
}

/** The identity that an unattended run's agents share, whatever their names. */
export function stackOfRun(runId: string): string {
  return `${RUN}${runId}`;
}

export function isOfRun({ identity }: Pick<Owner, 'identity'>): boolean {
  return identity.startsWith(RUN);
}

const RUN = 'run:';

export type Claim = 'own' | 'open' | 'by_id' | 'alive' | 'others';

export function claimOf(
  caller: Omit<Owner, 'process'>,
  owner: Omit<Owner, 'process'>,
  liveness: Liveness,
): Claim {
  if (caller.identity === owner.identity) return 'own';
  if (liveness === 'alive') return 'alive';
  if (agentKeyOf(caller) === agentKeyOf(owner) && liveness === 'gone') return 'open';
  const name = agentNameOf(caller);
  return name === COORDINATOR || name === agentNameOf(owner) ? 'by_id' : 'others';
}

/** `writer` of `writer|model|variant`; the coordinator if no name was given. */
export function agentNameOf({ agent = COORDINATOR }: Pick<Owner, 'agent'>): string {
  return agent.split('|', 1)[0] as string;
}

/** Equal for the same agent. The agents of an unattended run are one of their own. */
export function agentKeyOf(owner: Omit<Owner, 'process'>): string {
  return isOfRun(owner) ? owner.identity : agentNameOf(owner);
}
