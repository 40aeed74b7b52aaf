// Who gets a message, who has it, and what is unread: found from a cursor in the list of one
// address, never by scanning all messages.

import type { Message, Team } from './state.ts';

/** Models of an agent that are in use, as in `agent:model`; empty if none are. */
export type ModelsOf = (agent: string) => readonly string[];

/** `name:model` → `name` */
export function agentOf(address: string): string {
  const colon = address.indexOf(':');
  return colon === -1 ? address : address.slice(0, colon);
}

/** Messages to this reader with ids in (after, through], oldest first. */
export function messagesBetween(
  team: Team,
  reader: string,
  after: number,
  through: number,
): Message[] {
  if (through <= after) return [];
  const own = tail(team.inboxes.get(reader), after, through);
  const agent = agentOf(reader);
  if (agent === reader) return own;
  const shared = tail(team.inboxes.get(agent), after, through);
  return [...own, ...shared].sort((a, b) => a.id - b.id);
}

function tail(box: readonly Message[] | undefined, after: number, through: number): Message[] {
  if (box === undefined) return [];
  return box.slice(firstAfter(box, after), firstAfter(box, through));
}

/** The index of the first message with a greater id. */
function firstAfter(box: readonly Message[], id: number): number {
  let low = 0;
  let high = box.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((box[middle] as Message).id <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** When it became read: by every configured model or, without models, by anyone. */
export function readAt(message: Message, modelsOf: ModelsOf): string | null {
  if (message.readBeforeAt !== null) return message.readBeforeAt;
  const { readers, to } = message;
  if (readers.length === 0) return null;
  const models = modelsOf(to);
  if (models.length === 0) return readers[0]?.at ?? null;
  // Readers are in the order of receipt, whatever the clocks said.
  let last = 0;
  for (const model of models) {
    const at = readers.findIndex(({ reader }) => reader === `${to}:${model}`);
    if (at === -1) return null;
    last = Math.max(last, at);
  }
  return readers[last]?.at ?? null;
}
