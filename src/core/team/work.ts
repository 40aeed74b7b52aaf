// Status, task, notes and todos, as agents report them. The guard (`todo-guard.ts`) prevents a
// finished status while todos are pending.

import { commit, refused, unchanged } from '../decision.ts';
import { refuse } from '../refusal.ts';
import { shown } from '../wording.ts';
import { COORDINATOR } from './caller.ts';
import type { TeamMember } from './member.ts';
import {
  type IsLost,
  type ShownStatus,
  type Status,
  shownStatus,
  type Team,
  type TeamDecision,
  type Todo,
} from './state.ts';
import { type FileTodo, guardRefusal } from './todo-guard.ts';

export interface UpdateCommand {
  readonly at: string;
  readonly by: TeamMember;
  /** Undefined: unchanged. */
  readonly status: string | undefined;
  readonly task: string | undefined;
  readonly note: string | undefined;
  /** The client's own todos in the state file. */
  readonly fileTodos: readonly FileTodo[];
  readonly isLost: IsLost;
}

export interface Updated {
  /** The number of the event. */
  readonly seq: number;
  readonly status: ShownStatus;
  readonly task: string;
  readonly note: string | null;
  readonly noteCount: number;
}

export function decideUpdate(team: Team, command: UpdateCommand): TeamDecision<Updated> {
  const { at, by, note: given = '', fileTodos } = command;
  const asked = command.status;
  const kept = asked === undefined;
  const allowed = allowedStatuses(by.name === COORDINATOR);
  const status = kept ? team.status : allowed.find((each) => each === asked);
  if (status === undefined) {
    return refused(
      refuse(
        'invalid_status',
        `Invalid status '${shown(asked ?? '')}'. Must be one of: ${allowed.join(', ')}`,
      ),
    );
  }
  const waiting = team.open.size > 0;
  // A call that only adds a note changes no status, so there is nothing to guard.
  const refusal = waiting || kept ? null : guardRefusal(team, by, status, fileTodos);
  if (refusal !== null) return refused(refusal);
  const ends = !waiting && !kept && status !== 'working';
  const task = ends ? '' : (command.task ?? team.task);
  const note = given === '' ? null : given;
  const data = { by: by.name, status: waiting || kept ? null : status, task, note };
  const result = { status: waiting ? shownStatus(team) : status, task, note };
  for (const before of team.unanswered.values()) {
    if (before.kind !== 'updated' || before.by !== by.name || !command.isLost(before)) continue;
    // Only a note could be recorded twice; an update without one is simply repeated.
    const wasOpen = before.status === null || data.status === null;
    if (before.note !== note || !(wasOpen || before.status === data.status)) continue;
    const known = { ...result, seq: before.seq, noteCount: team.noteCount };
    if (data.status === before.status || data.status === null) return unchanged(known);
    // A question was open at the first call, and none is now: the status counts.
    return commit({ type: 'updated', at, data: { ...data, note: null } }, known);
  }
  return commit(
    { type: 'updated', at, data },
    { ...result, seq: team.seq + 1, noteCount: team.noteCount + (note === null ? 0 : 1) },
  );
}

export function allowedStatuses(coordinator: boolean): readonly Status[] {
  return coordinator ? ['working', 'agent-done', 'complete'] : ['working', 'agent-done'];
}

export function decideTodos(command: {
  readonly at: string;
  readonly by: TeamMember;
  readonly todos: readonly Todo[];
}): TeamDecision<readonly Todo[]> {
  const { at, by, todos } = command;
  return commit({ type: 'todos_written', at, data: { by: by.name, todos } }, todos);
}

/** Names come from outside, so their number is limited. */
const MAX_CALLERS = 1000;

/** Records the name of a new caller. */
export function decideCalled(team: Team, at: string, name: string): TeamDecision<null> {
  if (team.callers.has(name) || team.callers.size >= MAX_CALLERS) return unchanged(null);
  return commit({ type: 'called', at, data: { by: name } }, null);
}
