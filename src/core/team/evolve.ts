// Applies an event to a team, without checks: an event in the journal has happened. The cost
// of an event does not grow with the stream, except for `pruned`, which scans the remaining
// messages.

import { addTo } from '../groups.ts';
import { agentOf, messagesBetween } from './inbox.ts';
import {
  type Asked,
  type Delivery,
  type ImportedData,
  MAX_NOTES,
  type Message,
  type Note,
  type Question,
  type QuestionSet,
  type Reader,
  type Team,
  type TeamEvent,
  type Unanswered,
} from './state.ts';

/** The same objects, writable for the fold. */
interface OwnMessage extends Message {
  readonly readers: Delivery[];
  redelivered: boolean;
}

export interface OwnTeam extends Team {
  seq: number;
  status: Team['status'];
  task: string;
  notes: Note[];
  noteCount: number;
  todos: Team['todos'];
  messages: OwnMessage[];
  lastMessageId: number;
  inboxes: Map<string, OwnMessage[]>;
  outboxes: Map<string, OwnMessage[]>;
  readonly readers: Map<string, Reader>;
  readonly questions: Map<string, Question>;
  readonly open: Set<string>;
  readonly closed: string[];
  readonly sets: Map<number, QuestionSet>;
  readonly callers: Set<string>;
  process: string;
  readonly unanswered: Map<number, Unanswered>;
}

export function emptyTeam(): OwnTeam {
  return {
    seq: 0,
    status: 'working',
    task: '',
    notes: [],
    noteCount: 0,
    todos: [],
    messages: [],
    lastMessageId: 0,
    inboxes: new Map(),
    outboxes: new Map(),
    readers: new Map(),
    questions: new Map(),
    open: new Set(),
    closed: [],
    sets: new Map(),
    callers: new Set(),
    process: '',
    unanswered: new Map(),
  };
}

/** Applies one event to the team in place. Null: it is the first event. */
export function evolveTeam(team: Team | null, event: TeamEvent): Team {
  const grown = (team ?? emptyTeam()) as OwnTeam;
  grown.seq += 1;
  evolve(grown, event);
  return grown;
}

function evolve(team: OwnTeam, { type, at, data }: TeamEvent): void {
  if (data.process !== undefined) team.process = data.process;
  if (data.answered !== undefined) for (const seq of data.answered) team.unanswered.delete(seq);
  if ('by' in data && type !== 'answered' && type !== 'dismissed') team.callers.add(data.by);
  switch (type) {
    case 'imported':
      importState(team, at, data);
      return;
    case 'called':
    case 'answered_before':
      return;
    case 'updated':
      team.status = data.status ?? team.status;
      team.task = data.task;
      if (data.note !== null) {
        addNote(team, { at, agent: data.by, text: data.note });
        expectAnswer(team, { kind: 'updated', by: data.by, status: data.status, note: data.note });
      }
      return;
    case 'todos_written':
      team.todos = data.todos;
      return;
    case 'sent': {
      const { id, from, to, body } = data;
      const unread = { createdAt: at, readers: [], redelivered: false, readBeforeAt: null };
      const message: OwnMessage = { id, from, to, body, ...unread };
      store(team, data.inbox, message);
      expectAnswer(team, { kind: 'sent', by: from, message });
      return;
    }
    case 'offered': {
      const reader = readerOf(team, data.reader);
      for (const message of between(team, data.reader, reader.cursor, reader.offered)) {
        message.redelivered = true;
      }
      team.readers.set(data.reader, {
        cursor: reader.cursor,
        offered: Math.max(reader.offered, data.through),
        open: { seq: team.seq, through: data.through, holder: data.holder, at },
      });
      return;
    }
    case 'received': {
      const reader = readerOf(team, data.reader);
      if (reader.open?.seq !== data.offer) return;
      const { through } = reader.open;
      for (const message of between(team, data.reader, reader.cursor, through)) {
        message.readers.push({ reader: data.reader, at });
      }
      team.readers.set(data.reader, { ...reader, cursor: through, open: null });
      return;
    }
    case 'returned': {
      const reader = readerOf(team, data.reader);
      if (reader.open?.seq !== data.offer) return;
      team.readers.set(data.reader, { ...reader, open: null });
      return;
    }
    case 'asked':
      ask(team, at, data.asker, data.ids, data.questions);
      return;
    case 'answered': {
      const { id, choices, other, by, route } = data;
      close(team, id, { kind: 'answered', choices, other, by, route, at });
      return;
    }
    case 'dismissed':
      close(team, data.id, { kind: 'dismissed', by: data.by, route: data.route, at });
      return;
    case 'collected':
      team.sets.delete(data.set);
      return;
    case 'pruned':
      drop(team, data.dropped);
      return;
  }
}

/** A caller comes back soon or not at all, so older entries are dropped. */
const MAX_UNANSWERED = 64;

type Asking = Unanswered extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'seq' | 'process'>
    : never
  : never;

function expectAnswer(team: OwnTeam, asked: Asking): void {
  const { seq, process, unanswered } = team;
  unanswered.set(seq, { ...asked, seq, process } as Unanswered);
  const [oldest] = unanswered.keys();
  if (unanswered.size > MAX_UNANSWERED && oldest !== undefined) unanswered.delete(oldest);
}

const NEW_READER: Reader = { cursor: 0, offered: 0, open: null };

function readerOf(team: OwnTeam, name: string): Reader {
  return team.readers.get(name) ?? NEW_READER;
}

function between(team: OwnTeam, reader: string, after: number, through: number): OwnMessage[] {
  return messagesBetween(team, reader, after, through) as OwnMessage[];
}

/** Keeps up to twice as many as are shown, so that trimming is rare. */
function addNote(team: OwnTeam, note: Note): void {
  team.noteCount += 1;
  team.notes.push(note);
  if (team.notes.length > 2 * MAX_NOTES) team.notes.splice(0, MAX_NOTES);
}

function store(team: OwnTeam, inbox: string | null, message: OwnMessage): void {
  team.messages.push(message);
  team.lastMessageId = Math.max(team.lastMessageId, message.id);
  addTo(team.outboxes, message.from, message);
  if (inbox !== null) addTo(team.inboxes, inbox, message);
}

function ask(
  team: OwnTeam,
  at: string,
  asker: string,
  ids: readonly string[],
  questions: readonly Asked[],
): void {
  const set = team.seq;
  for (const [index, asked] of questions.entries()) {
    const id = ids[index] as string;
    const outcome = { kind: 'open' } as const;
    team.questions.set(id, { ...asked, id, set, askedBy: asker, askedAt: at, outcome });
    team.open.add(id);
  }
  team.sets.set(set, { id: set, asker, questions: ids });
}

function close(team: OwnTeam, id: string, outcome: Question['outcome']): void {
  const question = team.questions.get(id);
  if (question === undefined || !team.open.delete(id)) return;
  team.questions.set(id, { ...question, outcome });
  team.closed.push(id);
}

/** `dropped` is in order of id, like all messages. */
function drop(team: OwnTeam, dropped: readonly (readonly [number, number])[]): void {
  const left = (box: readonly OwnMessage[]) => {
    let run = 0;
    return box.filter(({ id }) => {
      while (run < dropped.length && (dropped[run]?.[1] ?? 0) < id) run += 1;
      return id < (dropped[run]?.[0] ?? Number.POSITIVE_INFINITY);
    });
  };
  const leftIn = (boxes: Map<string, OwnMessage[]>) =>
    new Map([...boxes].map(([name, box]) => [name, left(box)]));
  team.messages = left(team.messages);
  team.inboxes = leftIn(team.inboxes);
  team.outboxes = leftIn(team.outboxes);
}

function importState(team: OwnTeam, at: string, data: ImportedData): void {
  team.status = data.status;
  team.task = data.task;
  for (const note of data.notes) addNote(team, note);
  team.todos = data.todos;
  for (const given of data.messages) {
    const { created_at: createdAt, read_before_at: readBeforeAt, readers, ...message } = given;
    store(team, readBeforeAt === null ? message.to : null, {
      ...message,
      createdAt,
      readBeforeAt,
      readers: [...readers],
    });
    team.callers.add(agentOf(message.from));
  }
  for (const [name, cursor] of Object.entries(data.cursors)) {
    team.readers.set(name, { cursor, offered: cursor, open: null });
  }
  if (data.questions.length > 0) {
    const ids = data.questions.map((_, index) => `q-${index + 1}`);
    ask(team, at, 'coordinator', ids, data.questions);
  }
}
