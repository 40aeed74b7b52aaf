// The messages of a team in pages, newest first: there may be tens of thousands.

import type { Agent } from '../core/team/agents.ts';
import { readAt } from '../core/team/inbox.ts';
import { modelsIn } from '../core/team/member.ts';
import type { Team } from '../core/team/state.ts';

export interface TeamMessage {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly at: string;
  readonly text: string;
  readonly read: boolean;
}

export interface MessagePage {
  /** Only messages older than this one; null: the newest. */
  readonly before: number | null;
  readonly limit: number;
}

export function pageOfMessages(
  { messages }: Pick<Team, 'messages'>,
  agents: readonly Agent[],
  { before, limit }: MessagePage,
): TeamMessage[] {
  const modelsOf = modelsIn(agents);
  const found: TeamMessage[] = [];
  for (let index = messages.length - 1; index >= 0 && found.length < limit; index--) {
    const message = messages[index];
    if (message === undefined || (before !== null && message.id >= before)) continue;
    const { id, from, to, createdAt: at, body: text } = message;
    found.push({ id, from, to, at, text, read: readAt(message, modelsOf) !== null });
  }
  return found;
}
