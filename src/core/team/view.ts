// Our fields of `.sgai/state.json`. They are a view: the journal is the truth. The view is
// rewritten at every commit, so its size has fixed limits and depends neither on what is
// unread nor on the age of the team.

import { type ModelsOf, readAt } from './inbox.ts';
import {
  MAX_NOTES,
  type Message,
  type Note,
  type Question,
  shownStatus,
  type Team,
} from './state.ts';

/** The newest; older ones stay in the journal, read or unread. */
const MAX_MESSAGES = 200;
/** Characters of all shown messages, and the same of all shown notes. */
const MAX_SHOWN_TEXT = 256 * 1024;
/** The overhead of an item besides its text. */
const ITEM_TEXT = 200;

export interface ShownMessage {
  readonly id: number;
  readonly fromAgent: string;
  readonly toAgent: string;
  readonly body: string;
  readonly createdAt: string;
  readonly read: boolean;
  readonly readAt?: string;
  readonly readBy: readonly { readonly reader: string; readonly at: string }[];
  readonly redelivered?: true;
}

interface ShownNote {
  readonly timestamp: string;
  readonly agent: string;
  readonly description: string;
}

/** All our fields, in the order in which they are written. */
export const OUR_FIELDS = [
  'status',
  'task',
  'humanMessage',
  'progress',
  'messages',
  'messagesNotShown',
  'projectTodos',
  'multiChoiceQuestion',
] as const;

export type View = { readonly [Field in (typeof OUR_FIELDS)[number]]?: unknown };

export function teamViewOf(team: Team, modelsOf: ModelsOf): View {
  const open = [...team.open].map((id) => team.questions.get(id) as Question);
  const notes = newest(team.notes, MAX_NOTES, ({ text }) => text);
  const messages = newest(team.messages, MAX_MESSAGES, ({ body }) => body);
  return {
    status: shownStatus(team),
    task: team.task,
    humanMessage: open[0]?.question ?? '',
    progress: notes.map(shownNote),
    messages: messages.map((message) => shownMessage(message, modelsOf)),
    messagesNotShown: team.messages.length - messages.length,
    projectTodos: team.todos,
    ...(open.length === 0
      ? {}
      : {
          multiChoiceQuestion: {
            questions: open.map(({ id, question, choices, multiSelect }) => ({
              id,
              question,
              choices,
              multiSelect,
            })),
          },
        }),
  };
}

/** The last few within the limits; always at least the last one. */
function newest<T>(items: readonly T[], max: number, textOf: (item: T) => string): readonly T[] {
  let from = items.length;
  let room = MAX_SHOWN_TEXT;
  while (from > 0 && items.length - from < max) {
    room -= textOf(items[from - 1] as T).length + ITEM_TEXT;
    if (room < 0 && from < items.length) break;
    from -= 1;
  }
  return items.slice(from);
}

// Of two hundred shown messages, usually one has changed since the last view. The others are
// the same objects again, so that their serialized text can be reused.
const shownBefore = new WeakMap<Message | Note, ShownMessage | ShownNote>();

function shownMessage(message: Message, modelsOf: ModelsOf): ShownMessage {
  const at = readAt(message, modelsOf);
  const before = shownBefore.get(message) as ShownMessage | undefined;
  if (
    before?.readBy.length === message.readers.length &&
    before.redelivered === (message.redelivered || undefined) &&
    before.readAt === (at ?? undefined)
  ) {
    return before;
  }
  const shown: ShownMessage = {
    id: message.id,
    fromAgent: message.from,
    toAgent: message.to,
    body: message.body,
    createdAt: message.createdAt,
    read: at !== null,
    ...(at === null ? {} : { readAt: at }),
    readBy: [...message.readers],
    ...(message.redelivered ? { redelivered: true } : {}),
  };
  shownBefore.set(message, shown);
  return shown;
}

function shownNote(note: Note): ShownNote {
  const before = shownBefore.get(note) as ShownNote | undefined;
  const shown = before ?? { timestamp: note.at, agent: note.agent, description: note.text };
  if (before === undefined) shownBefore.set(note, shown);
  return shown;
}
