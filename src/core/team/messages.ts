// Sending, offering, receiving, pruning. `decideSend` assigns a message's id in the event that stores
// it, so ids have no gaps and no repeats; a message is received only when the answer that contains
// it was written.

import { commit, refused, unchanged } from '../decision.ts';
import { isBlank } from '../invisible-characters.ts';
import { nearest } from '../nearest.ts';
import { refuse } from '../refusal.ts';
import { shown } from '../wording.ts';
import { agentOf, type ModelsOf, messagesBetween, readAt } from './inbox.ts';
import { openMailBudget } from './mail-budget.ts';
import { addresses, findAddress, type Roster, type TeamMember } from './member.ts';
import type { IsLost, Message, Offer, Team, TeamDecision } from './state.ts';

export const MAX_BODY_BYTES = 64 * 1024;

export interface SendCommand {
  readonly at: string;
  readonly by: TeamMember;
  readonly to: string;
  readonly body: string;
  readonly bodyBytes: number;
  readonly roster: Roster;
  readonly isLost: IsLost;
}

export interface Sent {
  /** The number of the event that stored it. */
  readonly seq: number;
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

export function decideSend(team: Team, command: SendCommand): TeamDecision<Sent> {
  const { at, by, to, body, bodyBytes, roster, isLost } = command;
  const from = by.reader;
  const address = findAddress(to, roster);
  if (address === null) {
    const valid = addresses(roster).join(', ');
    return refused(
      refuse(
        'agent_unknown',
        `Agent '${shown(to)}' is not in the workflow. Valid agents are: ${valid}`,
        `${howToJoin(to, roster)}${meantAgent(to, roster)}`,
      ),
    );
  }
  if (isSelf(from, to)) {
    return refused(refuse('message_to_self', `Agent '${from}' cannot send a message to itself.`));
  }
  if (isBlank(body)) return refused(refuse('message_empty', 'Message body is empty.'));
  if (bodyBytes > MAX_BODY_BYTES) {
    return refused(
      refuse(
        'message_too_long',
        `Message body is ${bodyBytes} bytes; the limit is ${MAX_BODY_BYTES}.`,
      ),
    );
  }
  for (const before of team.unanswered.values()) {
    if (before.kind !== 'sent' || before.by !== from || !isLost(before)) continue;
    const { id, ...message } = before.message;
    if (message.to === to && message.body === body) {
      return unchanged({ seq: before.seq, id, from, to, body });
    }
  }
  const id = team.lastMessageId + 1;
  const data = { by: by.name, id, from, to, inbox: address.inbox, body };
  return commit({ type: 'sent', at, data }, { seq: team.seq + 1, id, from, to, body });
}

/** With a leading space; empty if no name is close. */
function meantAgent(to: string, { agents }: Roster): string {
  const names = agents.map(({ name }) => name);
  const name = agentOf(to);
  const meant = names.includes(name) || isBlank(name) ? null : nearest(name, names);
  return meant === null ? '' : ` Or did you mean '${shown(meant)}'?`;
}

/** How to make an address valid depends on what defines the team. */
function howToJoin(to: string, { agents, source }: Roster): string {
  const name = agentOf(to);
  if (agents.some((agent) => agent.name === name)) {
    return `send it to one of these; models of '${shown(name)}' are those in the team definition.`;
  }
  switch (source) {
    case 'callers':
      return `list '${shown(name)}' under \`team.agents\` in \`.deepwork/config.yml\` (with everyone else who is in the team), or wait until it has called a team tool, such as check_inbox.`;
    case 'config':
      return `send it to one of these, or add '${shown(name)}' to \`team.agents\` in \`.deepwork/config.yml\`.`;
    case 'goal':
      return `send it to one of these, or add '${shown(name)}' to \`flow\` or \`models\` in GOAL.md.`;
  }
}

function isSelf(from: string, to: string): boolean {
  if (from === to) return true;
  const agent = agentOf(from);
  return agent === agentOf(to) && (agent === from || agent === to);
}

export interface OfferCommand {
  readonly at: string;
  readonly by: TeamMember;
  /** The process that will write the answer. */
  readonly holder: string;
  /** The number of an open offer whose holder is gone or silent. */
  readonly takes: number | null;
}

export interface OfferedMessage {
  readonly message: Message;
  readonly redelivered: boolean;
}

export type Offering =
  | { readonly kind: 'nothing' }
  /** Another call of this reader is being answered; wait for it. */
  | { readonly kind: 'busy'; readonly open: Offer }
  | {
      readonly kind: 'offered';
      /** The number of the offer's event. */
      readonly offer: number;
      readonly messages: readonly OfferedMessage[];
    };

export function decideOffer(team: Team, command: OfferCommand): TeamDecision<Offering> {
  const { at, by, holder, takes } = command;
  const reader = team.readers.get(by.reader);
  if (reader?.open && reader.open.seq !== takes) {
    return unchanged({ kind: 'busy', open: reader.open });
  }
  const cursor = reader?.cursor ?? 0;
  const messages = fitting(messagesBetween(team, by.reader, cursor, team.lastMessageId));
  const through = messages.at(-1)?.id;
  if (through === undefined) return unchanged({ kind: 'nothing' });
  const offeredBefore = reader?.offered ?? 0;
  return commit(
    {
      type: 'offered',
      at,
      data: {
        by: by.name,
        reader: by.reader,
        through,
        holder,
        takes: reader?.open?.seq ?? null,
      },
    },
    {
      kind: 'offered',
      offer: team.seq + 1,
      messages: messages.map((message) => ({
        message,
        redelivered: message.id <= offeredBefore,
      })),
    },
  );
}

/** The messages that fit into one answer; the rest comes with the next. */
function fitting(messages: readonly Message[]): Message[] {
  const budget = openMailBudget();
  const end = messages.findIndex(({ body }) => !budget.take(body));
  return end === -1 ? [...messages] : messages.slice(0, end);
}

export interface OfferEnd {
  readonly at: string;
  readonly reader: string;
  readonly offer: number;
  /** Whether the answer with the messages was written. */
  readonly delivered: boolean;
}

/** True if the offer was still the reader's open one. */
export function decideOfferEnd(team: Team, command: OfferEnd): TeamDecision<boolean> {
  const { at, reader, offer, delivered } = command;
  if (team.readers.get(reader)?.open?.seq !== offer) return unchanged(false);
  return commit({ type: delivered ? 'received' : 'returned', at, data: { reader, offer } }, true);
}

export interface PruneCommand {
  readonly at: string;
  readonly through: number;
  /** Also drop unread ones. */
  readonly unread: boolean;
  readonly modelsOf: ModelsOf;
}

/** Returns how many messages are dropped. */
export function decidePrune(team: Team, command: PruneCommand): TeamDecision<number> {
  const { at, through, unread, modelsOf } = command;
  const dropped: [number, number][] = [];
  let count = 0;
  for (const message of team.messages) {
    if (message.id > through) break;
    if (!unread && readAt(message, modelsOf) === null) continue;
    const last = dropped.at(-1);
    if (last?.[1] === message.id - 1) last[1] = message.id;
    else dropped.push([message.id, message.id]);
    count += 1;
  }
  return count === 0 ? unchanged(0) : commit({ type: 'pruned', at, data: { dropped } }, count);
}
