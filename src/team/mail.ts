// Messages between agents. A check of the inbox holds what it found until its answer is
// written; another check of the same reader, in whatever process, waits for that.

import { type Caller, COORDINATOR } from '../core/team/caller.ts';
import type { Member } from '../core/team/member.ts';
import {
  decideOffer,
  decideOfferEnd,
  decidePrune,
  decideSend,
  type OfferedMessage,
  type Sent,
} from '../core/team/messages.ts';
import type { Message, Offer } from '../core/team/state.ts';
import type { AfterAnswer } from '../environment/answers.ts';
import type { TeamCommands } from './team-commands.ts';

export interface Mail {
  /** Recognises a message that is sent again because its answer was lost. */
  send(caller: Caller, message: Letter, afterAnswer: AfterAnswer): Promise<Posted>;
  /** What this reader has not got yet, oldest first. */
  check(caller: Caller, signal: AbortSignal): Promise<Checked>;
  /** What this caller has sent, oldest first. */
  sentBy(caller: Caller): Promise<readonly Message[]>;
  /** All messages, oldest first. */
  all(caller: Caller): Promise<readonly Message[]>;
  prune(through: number, unread: boolean): Promise<number>;
}

interface Letter {
  readonly to: string;
  readonly body: string;
}

interface Posted {
  readonly sent: Sent;
  readonly member: Member;
}

interface Checked {
  readonly messages: readonly OfferedMessage[];
  /** To be called once the answer was written, or could not be. */
  end(delivered: boolean): Promise<void>;
}

/** A living process writes an answer in much less; who takes longer has lost its turn. */
const HELD_MS = 10_000;

/** A person at the terminal; it only matters who else there is. */
const NOBODY: Caller = { name: COORDINATOR, model: null, variant: null };

const NOTHING: Checked = { messages: [], end: async () => {} };

export function openMail(desk: TeamCommands): Mail {
  const { store, clock, processes } = desk;

  async function endOffer(reader: string, offer: number, delivered: boolean): Promise<void> {
    await store.load();
    // The offer is gone with the journal, and no one hears what is said here.
    if (store.lost) return;
    await desk.commit((team) => decideOfferEnd(team, { at: clock(), reader, offer, delivered }));
  }

  /** True when the offer can be taken over, false when it has ended by itself. */
  async function waitFor(reader: string, open: Offer, signal: AbortSignal): Promise<boolean> {
    const until = performance.now() + HELD_MS;
    while (processes.livenessOf(open.holder) !== 'gone') {
      const left = until - performance.now();
      if (left <= 0) return true;
      const ended = await store.waitFor(
        (team) => (team.readers.get(reader)?.open?.seq === open.seq ? null : true),
        signal,
        Math.min(left, 500),
      );
      if (ended || signal.aborted) return false;
    }
    return true;
  }

  return {
    async send(caller, { to, body }, afterAnswer) {
      const visit = await desk.enter(caller);
      const { member } = visit;
      const roster = visit.roster();
      const bodyBytes = Buffer.byteLength(body);
      const call = JSON.stringify(['send', member.reader, to, body]);
      return desk.inTurn(call, afterAnswer, async () => {
        const { isLost } = desk;
        const sent = await desk.commit((team) =>
          decideSend(team, { at: clock(), by: member, to, body, bodyBytes, roster, isLost }),
        );
        desk.expect(sent.seq, afterAnswer);
        return { sent, member };
      });
    },

    async check(caller, signal) {
      const visit = await desk.enter(caller);
      visit.roster();
      const { member } = visit;
      let takes: number | null = null;
      while (!signal.aborted) {
        const holder = processes.own();
        const offering = await desk.commit((team) =>
          decideOffer(team, { at: clock(), by: member, holder, takes }),
        );
        if (offering.kind === 'offered') {
          const { offer, messages } = offering;
          return { messages, end: (delivered) => endOffer(member.reader, offer, delivered) };
        }
        if (offering.kind === 'nothing') {
          await desk.note(caller);
          return NOTHING;
        }
        const { open } = offering;
        takes = (await waitFor(member.reader, open, signal)) ? open.seq : null;
      }
      return NOTHING;
    },

    async sentBy(caller) {
      const visit = await desk.enter(caller);
      visit.roster();
      const { name, reader } = visit.member;
      await desk.note(caller);
      const { outboxes } = store.team;
      const byName = outboxes.get(name) ?? [];
      if (reader === name) return byName;
      return [...byName, ...(outboxes.get(reader) ?? [])].sort((a, b) => a.id - b.id);
    },

    async all(caller) {
      const visit = await desk.enter(caller);
      visit.roster();
      await desk.note(caller);
      return store.team.messages;
    },

    async prune(through, unread) {
      (await desk.enter(NOBODY)).roster();
      return desk.commit((team) =>
        decidePrune(team, { at: clock(), through, unread, modelsOf: desk.modelsOf }),
      );
    },
  };
}
