// What only a person may do at a terminal: answer a question, trust a command, drop
// messages, repair the team's state, speak as the coordinator without having been started
// as it. An agent is turned away before anything is looked at.

import { COORDINATOR, readCaller } from '../core/team/caller.ts';
import { ancestors } from '../environment/processes.ts';
import { agentAmong, launchedAs, markIn } from './agent-marks.ts';

export const AGENTS_CANNOT = 4;

const OWN_TERMINAL = 'Ask your user to do it, in a terminal that no agent has opened.';

/** True if an agent was turned away, and told so. */
export function turnsAgentAway(deed: string): boolean {
  const sign = signOfAgent();
  if (sign === null) return false;
  process.stderr.write(`deepwork: agents cannot ${deed} (${sign}). ${OWN_TERMINAL}\n`);
  return true;
}

/** What shows that the caller is an agent, in words; null for a person. */
function signOfAgent(): string | null {
  const mark = markIn(process.env);
  if (mark !== null) return `${mark} is set`;
  const agent = agentAmong(ancestors());
  return agent === null ? null : `it was started by ${agent.name}, process ${agent.pid}`;
}

export function isPerson(): boolean {
  return signOfAgent() === null;
}

/** An agent that was not started by us and gives no name is not the person at this terminal. */
export function isUnnamedAgent(): boolean {
  return ownName() === null && signOfAgent() !== null;
}

/**
 * True if an agent was turned away that would speak as the coordinator. It may if it was
 * started as the coordinator; who was not started by us has no name here but the one that
 * it gives, and the coordinator's is not for the taking.
 */
export function turnsFalseCoordinatorAway(): boolean {
  const own = ownName();
  if (own !== null) return turnsOtherAgentAway();
  const sign = signOfAgent();
  if (sign === null) return false;
  process.stderr.write(
    `deepwork: agents cannot speak as the coordinator (${sign}). Use the tools of your MCP connection, or say who you are: --agent NAME.\n`,
  );
  return true;
}

/** True if an agent was turned away that was started under a name, and not the coordinator's. */
export function turnsOtherAgentAway(): boolean {
  const own = ownName();
  if (own === null || own === COORDINATOR) return false;
  process.stderr.write(
    `deepwork: agents cannot speak as the coordinator (this one was started as '${own}'). Say who you are: --agent ${own}\n`,
  );
  return true;
}

/** The name that this agent was started under; what a launch says beats the environment. */
function ownName(): string | null {
  const identity = launchedAs(ancestors()) ?? process.env.SGAI_AGENT_IDENTITY;
  if (identity === undefined) return null;
  const own = readCaller(identity);
  return typeof own === 'string' ? '' : own.name;
}

/** DEEPWORK_TRUST is a person's word to automation; an agent cannot give it to itself. */
export function ignoreTrustOfAgents(): void {
  if (process.env.DEEPWORK_TRUST === undefined) return;
  const sign = signOfAgent();
  if (sign === null) return;
  delete process.env.DEEPWORK_TRUST;
  process.stderr.write(`deepwork: DEEPWORK_TRUST is ignored: agents cannot trust (${sign}).\n`);
}
