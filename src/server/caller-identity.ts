// Who speaks over a connection, and whose work it does. Over stdio that is settled once,
// at the start of the server: the stack is the client's own session where the client
// names one, so that a restarted server goes on with it; else it is this process's.

import type { Owner } from '../core/session/state.ts';
import { type Caller, identityOf, isCoordinator, readCaller } from '../core/team/caller.ts';
import { systemProcesses } from '../environment/process-identity.ts';

export interface CallerIdentity {
  readonly caller: Caller;
  /** Whose stack of work it is. */
  readonly owner: Owner;
}

export function stdioCaller(
  env: NodeJS.ProcessEnv,
  agent = env.SGAI_AGENT_IDENTITY,
): CallerIdentity {
  const caller = readCaller(agent);
  if (typeof caller === 'string') throw new Error(`The agent's identity cannot be used: ${caller}`);
  const process = systemProcesses.own();
  const session = env.CLAUDE_CODE_SESSION_ID?.trim().slice(0, 200);
  const identity = session ? `claude-code:${session}` : `process:${process}`;
  return { caller, owner: ownerNamed(identity, caller, process) };
}

let servers = 0;

/** Of a server made by the library: there may be several in a process, each with its stack. */
export function ownSpeaker(agent: string | undefined): CallerIdentity {
  const caller = readCaller(agent);
  if (typeof caller === 'string') throw new Error(`The agent's identity cannot be used: ${caller}`);
  servers += 1;
  const process = systemProcesses.own();
  return { caller, owner: ownerNamed(`process:${process}/${servers}`, caller, process) };
}

/**
 * The owner of a stack that is not an agent's own. The agents in one place have a stack
 * each; a caller without a name is the coordinator.
 */
export function ownerNamed(identity: string, caller: Caller, process: string): Owner {
  if (isCoordinator(caller)) return { identity, process };
  const agent = identityOf(caller);
  return { identity: `${identity}/${agent}`, agent, process };
}
