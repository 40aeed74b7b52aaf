// Reads a state file that others wrote: the client's own todos and model, and, for a workspace
// without a journal, everything to be imported. Values of an unexpected shape are skipped; the
// caller keeps a copy of the file.
//
// The file may have come with a repository, so everything is bounded: no more, longer or later
// than the team itself could have written.

import { isRecord } from '../is-record.ts';
import { agentOf } from './inbox.ts';
import { MAX_BODY_BYTES } from './messages.ts';
import {
  MAX_CHOICE_LENGTH,
  MAX_CHOICES,
  MAX_QUESTIONS,
  MAX_TEXT_LENGTH,
} from './question-limits.ts';
import type {
  Asked,
  Delivery,
  ImportedData,
  ImportedMessage,
  Note,
  Status,
  Todo,
} from './state.ts';
import { MAX_NOTES } from './state.ts';
import type { FileTodo } from './todo-guard.ts';
import { OUR_FIELDS } from './view.ts';

/** In characters of JSON: even at three bytes each, all of it fits into one event. */
const MAX_SIZE = { notes: 1e6, todos: 1e6, messages: 3e6, questions: 0.3e6 };
const MAX_MESSAGES = 10_000;
const MAX_TODOS = 1000;
const MAX_NAME_LENGTH = 200;
/** Per message; for all messages together. */
const MAX_READERS = 20;
const MAX_NAMES = 200;
/** Larger ids are renumbered: they would soon exceed the safe integers. */
const MAX_ID = 1e9;

export type FoundState = Readonly<Record<string, unknown>>;

export interface ClientFields {
  readonly currentModel: string | null;
  readonly todos: readonly FileTodo[];
}

export function readClientFields(found: FoundState): ClientFields {
  return {
    currentModel: textOr(found.currentModel, null),
    todos: records(found.todos).map((todo) => ({
      content: textOr(todo.content, ''),
      status: textOr(todo.status, ''),
      agent: textOr(todo.agent, '') || null,
    })),
  };
}

export function hasOurFields(found: FoundState): boolean {
  return OUR_FIELDS.some((field) => Object.hasOwn(found, field));
}

/** The data to import. `at` replaces missing times. */
export function importFrom(found: FoundState, at: string): ImportedData {
  const messages = messagesIn(found.messages, at);
  return {
    status: statusIn(found.status),
    task: cut(textOr(found.task, ''), MAX_TEXT_LENGTH),
    notes: newest(
      records(found.progress)
        .slice(-MAX_NOTES)
        .map((note) => noteIn(note, at)),
      MAX_SIZE.notes,
    ),
    todos: newest(records(found.projectTodos).slice(0, MAX_TODOS).map(todoIn), MAX_SIZE.todos),
    messages,
    cursors: cursorsOf(messages),
    questions: newest(questionsIn(found.multiChoiceQuestion), MAX_SIZE.questions),
  };
}

function statusIn(value: unknown): Status {
  return value === 'agent-done' || value === 'complete' ? value : 'working';
}

function noteIn(note: FoundState, at: string): Note {
  return {
    at: timeOr(note.timestamp, at, at),
    agent: nameIn(note.agent),
    text: cut(textOr(note.description, ''), MAX_TEXT_LENGTH),
  };
}

function todoIn(todo: FoundState): Todo {
  const agent = nameIn(todo.agent);
  return {
    id: nameIn(todo.id),
    content: cut(textOr(todo.content, ''), MAX_TEXT_LENGTH),
    status: nameIn(todo.status),
    priority: nameIn(todo.priority),
    ...(agent === '' ? {} : { agent }),
  };
}

/** In order of id; the first of two with the same id counts. At most the newest few. */
function messagesIn(value: unknown, at: string): ImportedMessage[] {
  const byId = new Map<number, FoundState>();
  for (const message of records(value)) {
    const { id } = message;
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1 || byId.has(id)) continue;
    byId.set(id, message);
  }
  const inOrder = [...byId].sort(([a], [b]) => a - b).slice(-MAX_MESSAGES);
  const sane = (inOrder.at(-1)?.[0] ?? 0) <= MAX_ID;
  const taken = inOrder.map(([id, message], index) =>
    messageIn(message, sane ? id : index + 1, at),
  );
  return newest(withFewReaders(taken), MAX_SIZE.messages);
}

function messageIn(message: FoundState, id: number, at: string): ImportedMessage {
  const createdAt = timeOr(message.createdAt, at, at);
  const readers = records(message.readBy)
    .slice(0, MAX_READERS)
    .flatMap((each): Delivery[] =>
      typeof each.reader === 'string'
        ? [{ reader: nameIn(each.reader), at: timeOr(each.at, at, at) }]
        : [],
    );
  return {
    id,
    from: nameIn(message.fromAgent),
    to: nameIn(message.toAgent),
    body: cutToBytes(textOr(message.body, ''), MAX_BODY_BYTES),
    created_at: createdAt,
    readers,
    redelivered: message.redelivered === true,
    read_before_at: message.read === true ? timeOr(message.readAt, createdAt, at) : null,
  };
}

/** Only the first MAX_NAMES names count as readers. */
function withFewReaders(messages: readonly ImportedMessage[]): ImportedMessage[] {
  const names = new Set<string>();
  return messages.map((message) => {
    const readers = message.readers.filter(({ reader }) => {
      if (names.size < MAX_NAMES) names.add(reader);
      return names.has(reader);
    });
    return { ...message, readers };
  });
}

/** As many of the last items as fit. */
function newest<Item>(items: readonly Item[], room: number): Item[] {
  let left = room;
  const from = items.findLastIndex((item) => {
    left -= JSON.stringify(item).length;
    return left < 0;
  });
  return items.slice(from + 1);
}

/** A reader's cursor is before the first message that it has not received. */
function cursorsOf(messages: readonly ImportedMessage[]): Record<string, number> {
  const names = new Set(messages.flatMap(({ readers }) => readers.map(({ reader }) => reader)));
  const cursors: [string, number][] = [];
  for (const name of names) {
    let cursor = 0;
    for (const { id, to, readers, read_before_at: readBeforeAt } of messages) {
      if (readBeforeAt !== null || (to !== name && to !== agentOf(name))) continue;
      if (!readers.some(({ reader }) => reader === name)) break;
      cursor = id;
    }
    if (cursor > 0) cursors.push([name, cursor]);
  }
  return Object.fromEntries(cursors);
}

function questionsIn(value: unknown): Asked[] {
  const asked = records(isRecord(value) ? value.questions : null).slice(0, MAX_QUESTIONS);
  return asked.flatMap(({ question, choices, multiSelect }): Asked[] => {
    if (typeof question !== 'string' || !Array.isArray(choices)) return [];
    const texts = choices.filter((choice) => typeof choice === 'string').slice(0, MAX_CHOICES);
    if (texts.length === 0) return [];
    return [
      {
        question: cutToBytes(question, MAX_TEXT_LENGTH),
        choices: texts.map((choice) => cutToBytes(choice, MAX_CHOICE_LENGTH)),
        multiSelect: multiSelect === true,
      },
    ];
  });
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** Times in the future are replaced: the file was written before it was read. */
function timeOr(value: unknown, otherwise: string, now: string): string {
  if (typeof value !== 'string' || !TIME.test(value)) return otherwise;
  const time = Date.parse(value);
  return Number.isNaN(time) || time > Date.parse(now) ? otherwise : new Date(time).toISOString();
}

function nameIn(value: unknown): string {
  return cut(textOr(value, ''), MAX_NAME_LENGTH);
}

function cut(text: string, length: number): string {
  return text.length > length ? text.slice(0, length) : text;
}

/** Does not split a character. */
function cutToBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}

function records(value: unknown): FoundState[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
