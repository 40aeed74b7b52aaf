// A team of processes that share only one log, each with its own delay: decisions on old states,
// lost races, crashes between any two moves, answers that are written and answers that are not.
// Every commit is compared at once with a second, simple model: lists that are searched from end to
// end, no cursors, no indexes.

import { expect } from 'vitest';
import { agentOf } from '../../src/core/team/inbox.ts';
import type { Roster } from '../../src/core/team/member.ts';
import * as messages from '../../src/core/team/messages.ts';
import type { Team, TeamDecision, TeamEvent } from '../../src/core/team/state.ts';
import { teamViewOf } from '../../src/core/team/view.ts';
import { type Fold, foldTeam } from '../support/fold-team.ts';
import type { Random } from '../support/random.ts';

const MODELS: Readonly<Record<string, readonly string[]>> = { a: ['m1', 'm2'] };
const READERS = ['coordinator', 'a:m1', 'a:m2', 'b'] as const;
const ADDRESSES = ['coordinator', 'a', 'a:m1', 'a:m2', 'b'] as const;
const modelsOf = (agent: string) => MODELS[agent] ?? [];
const ROSTER: Roster = {
  agents: ['coordinator', 'a', 'b'].map((name) => ({
    name,
    models: modelsOf(name),
    command: null,
  })),
  source: 'config',
  currentModel: null,
};

interface Letter {
  readonly id: number;
  readonly to: string;
  dropped: boolean;
  readonly readBy: Set<string>;
  readonly offeredTo: Set<string>;
}

interface Marked {
  readonly id: number;
  readonly redelivered: boolean;
}

/** The second model. */
function createModel() {
  const letters: Letter[] = [];
  const openOffers = new Map<string, readonly number[]>();
  const isFor = ({ to }: Letter, reader: string) => to === reader || to === agentOf(reader);
  const isRead = ({ to, readBy }: Letter) =>
    MODELS[to]?.every((model) => readBy.has(`${to}:${model}`)) ?? readBy.size > 0;
  return {
    letters,
    isFor,
    canSend: (from: string, to: string) =>
      from !== to && !(agentOf(from) === agentOf(to) && !to.includes(':')),
    send(to: string): number {
      const id = letters.length + 1;
      letters.push({ id, to, dropped: false, readBy: new Set(), offeredTo: new Set() });
      return id;
    },
    /** What a check must find; null if another check is being answered. */
    check(reader: string, mayTakeOver: boolean): Marked[] | null {
      if (openOffers.has(reader) && !mayTakeOver) return null;
      return letters
        .filter((each) => !each.dropped && isFor(each, reader) && !each.readBy.has(reader))
        .map(({ id, offeredTo }) => ({ id, redelivered: offeredTo.has(reader) }));
    },
    offer(reader: string, ids: readonly number[]): void {
      openOffers.set(reader, ids);
      for (const id of ids) letters[id - 1]?.offeredTo.add(reader);
    },
    end(reader: string, received: boolean): void {
      if (received)
        for (const id of openOffers.get(reader) ?? []) letters[id - 1]?.readBy.add(reader);
      openOffers.delete(reader);
    },
    prune(through: number, unread: boolean): number {
      const gone = letters.filter(
        (each) => each.id <= through && !each.dropped && (unread || isRead(each)),
      );
      for (const letter of gone) letter.dropped = true;
      return gone.length;
    },
  };
}

interface Held {
  readonly reader: string;
  readonly offer: number;
  readonly found: readonly Marked[];
}

interface Process {
  name: string;
  fold: Fold;
  held: Held[];
}

/** How often something happened. */
export type Tally = Map<string, number>;

export function playMessages(random: Random, moves: number, tally: Tally): void {
  const log: TeamEvent[] = [];
  const model = createModel();
  const written: Held[] = [];
  let born = 0;
  let time = Date.UTC(2026, 0, 1);
  const now = () => new Date(time++).toISOString();
  const count = (what: string) => void tally.set(what, (tally.get(what) ?? 0) + 1);
  const start = (): Process => ({ name: `p${++born}`, fold: foldTeam(), held: [] });
  const processes = [start(), start(), start()];

  function catchUp(process: Process, upTo = log.length): void {
    for (let seq = process.fold.team.seq; seq < Math.min(upTo, log.length); seq++) {
      process.fold.apply(seq + 1, log[seq] as TeamEvent);
    }
  }

  /** Decides on the process's state, and again if the log has moved on. */
  function commit<Answer>(process: Process, decide: (team: Team) => TeamDecision<Answer>) {
    for (;;) {
      const { seq } = process.fold.team;
      const decision = decide(process.fold.team);
      if (seq !== log.length) {
        count('lost a race');
        catchUp(process);
        continue;
      }
      if (decision.kind === 'commit') {
        log.push(JSON.parse(JSON.stringify(decision.event)));
        if (random.chance(0.9)) process.fold.apply(seq + 1, decision.event);
      }
      return decision;
    }
  }

  function crash(process: Process): void {
    count('crash');
    Object.assign(process, start());
  }

  function send(process: Process): void {
    const from = random.pick(READERS);
    const to = random.pick(ADDRESSES);
    const by = { name: agentOf(from), reader: from };
    const text = { body: 'body', bodyBytes: 4 };
    const command = { at: now(), by, to, ...text, roster: ROSTER, isLost: () => false };
    const said = commit(process, (team) => messages.decideSend(team, command));
    expect(said.kind).toBe(model.canSend(from, to) ? 'commit' : 'refused');
    if (said.kind === 'commit') expect(said.answer.id).toBe(model.send(to));
    count(`send ${said.kind}`);
  }

  function check(process: Process, reader: string, force = false): void {
    const by = { name: agentOf(reader), reader };
    const holder = process.name;
    let takes: number | null = null;
    for (;;) {
      const command: messages.OfferCommand = { at: now(), by, holder, takes };
      const said = commit(process, (team) => messages.decideOffer(team, command));
      if (said.kind === 'refused') throw new Error('an offer is never refused');
      const { answer } = said;
      const expected = model.check(reader, takes !== null);
      if (answer.kind === 'busy') {
        expect(expected).toBeNull();
        const isGone = processes.every(({ name }) => name !== answer.open.holder);
        if (!isGone && !force && !random.chance(0.1)) {
          count('check waits');
          return;
        }
        takes = answer.open.seq;
        continue;
      }
      count(takes === null ? `check ${answer.kind}` : `check took over ${answer.kind}`);
      if (answer.kind === 'nothing') {
        expect(expected).toEqual([]);
        return;
      }
      const found = answer.messages.map(({ message, redelivered }) => ({
        id: message.id,
        redelivered,
      }));
      expect(found).toEqual(expected);
      model.offer(
        reader,
        found.map(({ id }) => id),
      );
      process.held.push({ reader, offer: answer.offer, found });
      return;
    }
  }

  function finish(process: Process, happy = false): void {
    const held = process.held.shift();
    if (held === undefined) return;
    const { reader, offer } = held;
    const delivered = happy || random.chance(0.7);
    if (delivered) written.push(held);
    if (!happy && random.chance(0.2)) {
      crash(process);
      return;
    }
    const command = { at: now(), reader, offer, delivered };
    const said = commit(process, (team) => messages.decideOfferEnd(team, command));
    if (said.kind !== 'commit') {
      count('an offer ended too late');
      return;
    }
    model.end(reader, delivered);
    count(delivered ? 'received' : 'returned');
  }

  function prune(process: Process): void {
    const through = random.below(model.letters.length + 2);
    const unread = random.chance(0.3);
    const command = { at: now(), through, unread, modelsOf };
    const said = commit(process, (team) => messages.decidePrune(team, command));
    const dropped = said.kind === 'refused' ? -1 : said.answer;
    expect(dropped).toBe(model.prune(through, unread));
    count('prune');
  }

  for (let move = 0; move < moves; move++) {
    const process = random.pick(processes);
    const choice = random.below(100);
    if (choice < 32) send(process);
    else if (choice < 57) check(process, random.pick(READERS));
    else if (choice < 81) finish(process);
    else if (choice < 87) crash(process);
    else if (choice < 91) prune(process);
    else catchUp(process, process.fold.team.seq + random.below(log.length + 1));
  }

  // Everyone stops: every reader reads all that is left for it.
  const last = processes[0] as Process;
  for (const process of processes) while (process.held.length > 0) finish(process, true);
  for (const reader of READERS) {
    check(last, reader, true);
    while (last.held.length > 0) finish(last, true);
  }
  for (const reader of READERS) {
    const got = written.filter((each) => each.reader === reader).flatMap(({ found }) => found);
    for (const letter of model.letters) {
      const times = got.filter(({ id }) => id === letter.id);
      const what = `message ${letter.id} for ${reader}`;
      if (!model.isFor(letter, reader)) expect(times, what).toEqual([]);
      else if (!letter.dropped) expect(times.length, what).toBeGreaterThan(0);
      // In one answer; every repetition is marked.
      expect(times.filter(({ redelivered }) => !redelivered).length, what).toBeLessThan(2);
    }
  }
  const fresh = foldTeam();
  for (const [index, event] of log.entries()) fresh.apply(index + 1, event);
  for (const process of processes) {
    catchUp(process);
    expect(teamViewOf(process.fold.team, modelsOf)).toEqual(teamViewOf(fresh.team, modelsOf));
  }
}
