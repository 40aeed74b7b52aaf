// The guard: no agent is done while its todos are pending. Decides which todos count for
// whom, and how a refusal names them.

import { type Refusal, refuse } from '../refusal.ts';
import { shownUpTo, singleSpaced } from '../wording.ts';
import { COORDINATOR } from './caller.ts';
import type { TeamMember } from './member.ts';
import type { Status, Team } from './state.ts';

/** A todo of the client itself, reduced to what the guard needs. */
export interface FileTodo {
  readonly content: string;
  readonly status: string;
  /** Null: of the whole team. */
  readonly agent: string | null;
}

interface Pending extends FileTodo {
  readonly place: 'file' | 'project';
}

/** Null if this caller may change to this status. */
export function guardRefusal(
  team: Team,
  by: TeamMember,
  status: Status,
  fileTodos: readonly FileTodo[],
): Refusal | null {
  if (status === 'working') return null;
  const pending = pendingTodos(team, by, status, fileTodos);
  if (pending.length === 0) return null;
  const rest = pending.length - MAX_SHOWN;
  const lines = [
    `Cannot transition to '${status}' with ${pending.length} pending TODO items. Please complete all TODO items first.`,
    ...pending.slice(0, MAX_SHOWN).map((todo) => lineOf(todo, by)),
    ...(rest > 0 ? [`… and ${rest} more`] : []),
  ];
  const canWrite = by.name === COORDINATOR || pending.every(({ place }) => place === 'file');
  return refuse('todos_pending', lines.join('\n'), canWrite ? null : ASK_COORDINATOR);
}

const ASK_COORDINATOR =
  'ask the coordinator with send_message to bring the project todos up to date; only it can change them.';

/** Each todo once. */
function pendingTodos(
  team: Team,
  by: TeamMember,
  status: Status,
  fileTodos: readonly FileTodo[],
): Pending[] {
  const isOwn = (agent: string) => isAssignedTo(agent, by);
  const leads = by.name === COORDINATOR;
  const inFile = fileTodos
    .filter(({ agent }) => agent === null || isOwn(agent))
    .map((todo): Pending => ({ ...todo, place: 'file' }));
  const inProject = team.todos
    .map((todo): Pending => ({ ...todo, agent: todo.agent ?? null, place: 'project' }))
    .filter(({ agent }) => status === 'complete' || (agent === null ? leads : isOwn(agent)));
  return [...inFile, ...inProject].filter((todo) => !ENDED.includes(todo.status));
}

/** Assigning work to a model (`name:model`, `name|model`) assigns it to its agent. */
function isAssignedTo(agent: string, { name }: TeamMember): boolean {
  return agent.split(/[:|]/, 1)[0]?.trim() === name;
}

const ENDED = ['completed', 'cancelled'];

// Twenty lines of this length fit into one error message.
const MAX_SHOWN = 20;
const MAX_CONTENT_LENGTH = 80;
const MAX_NAME_LENGTH = 40;

function lineOf({ content, status, agent, place }: Pending, by: TeamMember): string {
  const whose =
    agent === null
      ? place === 'file'
        ? "every agent's"
        : 'unassigned'
      : isAssignedTo(agent, by)
        ? 'yours'
        : `${oneLine(agent, MAX_NAME_LENGTH)}'s`;
  const kept = place === 'file' ? 'in todos of .sgai/state.json' : 'in the project todos';
  return `- ${oneLine(content, MAX_CONTENT_LENGTH) || '(no text)'} (${oneLine(status, MAX_NAME_LENGTH) || 'no status'}; ${whose}, ${kept})`;
}

function oneLine(text: string, max: number): string {
  return shownUpTo(singleSpaced(text.slice(0, max * 4)), max);
}
