// Guards what only a person may do at a terminal: answer a question, trust a command, drop
// messages, repair the team's state, or speak as the coordinator without having been started
// as it. An agent is refused before anything is read.

import { COORDINATOR, readCaller } from '../../core/team/caller.ts';
import { ancestors } from '../../environment/process/processes.ts';
import { agentAmong, launchedAs, markIn } from './agent-marks.ts';

export const AGENTS_CANNOT = 4;

const OWN_TERMINAL = 'Ask your user to do it, in a terminal that no agent has opened.';

/** True if the caller is an agent; prints the refusal. */
export function refusesAgent(action: string): boolean {
  const sign = signOfAgent();
  if (sign === null) return false;
  process.stderr.write(`deepwork: agents cannot ${action} (${sign}). ${OWN_TERMINAL}\n`);
  return true;
}

/** The evidence that the caller is an agent, in words; null for a person. */
function signOfAgent(): string | null {
  const mark = markIn(process.env);
  if (mark !== null) return `${mark} is set`;
  const agent = agentAmong(ancestors());
  return agent === null ? null : `it was started by ${agent.name}, process ${agent.pid}`;
}

export function isPerson(): boolean {
  return signOfAgent() === null;
}

/** An agent that deepwork did not launch and that gives no name. */
export function isUnnamedAgent(): boolean {
  return ownName() === null && signOfAgent() !== null;
}

/**
 * True if an agent tries to speak as the coordinator without having been launched as it;
 * prints the refusal. An agent that deepwork did not launch has only the name it gives
 * itself, and it may not claim the coordinator's.
 */
export function refusesFalseCoordinator(): boolean {
  const own = ownName();
  if (own !== null) return refusesOtherAgent();
  const sign = signOfAgent();
  if (sign === null) return false;
  process.stderr.write(
    `deepwork: agents cannot speak as the coordinator (${sign}). Use the tools of your MCP connection, or say who you are: --agent NAME.\n`,
  );
  return true;
}

/** True if the agent was launched under a name other than the coordinator's; prints the refusal. */
export function refusesOtherAgent(): boolean {
  const own = ownName();
  if (own === null || own === COORDINATOR) return false;
  process.stderr.write(
    `deepwork: agents cannot speak as the coordinator (this one was started as '${own}'). Say who you are: --agent ${own}\n`,
  );
  return true;
}

/** The name this agent was launched under; the launch's own arguments beat the environment. */
function ownName(): string | null {
  const identity = launchedAs(ancestors()) ?? process.env.SGAI_AGENT_IDENTITY;
  if (identity === undefined) return null;
  const own = readCaller(identity);
  return typeof own === 'string' ? '' : own.name;
}

/** DEEPWORK_TRUST is for automation set up by a person; an agent must not set it itself. */
export function ignoreTrustOfAgents(): void {
  if (process.env.DEEPWORK_TRUST === undefined) return;
  const sign = signOfAgent();
  if (sign === null) return;
  delete process.env.DEEPWORK_TRUST;
  process.stderr.write(`deepwork: DEEPWORK_TRUST is ignored: agents cannot trust (${sign}).\n`);
}
