// An overview of the team. There is a team as soon as the project names agents, or agents have sent
// messages, kept todos or reported progress, or several of them run workflows.

import type { Agent } from '../core/team/agents.ts';
import { COORDINATOR } from '../core/team/caller.ts';
import { readAt } from '../core/team/inbox.ts';
import { modelsIn } from '../core/team/member.ts';
import { shownStatus, type Team } from '../core/team/state.ts';
import { isTeam } from './agent-names.ts';
import type { Run, TeamOverview } from './run.ts';

const MAX_PROGRESS = 20;

export function describeTeam(
  team: Team,
  agents: readonly Agent[],
  all: readonly Run[],
): TeamOverview | null {
  const runs = all.filter((run) => !hasOwnAgent(run));
  const names = new Set(agents.map(({ name }) => name));
  const atWork = new Set(
    runs.flatMap(({ agent, status }) =>
      agent !== null && status === 'active' ? [nameIn(agent)] : [],
    ),
  );
  const others = [...atWork].filter((name) => !names.has(name));
  if (others.length < 2 && !isTeam(team, agents)) return null;
  const modelsOf = modelsIn(agents);
  return {
    agents: [...names, ...others].map((name) => ({ name, does: doingOf(name, runs) })),
    status: shownStatus(team),
    task: team.task,
    messages: {
      total: team.messages.length,
      unread: team.messages.filter((message) => readAt(message, modelsOf) === null).length,
    },
    todos: team.todos.map(({ content, status }) => ({ text: content, status })),
    progress: team.notes.slice(-MAX_PROGRESS).map(({ at, agent, text }) => ({ at, agent, text })),
  };
}

/** `deepwork run` gives each workflow an agent of its own, with the run in its name. */
function hasOwnAgent({ agent, session_id }: Run): boolean {
  return agent?.endsWith(`|${session_id}`) === true;
}

/** The step of its newest run; null if it has none. */
function doingOf(name: string, runs: readonly Run[]): string | null {
  const own = runs.filter(({ agent, status }) => status === 'active' && nameIn(agent) === name);
  const newest = own.sort((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1))[0];
  return newest === undefined ? null : `${newest.workflow}: ${newest.step}`;
}

function nameIn(agent: string | null): string {
  return agent?.split('|', 1)[0] ?? COORDINATOR;
}
