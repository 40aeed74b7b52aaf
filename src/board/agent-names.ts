// How agents are named for people, the same everywhere. A client that gave no name is the
// coordinator, as everywhere in a team; if there is no other agent, it needs no name.

import { agentNameOf } from '../core/session/ownership.ts';
import type { Owner } from '../core/session/state.ts';
import { isAtTerminal, UNNAMED_AGENT } from '../core/session/terminal-caller.ts';
import type { Agent } from '../core/team/agents.ts';
import { COORDINATOR } from '../core/team/caller.ts';
import type { ArrivalId, Team } from '../core/team/state.ts';
import type { Run } from './run.ts';

export interface AgentNames {
  /** `name`, `name|model` or `name|model|variant`; null: it needs no name. */
  ofOwner(owner: Owner): string | null;
  /** The same for the name under which a question was asked. */
  ofAsker(asker: string | null): string | null;
}

/** `owners` are those of the active runs. */
export function agentNames(
  team: Team,
  agents: readonly Agent[],
  owners: readonly Owner[],
): AgentNames {
  const others = owners.some((owner) => agentNameOf(owner) !== COORDINATOR);
  const isAlone = !others && !isTeam(team, agents);
  return {
    ofOwner(owner) {
      const isNamed = owner.agent !== undefined && owner.agent !== UNNAMED_AGENT;
      if (isNamed) return owner.agent;
      return isAlone || isAtTerminal(owner) ? null : COORDINATOR;
    },
    ofAsker: (asker) => (isAlone && asker === COORDINATOR ? null : asker),
  };
}

/** Asks at an `approve`, after the last pass of a loop, and about weaker gates. */
const WORKFLOW = 'The workflow';

/** Who asked a question about this. An override is what the agent wants. */
export function nameOfAsker(
  about: ArrivalId | undefined,
  asker: string | null,
  names: AgentNames,
): string | null {
  const { grants = 'override' } = about ?? {};
  return grants === 'override' ? names.ofAsker(asker) : WORKFLOW;
}

/** The project names agents, or they have sent messages, kept todos or reported progress. */
export function isTeam(team: Team, agents: readonly Agent[]): boolean {
  const isQuiet = team.messages.length + team.todos.length + team.noteCount === 0;
  return !isQuiet || agents.some(({ name }) => name !== COORDINATOR);
}

/** The agent that works on a run: of an unattended one, that of its last turn; null if it needs no name. */
export function agentOfRun({
  agent,
  unattended,
}: Pick<Run, 'agent' | 'unattended'>): string | null {
  const ofTurn = unattended?.agent ?? null;
  return ofTurn === null ? agent : agentLabel(ofTurn);
}

const INTERPRETER = /^(?:\w*sh|node|deno|bun|python|ruby|perl)[\d.]*$/;

/** An agent of an unattended run: by its name, or, of a command, by the program or its script. */
export function agentLabel(agent: string): string {
  const [program = '', script = ''] = agent.trim().split(/\s+/);
  const isScript = INTERPRETER.test(nameIn(program)) && script !== '' && !script.startsWith('-');
  return nameIn(isScript ? script : program);
}

function nameIn(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}
