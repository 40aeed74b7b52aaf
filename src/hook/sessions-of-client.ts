// Which open sessions belong to the conversation that a hook was called for. The server and the hook
// have the client's process in common; that holds for every client, even after `/clear` or
// `--continue`, when the client's id differs from the one that its server was given. If the server is
// gone, the id decides, if the server had it; a launched agent is known by its name. Conversations of
// a client that sends its id with each call may share a process: there the id decides.

import { isOfRun } from '../core/session/ownership.ts';
import { stackOf } from '../core/session/stack.ts';
import type { Session } from '../core/session/state.ts';
import { readCaller } from '../core/team/caller.ts';
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
  const caller = readCaller(agent);
  const hasName = ({ owner }: Session) =>
    agent !== null &&
    typeof caller !== 'string' &&
    (isOfRun(owner) ? owner.agent === agent : owner.identity === `agent:${caller.name}`);
  const mayBe = (session: Session) =>
    !namesEachCall || hasId(session) || !session.owner.identity.startsWith(`${identityPrefix}:`);
  const isSameClient = isOfSameClient(ancestors().map(({ pid }) => pid));
  const own = sessions.filter((session) => mayBe(session) && isSameClient(session));
  const found = own.find(hasId) ?? own[0] ?? sessions.find(hasId) ?? sessions.find(hasName);
  return found === undefined ? [] : stackOf(sessions, found.owner.identity);
}

/** Whether the server of a session was started by an ancestor of this hook. */
function isOfSameClient(clients: readonly number[]): (session: Session) => boolean {
  return ({ owner }) => {
    const server = processIdHere(owner.process);
    const parent = server === null ? null : parentOf(server);
    return parent !== null && parent > 1 && clients.includes(parent);
  };
}
