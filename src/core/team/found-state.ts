// Understands a state file that others wrote: the client's own todos and model, and, for
// a workspace that has no journal yet, everything that is to be taken over. Whatever is
// not of the expected shape is passed over; the file itself is kept aside by the caller.

import { agentOf } from './inbox.ts';
import type {
  Asked,
  Delivery,
  ImportedData,
  ImportedMessage,
  Note,
  Status,
  Todo,
} from './state.ts';
import { OUR_FIELDS } from './view.ts';
import type { FileTodo } from './work.ts';

export type Found = Readonly<Record<string, unknown>>;

export interface Others {
  readonly currentModel: string | null;
  readonly todos: readonly FileTodo[];
}

export function othersIn(found: Found): Others {
  return {
    currentModel: textOr(found.currentModel, null),
    todos: records(found.todos).map((todo) => ({
      status: textOr(todo.status, ''),
      agent: textOr(todo.agent, '') || null,
    })),
  };
}

export function hasOurFields(found: Found): boolean {
  return OUR_FIELDS.some((field) => Object.hasOwn(found, field));
}

/** What to take over. `at` stands in where the file says no time. */
export function importFrom(found: Found, at: string): ImportedData {
  const messages = messagesIn(found.messages, at);
  return {
    status: statusIn(found.status),
    task: textOr(found.task, ''),
    notes: records(found.progress).map((note) => noteIn(note, at)),
    todos: records(found.projectTodos).map(todoIn),
    messages,
    cursors: cursorsOf(messages),
    questions: questionsIn(found.multiChoiceQuestion),
  };
}

function statusIn(value: unknown): Status {
  return value === 'agent-done' || value === 'complete' ? value : 'working';
}

function noteIn(note: Found, at: string): Note {
  return {
    at: timeOr(note.timestamp, at),
    agent: textOr(note.agent, ''),
    text: textOr(note.description, ''),
  };
}

function todoIn(todo: Found): Todo {
  const agent = textOr(todo.agent, '');
  return {
    id: textOr(todo.id, ''),
    content: textOr(todo.content, ''),
    status: textOr(todo.status, ''),
    priority: textOr(todo.priority, ''),
    ...(agent === '' ? {} : { agent }),
  };
}

/** In order of id; the first of two with the same id counts. */
function messagesIn(value: unknown, at: string): ImportedMessage[] {
  const byId = new Map<number, ImportedMessage>();
  for (const message of records(value)) {
    const { id } = message;
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1 || byId.has(id)) continue;
    const createdAt = timeOr(message.createdAt, at);
    const readers = records(message.readBy).flatMap((each): Delivery[] =>
      typeof each.reader === 'string' ? [{ reader: each.reader, at: timeOr(each.at, at) }] : [],
    );
    byId.set(id, {
      id,
      from: textOr(message.fromAgent, ''),
      to: textOr(message.toAgent, ''),
      body: textOr(message.body, ''),
      created_at: createdAt,
      readers,
      redelivered: message.redelivered === true,
      settled_at: message.read === true ? timeOr(message.readAt, createdAt) : null,
    });
  }
  return [...byId.values()].sort((a, b) => a.id - b.id);
}

/** A reader's cursor stands before the first message that it has not got. */
function cursorsOf(messages: readonly ImportedMessage[]): Record<string, number> {
  const names = new Set(messages.flatMap(({ readers }) => readers.map(({ reader }) => reader)));
  const cursors: [string, number][] = [];
  for (const name of names) {
    let cursor = 0;
    for (const { id, to, readers, settled_at: settledAt } of messages) {
      if (settledAt !== null || (to !== name && to !== agentOf(name))) continue;
      if (!readers.some(({ reader }) => reader === name)) break;
      cursor = id;
    }
    if (cursor > 0) cursors.push([name, cursor]);
  }
  return Object.fromEntries(cursors);
}

function questionsIn(value: unknown): Asked[] {
  return records(isRecord(value) ? value.questions : null).flatMap((asked): Asked[] => {
    const { question, choices } = asked;
    if (typeof question !== 'string' || !Array.isArray(choices)) return [];
    const texts = choices.filter((choice) => typeof choice === 'string');
    if (texts.length === 0) return [];
    return [{ question, choices: texts, multiSelect: asked.multiSelect === true }];
  });
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

function timeOr(value: unknown, otherwise: string): string {
  if (typeof value !== 'string' || !TIME.test(value)) return otherwise;
  const time = Date.parse(value);
  return Number.isNaN(time) ? otherwise : new Date(time).toISOString();
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}

function records(value: unknown): Found[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Found {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
