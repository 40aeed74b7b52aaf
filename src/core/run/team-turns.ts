// Which agent of a team gets the next turn of an unattended run.
//
//   first turn                        the coordinator
//   last turn ended with `working`    the same agent again
//   otherwise                         the addressee of the oldest unread message
//   nothing unread                    the coordinator
//
// An agent that has left a message unread in two turns is skipped once: the coordinator gets the
// turn instead, and is informed.

import { COORDINATOR } from '../team/caller.ts';
import type { Status } from '../team/state.ts';

export interface UnreadMessage {
  readonly id: number;
  /** The agent's name, without a model. */
  readonly to: string;
  readonly createdAt: string;
}

export interface PastTurn {
  readonly agent: string;
  readonly startedAt: string;
}

export interface TeamFacts {
  readonly status: Status;
  /** Oldest first. */
  readonly unread: readonly UnreadMessage[];
  /** Oldest first. */
  readonly turns: readonly PastTurn[];
}

export interface TeamTurn {
  readonly agent: string;
  /** The message that made it this agent's turn. */
  readonly message: number | null;
  /** Who left which message unread, for the coordinator. */
  readonly ignored: { readonly agent: string; readonly message: number } | null;
}

/** Turns in which an agent may leave the same message unread. */
const MAX_IGNORED = 2;

export function nextInTeam({ status, unread, turns }: TeamFacts): TeamTurn {
  const last = turns.at(-1);
  if (last === undefined) return coordinator(null);
  if (status === 'working') return { agent: last.agent, message: null, ignored: null };
  const [oldest] = unread;
  if (oldest === undefined) return coordinator(null);
  const { to: agent, id: message } = oldest;
  if (agent === COORDINATOR) return coordinator(message);
  if (timesIgnored(oldest, turns) >= MAX_IGNORED) {
    return { ...coordinator(null), ignored: { agent, message } };
  }
  return { agent, message, ignored: null };
}

function coordinator(message: number | null): TeamTurn {
  return { agent: COORDINATOR, message, ignored: null };
}

/** Counted since the coordinator's last turn, at which it may have been informed. */
function timesIgnored({ to, createdAt }: UnreadMessage, turns: readonly PastTurn[]): number {
  const from = turns.findLastIndex(({ agent }) => agent === COORDINATOR) + 1;
  return turns.slice(from).filter(({ agent, startedAt }) => agent === to && startedAt >= createdAt)
    .length;
}
