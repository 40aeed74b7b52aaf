// Whether the team's one stream explains every answer. Its order is the order in which everything
// happened: each call can be put at a place in it, between its start and its end, where the answer is
// what the state was. So ids of messages and progress notes are counted one at a time, the todo list
// is one variable, an outbox shows what was sent and what was read, and an inbox gives everything
// after its cursor, in order, marked if it was offered before.

import { inboxOf } from '../team/support.ts';
import { type Epoch, newTeamEvents, teamAtStart } from './epochs.ts';
import { type CallRecord, effectiveEnd, type History } from './history.ts';
import type { Violation } from './violation.ts';

interface Message {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

interface Reader {
  /** How far it has read, and how far it was offered. */
  readonly cursor: number;
  readonly offered: number;
  /** The place of an offer that has not ended, and how far it goes. */
  readonly open: { readonly place: number; readonly through: number } | null;
}

/** After some of the events. */
interface State {
  readonly messages: readonly Message[];
  readonly readers: ReadonlyMap<string, Reader>;
  readonly notes: number;
  readonly todo: string;
}

/** A call, or an event. */
interface Act {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** After how many events it can have come; an event comes at its own place. */
  readonly places: readonly number[];
  readonly isEvent: boolean;
  readonly calls: readonly CallRecord[];
}

interface Look {
  readonly call: CallRecord;
  readonly isRight: (state: State, place: number) => boolean;
}

const UNREAD: Reader = { cursor: 0, offered: 0, open: null };
/** After this long, an offer can be made again even if its process lives. */
const HELD_MS = 10_000;

export function checkTeam(epoch: Epoch): Violation[] {
  const { history, whole, isLast } = epoch;
  const events = newTeamEvents(epoch);
  const states = statesOf(epoch);
  const at = (place: number) => states[place] as State;
  const violations: Violation[] = [];
  const report = (what: string, calls: readonly CallRecord[], ...trace: string[]) =>
    violations.push({ what, calls, trace });
  const last = at(states.length - 1);
  const known = at(0).messages.length;
  const acts: Act[] = [];
  const looks: Look[] = [];
  const endOf = (call: CallRecord) => effectiveEnd(history, call) ?? Number.POSITIVE_INFINITY;
  const calls = (tool: string) =>
    history.calls.filter((call) => call.tool === tool && !call.answer?.isError);

  /** An event that one of these calls caused. */
  function happens(name: string, place: number, causes: readonly CallRecord[]): void {
    const start = Math.min(...causes.map((call) => call.start));
    const answered = causes.filter(({ answer }) => answer !== null).map(endOf);
    const end = answered.length > 0 ? Math.min(...answered) : Math.max(...causes.map(endOf));
    acts.push({ name, start, end, places: [place], isEvent: true, calls: causes });
  }

  /** An answer that shows the state. */
  function sees(call: CallRecord, isRight: Look['isRight']): void {
    if (call.answer !== null) looks.push({ call, isRight });
  }

  const sends = byText(calls('send_message'), ({ args }) => args.body);
  for (const [index, { id, body }] of last.messages.slice(known).entries()) {
    const expected = (at(0).messages.at(-1)?.id ?? 0) + index + 1;
    if (id !== expected) report(`Message ${expected} has the id ${id}`, [], body);
    if (!sends.has(body)) report(`No call sent '${body}'`, [], body);
  }
  for (const [body, attempts] of sends) {
    const stored = last.messages.filter((message) => message.body === body);
    const says = (what: string) => report(`Message '${body}' ${what}`, attempts, body);
    for (const call of attempts) {
      const id = sentId(call);
      const isIt = (each: Message) =>
        each.id === id && each.from === call.agent && each.to === call.args.toAgent;
      if (id !== null && !stored.some(isIt))
        says(`was acknowledged as ${id} and is not in the journal`);
    }
    // Imported messages do not count: the state file does not say whose answer was lost.
    const times = epoch.final.team.filter(
      ({ type, data }) => type === 'sent' && data.body === body,
    );
    if (times.length > 1) says(`is stored ${times.length} times`);
    for (const [index, { type, data }] of events.entries()) {
      if (type === 'sent' && data.body === body) happens(`'${body}' is sent`, index + 1, attempts);
    }
  }

  const updates = byText(calls('update_workflow_state'), ({ args }) => args.addProgress);
  const oldNotes = new Set(teamAtStart(epoch).notes.map(({ text }) => text));
  for (const [note, attempts] of updates) {
    const places = [...events.keys()].filter((index) => {
      const { type, data } = events[index] as (typeof events)[number];
      return type === 'updated' && data.note === note;
    });
    const says = (what: string) => report(`Note '${note}' ${what}`, attempts, note);
    const isAnswered = attempts.some(({ answer }) => answer !== null);
    if (places.length > 1) says(`is in the journal ${places.length} times`);
    if (places.length === 0 && isAnswered && !oldNotes.has(note)) says('is not in the journal');
    for (const index of places) happens(`'${note}' is noted`, index + 1, attempts);
    const first = (places[0] ?? -1) + 1;
    for (const call of attempts) {
      const count = Number(/Total progress notes: (\d+)/.exec(call.answer?.text ?? '')?.[1]);
      // A repeat that was recognized is answered with a later number, also if the first call came
      // before the epoch.
      const isOnly = attempts.length === 1 && places.length === 1;
      sees(
        call,
        ({ notes }, place) => notes === count && (isOnly ? place === first : place >= first),
      );
    }
  }

  for (const [content, attempts] of byText(calls('project_todowrite'), todoIn)) {
    for (const [index, { type, data }] of events.entries()) {
      const isIt = type === 'todos_written' && data.todos[0]?.content === content;
      if (isIt) happens(`'${content}' is to be done`, index + 1, attempts);
    }
    for (const call of attempts) sees(call, ({ todo }) => todo === content);
  }
  for (const call of calls('project_todoread')) {
    const [, shown = ''] = /^→ . (.*) \(medium\)$/m.exec(call.answer?.text ?? '') ?? [];
    sees(call, ({ todo }) => todo === shown);
  }
  for (const call of calls('check_outbox')) {
    const shown = outboxIn(call.answer?.text ?? '');
    sees(call, (state) => isEqual(outboxOf(state, call.agent), shown));
  }

  const checks = calls('check_inbox');
  const readers = new Set(
    events.flatMap(({ type, data }) => (type === 'offered' ? data.reader : [])),
  );
  for (const reader of new Set([...readers, ...checks.map(({ agent }) => agent)])) {
    const mine = checks.filter(({ agent }) => agent === reader);
    const places = [...events.keys()].flatMap((index) => {
      const { type, data } = events[index] as (typeof events)[number];
      return type === 'offered' && data.reader === reader ? index + 1 : [];
    });
    const free = new Set(places);
    const causes = new Map<number, readonly CallRecord[]>();
    for (const call of [...mine].sort((one, other) => one.start - other.start)) {
      const given = inboxIn(call);
      if (given === null || given.length === 0) {
        sees(call, (state) => unread(state, reader).length === 0);
        continue;
      }
      const place = places.find((each) => free.has(each) && isEqual(offerAt(each, reader), given));
      if (place === undefined) {
        const ids = given.map(({ id }) => id);
        report(`No offer explains that ${reader} got ${ids}: ${call.answer?.text}`, [call]);
        continue;
      }
      free.delete(place);
      causes.set(place, [call]);
      const isEnded = states.some(({ readers: now }) => {
        const { cursor, open } = now.get(reader) ?? UNREAD;
        return open?.place !== place && cursor >= (given.at(-1)?.id ?? 0);
      });
      if (!isEnded && isLast && !history.kills.has(call.server)) {
        report(`What ${reader} got does not count as read`, [call]);
      }
    }
    const unknown = mine.filter(({ answer }) => answer === null);
    for (const place of places) {
      const by = causes.get(place) ?? unknown;
      const name = `messages up to ${events[place - 1]?.data.through} are offered to ${reader}`;
      if (by.length === 0) report(`No call asked that ${name}`, []);
      else happens(name, place, by);
      const before = at(place - 1).readers.get(reader)?.open;
      const holder = causes.get(before?.place ?? -1)?.[0];
      if (before && holder && goneAt(history, holder) > Math.max(...by.map(endOf))) {
        report(`Though their holder lives, ${name} again`, [holder, ...by]);
      }
    }
    const all = given(reader, whole);
    const missed = last.messages.filter(({ to, body }) => to === reader && !all.has(body));
    if (isLast && mine.length > 0 && missed.length > 0) {
      const ids = missed.map(({ id }) => id).join(', ');
      report(
        `${reader} never got message ${ids}`,
        [],
        ...missed.slice(0, 3).map(({ body }) => body),
      );
    }
  }

  const stuck = misplaced([...acts, ...placed(looks, acts, states)]);
  if (stuck !== null) {
    const beside = acts.filter(({ start, end }) => end >= stuck.start && start <= stuck.end);
    const involved = beside.slice(0, 8).flatMap((act) => act.calls);
    report(`There is no place in the team's stream for: ${stuck.name}`, [
      ...stuck.calls,
      ...involved,
    ]);
  }
  return violations;

  /** The messages of an offer as an answer shows them. */
  function offerAt(place: number, reader: string) {
    const { messages, readers: now } = at(place - 1);
    const { cursor, offered } = now.get(reader) ?? UNREAD;
    const { through } = (events[place - 1] as (typeof events)[number]).data;
    return messages
      .filter(({ to, id }) => to === reader && id > cursor && id <= through)
      .map(({ id, body }) => ({ id, redelivered: id <= offered, body }));
  }
}

/** Each answer with the places at which it is right, among those that its time allows. */
function placed(looks: readonly Look[], events: readonly Act[], states: readonly State[]): Act[] {
  return looks.map(({ call, isRight }) => {
    const [start, end] = [call.start, call.end as number];
    const before = events.filter((event) => event.end < start).map(({ places }) => places[0] ?? 0);
    const after = events.filter((event) => event.start > end).map(({ places }) => places[0] ?? 0);
    const places: number[] = [];
    const last = Math.min(states.length, ...after);
    for (let place = Math.max(0, ...before); place < last; place++) {
      if (isRight(states[place] as State, place)) places.push(place);
    }
    const name = `${call.client} ${call.tool} → ${call.answer?.text}`;
    return { name, start, end, places, isEvent: false, calls: [call] };
  });
}

/** An act for which there is no place after all that ended before it began, or null. */
function misplaced(acts: readonly Act[]): Act | null {
  let least = 0;
  let running: { readonly end: number; readonly next: number }[] = [];
  for (const act of [...acts].sort((one, other) => one.start - other.start)) {
    for (const { end, next } of running) if (end < act.start) least = Math.max(least, next);
    running = running.filter(({ end }) => end >= act.start);
    // An event has its place for itself; others can be at the same.
    const place = act.places.find((each) => (act.isEvent ? each > least : each >= least));
    if (place === undefined) return act;
    running.push({ end: act.end, next: place });
  }
  return null;
}

function statesOf(epoch: Epoch): State[] {
  const team = teamAtStart(epoch);
  const readers = [...team.readers].map(([name, { cursor, offered, open }]): [string, Reader] => [
    name,
    { cursor, offered, open: open && { place: -open.seq, through: open.through } },
  ]);
  let state: State = {
    messages: team.messages,
    readers: new Map(readers),
    notes: team.noteCount,
    todo: team.todos[0]?.content ?? '',
  };
  const states = [state];
  for (const [index, { type, data }] of newTeamEvents(epoch).entries()) {
    const reader = state.readers.get(data.reader) ?? UNREAD;
    const read = (now: Reader) => new Map(state.readers).set(data.reader, now);
    const isOpen = seqOf(epoch, reader) === data.offer;
    if (type === 'sent') state = { ...state, messages: [...state.messages, data] };
    else if (type === 'updated' && data.note !== null) state = { ...state, notes: state.notes + 1 };
    else if (type === 'todos_written') state = { ...state, todo: data.todos[0]?.content ?? '' };
    else if (type === 'offered') {
      const { through } = data;
      const offered = Math.max(reader.offered, through);
      state = {
        ...state,
        readers: read({ ...reader, offered, open: { place: index + 1, through } }),
      };
    } else if (type === 'received' && isOpen && reader.open !== null) {
      const cursor = reader.open.through;
      state = { ...state, readers: read({ ...reader, cursor, open: null }) };
    } else if (type === 'returned' && isOpen) {
      state = { ...state, readers: read({ ...reader, open: null }) };
    }
    states.push(state);
  }
  return states;
}

/** The number of the event of its open offer: places count from where the epoch began. */
function seqOf(epoch: Epoch, { open }: Reader): number | null {
  if (open === null) return null;
  return open.place < 0 ? -open.place : (newTeamEvents(epoch)[open.place - 1]?.seq ?? null);
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Unique texts, with the calls that sent them. */
function byText(
  calls: readonly CallRecord[],
  textOf: (call: CallRecord) => unknown,
): Map<string, CallRecord[]> {
  const found = new Map<string, CallRecord[]>();
  for (const call of calls) {
    const text = textOf(call);
    if (typeof text === 'string') found.set(text, [...(found.get(text) ?? []), call]);
  }
  return found;
}

/** The id in the answer to a send; null where there is none. */
function sentId({ answer }: CallRecord): number | null {
  const [, id] = /\(ID: (\d+)\)/.exec(answer?.text ?? '') ?? [];
  return id === undefined ? null : Number(id);
}

const todoIn = ({ args }: CallRecord) => (args.todos as { readonly content: string }[])[0]?.content;

const goneAt = ({ kills }: History, { server, start }: CallRecord) =>
  Math.min(kills.get(server) ?? Number.POSITIVE_INFINITY, start + HELD_MS);

function unread({ messages, readers }: State, reader: string): Message[] {
  const { cursor } = readers.get(reader) ?? UNREAD;
  return messages.filter(({ to, id }) => to === reader && id > cursor);
}

/** Null without an answer. */
function inboxIn({ answer }: CallRecord) {
  if (answer === null) return null;
  return inboxOf(answer.text).map(({ id, redelivered, body }) => ({ id, redelivered, body }));
}

function given(reader: string, { calls }: History): Set<string> {
  const answered = calls.filter(
    ({ agent, tool, answer }) => agent === reader && tool === 'check_inbox' && !answer?.isError,
  );
  return new Set(answered.flatMap((call) => inboxIn(call) ?? []).map(({ body }) => body));
}

/** Ids, in order: what is pending, and what was read. */
function outboxOf({ messages, readers }: State, agent: string): [number[], number[]] {
  const isRead = ({ id, to }: Message) => id <= (readers.get(to)?.cursor ?? 0);
  const mine = messages.filter(({ from }) => from === agent);
  const ids = (of: Message[]) => of.map(({ id }) => id);
  return [ids(mine.filter((each) => !isRead(each))), ids(mine.filter(isRead))];
}

function outboxIn(text: string): [number[], number[]] {
  const found: [number[], number[]] = [[], []];
  for (const [, isRead, id] of text.matchAll(
    /^ {2}\d+\. To: .*?(\| Read at .*? )?\| ID: (\d+)$/gm,
  )) {
    found[isRead === undefined ? 0 : 1].push(Number(id));
  }
  return [found[0].sort((a, b) => a - b), found[1].sort((a, b) => a - b)];
}
