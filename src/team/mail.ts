// Messages between agents. A check of the inbox holds what it found until its answer is
// written; another check by the same reader, in any process, waits for that.

import { type Caller, COORDINATOR } from '../core/team/caller.ts';
import type { TeamMember } from '../core/team/member.ts';
import {
  decideOffer,
  decideOfferEnd,
  decidePrune,
  decideSend,
  type OfferedMessage,
  type Sent,
} from '../core/team/messages.ts';
import type { Message, Offer } from '../core/team/state.ts';
import type { AfterAnswer } from '../environment/answer-delivery.ts';
import type { TeamCommands } from './team-commands.ts';

export interface Mail {
  /** Recognizes a message sent again because its answer was lost. */
  send(caller: Caller, message: NewMessage, afterAnswer: AfterAnswer): Promise<SentMessage>;
  /** The messages this reader has not received yet, oldest first. */
  check(caller: Caller, signal: AbortSignal): Promise<Checked>;
  /** The messages this caller has sent, oldest first. */
  sentBy(caller: Caller): Promise<readonly Message[]>;
  /** All messages, oldest first. */
  all(caller: Caller): Promise<readonly Message[]>;
  prune(through: number, unread: boolean): Promise<number>;
}

interface NewMessage {
  readonly to: string;
  readonly body: string;
}

interface SentMessage {
  readonly sent: Sent;
  readonly member: TeamMember;
}

interface Checked {
  readonly messages: readonly OfferedMessage[];
  /** Called once the answer was written, or could not be. */
  end(delivered: boolean): Promise<void>;
}

/** Far longer than a running process needs to write an answer; then the offer can be taken over. */
const HELD_MS = 10_000;

/** The person at the terminal. */
const PERSON: Caller = { name: COORDINATOR, model: null, variant: null };

const NOTHING: Checked = { messages: [], end: async () => {} };

export function openMail(commands: TeamCommands): Mail {
  const { store, clock, processes } = commands;

  /** Refused if the definition of the team is broken: it is unclear then who gets which message. */
  async function enter(caller: Caller) {
    const { member, roster } = await commands.enter(caller);
    return { member, roster: roster() };
  }

  async function endOffer(reader: string, offer: number, delivered: boolean): Promise<void> {
    await store.load();
    // The offer is lost with the journal, and a refusal here would reach no one.
    if (store.lost) return;
    await commands.commit((team) =>
      decideOfferEnd(team, { at: clock(), reader, offer, delivered }),
    );
  }

  /** Until the offer has ended by itself, or can be taken over. */
  async function waitFor(reader: string, open: Offer, signal: AbortSignal): Promise<void> {
    const until = performance.now() + HELD_MS;
    while (processes.livenessOf(open.holder) !== 'gone') {
      const left = until - performance.now();
      if (left <= 0) return;
      const ended = await store.waitFor(
        (team) => (team.readers.get(reader)?.open?.seq === open.seq ? null : true),
        signal,
        Math.min(left, 500),
      );
      if (ended || signal.aborted) return;
    }
  }

  return {
    async send(caller, { to, body }, afterAnswer) {
      const { member, roster } = await enter(caller);
      const bodyBytes = Buffer.byteLength(body);
      const call = JSON.stringify(['send', member.reader, to, body]);
      return commands.inTurn(call, afterAnswer, async () => {
        const { isLost } = commands;
        const sent = await commands.commit((team) =>
          decideSend(team, { at: clock(), by: member, to, body, bodyBytes, roster, isLost }),
        );
        commands.expect(sent.seq, afterAnswer);
        return { sent, member };
      });
    },

    async check(caller, signal) {
      const { member } = await enter(caller);
      let takes: number | null = null;
      while (!signal.aborted) {
        const holder = processes.own();
        const offering = await commands.commit((team) =>
          decideOffer(team, { at: clock(), by: member, holder, takes }),
        );
        if (offering.kind === 'offered') {
          const { offer, messages } = offering;
          return { messages, end: (delivered) => endOffer(member.reader, offer, delivered) };
        }
        if (offering.kind === 'nothing') {
          await commands.note(caller);
          return NOTHING;
        }
        await waitFor(member.reader, offering.open, signal);
        takes = offering.open.seq;
      }
      return NOTHING;
    },

    async sentBy(caller) {
      const { name, reader } = (await enter(caller)).member;
      await commands.note(caller);
      const { outboxes } = store.team;
      const byName = outboxes.get(name) ?? [];
      if (reader === name) return byName;
      return [...byName, ...(outboxes.get(reader) ?? [])].sort((a, b) => a.id - b.id);
    },

    async all(caller) {
      await enter(caller);
      await commands.note(caller);
      return store.team.messages;
    },

    async prune(through, unread) {
      await enter(PERSON);
      return commands.commit((team) =>
        decidePrune(team, { at: clock(), through, unread, modelsOf: commands.modelsOf }),
      );
    },
  };
}
