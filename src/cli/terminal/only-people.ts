// Guards what only a person may do at a terminal: answer a question, trust a command, drop
// messages, repair the team's state, or speak as the coordinator without having been started
// as it. An agent is refused before anything is read.

import { COORDINATOR, readCaller } from '../../core/team/caller.ts';
import type { Io } from '../io.ts';
import { agentAmong, launchedAs, markIn } from './agent-marks.ts';

export const AGENTS_CANNOT = 4;

const OWN_TERMINAL = 'Ask your user to do it, in a terminal that no agent has opened.';

/** True if the caller is an agent; prints the refusal. */
export function refusesAgent(io: Io, action: string): boolean {
  const sign = signOfAgent(io);
  if (sign === null) return false;
  io.stderr.write(`deepwork: agents cannot ${action} (${sign}). ${OWN_TERMINAL}\n`);
  return true;
}

/** The evidence that the caller is an agent, in words; null for a person. */
function signOfAgent({ env, ancestors }: Io): string | null {
  const mark = markIn(env);
  if (mark !== null) return `${mark} is set`;
  const agent = agentAmong(ancestors());
  return agent === null ? null : `it was started by ${agent.name}, process ${agent.pid}`;
}

export function isPerson(io: Io): boolean {
  return signOfAgent(io) === null;
}

/** An agent that deepwork did not launch and that gives no name. */
export function isUnnamedAgent(io: Io): boolean {
  return ownName(io) === null && signOfAgent(io) !== null;
}

/**
 * True if an agent tries to speak as the coordinator without having been launched as it;
 * prints the refusal. An agent that deepwork did not launch has only the name it gives
 * itself, and it may not claim the coordinator's.
 */
export function refusesFalseCoordinator(io: Io): boolean {
  const own = ownName(io);
  if (own !== null) return refusesOtherAgent(io);
  const sign = signOfAgent(io);
  if (sign === null) return false;
  io.stderr.write(
    `deepwork: agents cannot speak as the coordinator (${sign}). Use the tools of your MCP connection, or say who you are: --agent NAME.\n`,
  );
  return true;
}

/** True if the agent was launched under a name other than the coordinator's; prints the refusal. */
export function refusesOtherAgent(io: Io): boolean {
  const own = ownName(io);
  if (own === null || own === COORDINATOR) return false;
  io.stderr.write(
    `deepwork: agents cannot speak as the coordinator (this one was started as '${own}'). Say who you are: --agent ${own}\n`,
  );
  return true;
}

/** The name this agent was launched under; the launch's own arguments beat the environment. */
function ownName({ env, ancestors }: Io): string | null {
  const identity = launchedAs(ancestors()) ?? env.SGAI_AGENT_IDENTITY;
  if (identity === undefined) return null;
  const own = readCaller(identity);
  return typeof own === 'string' ? '' : own.name;
}

/** DEEPWORK_TRUST is for automation set up by a person; an agent must not set it itself. */
export function ignoreTrustOfAgents(io: Io): void {
  if (io.env.DEEPWORK_TRUST === undefined) return;
  const sign = signOfAgent(io);
  if (sign === null) return;
  delete io.env.DEEPWORK_TRUST;
  io.stderr.write(`deepwork: DEEPWORK_TRUST is ignored: agents cannot trust (${sign}).\n`);
}
