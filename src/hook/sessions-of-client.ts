// Which open sessions are the work of the conversation that a hook speaks for. The server and the
// hook have the client's process in common: that holds in every client, also after `/clear` or
// `--continue`, when a client's id and the one that its server was given differ. Where the server
// is gone, the id tells, if the server had it; an agent that was launched is known by its name.
// Conversations of a client that names them with each call may share a process: there the id tells.

import { stackOf } from '../core/session/stack.ts';
import type { Session } from '../core/session/state.ts';
import type { Workspace } from '../engine/workspace.ts';
import { processIdHere } from '../environment/process/process-identity.ts';
import { ancestors, parentOf } from '../environment/process/processes.ts';
import type { HookCall, HookClient } from './hook-client.ts';

/** Every session that is open in the project. */
export async function activeSessions({ store, views }: Workspace): Promise<readonly Session[]> {
  const sessions: Session[] = [];
  for (const id of views.marks.list()) {
    const session = await store.load(id);
    if (session?.status === 'active') sessions.push(session);
    else if (session !== null || views.marks.isOld(id)) views.marks.remove(id);
  }
  return sessions;
}

/** Bottom to top; empty if nothing is open for this conversation. */
export function stackOfClient(
  sessions: readonly Session[],
  { identityPrefix, namesEachCall }: HookClient,
  { sessionId }: HookCall,
  env: NodeJS.ProcessEnv,
): readonly Session[] {
  const id =
    identityPrefix === null || sessionId === null ? null : `${identityPrefix}:${sessionId}`;
  const hasId = ({ owner }: Session) =>
    owner.identity === id || (id !== null && owner.identity.startsWith(`${id}/`));
  const agent = env.SGAI_AGENT_IDENTITY?.trim() || null;
  const hasName = ({ owner }: Session) => agent !== null && owner.identity === `agent:${agent}`;
  const mayBe = (session: Session) =>
    !namesEachCall || hasId(session) || !session.owner.identity.startsWith(`${identityPrefix}:`);
  const isBeside = isOfSameClient(ancestors().map(({ pid }) => pid));
  const beside = sessions.filter((session) => mayBe(session) && isBeside(session));
  const found = beside.find(hasId) ?? beside[0] ?? sessions.find(hasId) ?? sessions.find(hasName);
  return found === undefined ? [] : stackOf(sessions, found.owner.identity);
}

/** Whether the server of a session was started by a process that also led to this hook. */
function isOfSameClient(clients: readonly number[]): (session: Session) => boolean {
  return ({ owner }) => {
    const server = processIdHere(owner.process);
    const parent = server === null ? null : parentOf(server);
    return parent !== null && parent > 1 && clients.includes(parent);
  };
}
