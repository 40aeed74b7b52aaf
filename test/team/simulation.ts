// A team of processes that share only one log, each with its own delay: decisions on old states,
// lost races, crashes between any two moves, answers that are written and answers that are not,
// people who answer twice. Every commit is compared with the reference at once.

import { expect } from 'vitest';
import { agentOf } from '../../src/core/team/inbox.ts';
import type { Roster } from '../../src/core/team/member.ts';
import * as messages from '../../src/core/team/messages.ts';
import * as questions from '../../src/core/team/questions.ts';
import {
  shownStatus,
  type Team,
  type TeamDecision,
  type TeamEvent,
} from '../../src/core/team/state.ts';
import { teamViewOf } from '../../src/core/team/view.ts';
import { type Fold, foldTeam } from '../support/fold-team.ts';
import type { Random } from '../support/random.ts';
import { ADDRESSES, createReference, type Marked, MODELS, READERS } from './reference.ts';

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

const ROSTER: Roster = {
  agents: ['coordinator', 'a', 'b'].map((name) => ({
    name,
    models: MODELS[name] ?? [],
    command: null,
  })),
  source: 'config',
  currentModel: null,
};
const modelsOf = (agent: string) => MODELS[agent] ?? [];
const TEXTS = ['Deploy now?', 'Which colour?', 'Keep the file?'];

export interface Tally {
  [what: string]: number;
}

export function simulate(random: Random, moves: number, tally: Tally): void {
  const log: TeamEvent[] = [];
  const reference = createReference();
  const written: { reader: string; found: readonly Marked[] }[] = [];
  let born = 0;
  let time = Date.UTC(2026, 0, 1);
  const now = () => new Date(time++).toISOString();
  const count = (what: string) => {
    tally[what] = (tally[what] ?? 0) + 1;
  };
  const start = (): Process => ({ name: `p${++born}`, fold: foldTeam(), held: [] });
  const processes = [start(), start(), start()];
  const sets = new Map<number, readonly string[]>();

  function catchUp(process: Process, upTo = log.length): void {
    for (let seq = process.fold.team.seq; seq < Math.min(upTo, log.length); seq++) {
      process.fold.apply(seq + 1, log[seq] as TeamEvent);
    }
  }

  /** Decides on the process's state, and again if the log has moved on. */
  function commit<Answer>(
    process: Process,
    decide: (team: Team) => TeamDecision<Answer>,
  ): TeamDecision<Answer> {
    for (;;) {
      const { seq } = process.fold.team;
      const decision = decide(process.fold.team);
      // Only the newest state counts: what needs no commit is looked up there as well.
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
    const body = `body ${log.length}`;
    const by = { name: agentOf(from), reader: from };
    const isLost = () => false;
    const command = { at: now(), by, to, body, bodyBytes: body.length, roster: ROSTER, isLost };
    const said = commit(process, (team) => messages.decideSend(team, command));
    expect(said.kind).toBe(reference.canSend(from, to) ? 'commit' : 'refused');
    if (said.kind === 'commit') expect(said.answer.id).toBe(reference.send(to, body));
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
      const expected = reference.check(reader, takes !== null);
      if (answer.kind === 'busy') {
        expect(expected).toBeNull();
        const gone = processes.every(({ name }) => name !== answer.open.holder);
        if (!gone && !force && !random.chance(0.1)) {
          count('check waits');
          return;
        }
        takes = answer.open.seq;
        continue;
      }
      const found =
        answer.kind === 'nothing'
          ? []
          : answer.messages.map(({ message, redelivered }) => ({ id: message.id, redelivered }));
      expect(found).toEqual(expected);
      count(takes === null ? `check ${answer.kind}` : `check took over ${answer.kind}`);
      if (answer.kind === 'nothing') return;
      reference.offer(
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
    const { reader, offer, found } = held;
    const delivered = happy || random.chance(0.7);
    if (delivered) written.push({ reader, found });
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
    if (delivered) reference.receive(reader);
    else reference.giveBack(reader);
    count(delivered ? 'received' : 'returned');
  }

  function prune(process: Process): void {
    const through = random.below(reference.letters.length + 2);
    const unread = random.chance(0.3);
    const command = { at: now(), through, unread, modelsOf };
    const said = commit(process, (team) => messages.decidePrune(team, command));
    const dropped = said.kind === 'refused' ? -1 : said.answer;
    expect(dropped).toBe(reference.prune(through, unread));
    count('prune');
  }

  function ask(process: Process): void {
    const asker = random.pick(['coordinator', 'coordinator:x']);
    const text = random.pick(TEXTS);
    const size = 1 + (text.length % 2);
    const asked = Array.from({ length: size }, (_, index) => ({
      question: `${text} ${index}`,
      choices: ['yes', 'no'],
      multiSelect: false,
    }));
    const command = { at: now(), by: 'coordinator', asker, questions: asked };
    const said = commit(process, (team) => questions.decideAsk(team, command));
    if (said.kind === 'refused') throw new Error(said.refusal.message);
    const { set, ids, attached } = said.answer;
    expect({ ids, attached }).toEqual(reference.ask(asker, text, size));
    sets.set(set, ids);
    count(attached ? 'attached' : 'asked');
  }

  function human(process: Process): void {
    const known = [...sets.values()].flat();
    if (known.length === 0) return;
    const id = random.pick(known);
    const by = `human ${log.length}`;
    const dismisses = random.chance(0.2);
    const kind = dismisses ? 'dismissed' : 'answered';
    const told = { id, by, route: 'terminal', at: now() };
    const given = { ...told, choices: ['yes'], other: null };
    const said = commit(process, (team) =>
      dismisses ? questions.decideDismiss(team, told) : questions.decideAnswer(team, given),
    );
    const first = reference.end(id, { kind, by });
    expect(said.kind).toBe(first ? 'commit' : 'refused');
    if (said.kind === 'refused')
      expect(said.refusal.message).toContain(reference.endings.get(id)?.by);
    count(first ? kind : 'answered too late');
  }

  function collect(process: Process): void {
    if (sets.size === 0) return;
    const [set, ids] = random.pick([...sets]);
    const said = commit(process, (team) => questions.decideCollect(team, { at: now(), set }));
    if (said.kind === 'refused') throw new Error('collecting is never refused');
    expect(said.answer).toBe(reference.collect(ids));
    count(said.answer ? 'collected' : 'not collected');
  }

  for (let move = 0; move < moves; move++) {
    const process = random.pick(processes);
    const choice = random.below(100);
    if (choice < 25) send(process);
    else if (choice < 45) check(process, random.pick(READERS));
    else if (choice < 65) finish(process);
    else if (choice < 70) crash(process);
    else if (choice < 73) prune(process);
    else if (choice < 79) ask(process);
    else if (choice < 87) human(process);
    else if (choice < 92) collect(process);
    else catchUp(process, process.fold.team.seq + random.below(log.length + 1));
  }

  // Everyone stops: every reader reads all that is left for it.
  const last = processes[0] as Process;
  for (const process of processes) while (process.held.length > 0) finish(process, true);
  for (const reader of READERS) {
    check(last, reader, true);
    while (last.held.length > 0) finish(last, true);
  }
  catchUp(last);
  expect(shownStatus(last.fold.team) === 'waiting-for-human').toBe(reference.isWaiting());
  checkLetters(reference, written);
  checkQuestions(last.fold.team, reference);
  const fresh = foldTeam();
  for (const [index, event] of log.entries()) fresh.apply(index + 1, event);
  for (const process of processes) {
    catchUp(process);
    expect(teamViewOf(process.fold.team, modelsOf)).toEqual(teamViewOf(fresh.team, modelsOf));
  }
}

type Written = readonly { readonly reader: string; readonly found: readonly Marked[] }[];

function checkLetters({ letters }: ReturnType<typeof createReference>, written: Written): void {
  for (const reader of READERS) {
    const got = written.filter((each) => each.reader === reader).flatMap(({ found }) => found);
    for (const { id, to, dropped } of letters) {
      const times = got.filter((each) => each.id === id);
      const isMine = to === reader || to === agentOf(reader);
      if (isMine && !dropped) expect(times.length, `message ${id}`).toBeGreaterThan(0);
      if (!isMine) expect(times).toEqual([]);
      // In one answer; every repetition is marked.
      const unmarked = times.filter(({ redelivered }) => !redelivered);
      expect(unmarked.length, `message ${id}`).toBeLessThan(2);
    }
  }
}

function checkQuestions(team: Team, { endings }: ReturnType<typeof createReference>): void {
  for (const { id, outcome } of team.questions.values()) {
    const ending = endings.get(id);
    expect(outcome.kind).toBe(ending?.kind ?? 'open');
    if (outcome.kind !== 'open') expect(outcome.by).toBe(ending?.by);
  }
}
