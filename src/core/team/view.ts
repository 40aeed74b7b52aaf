// The fields of `.sgai/state.json` that are ours, from a team. They are a view: the
// journal is the truth. Its size depends on what is unread and on fixed numbers, not on
// how long the team has been at work.

import { type ModelsOf, readAt, unreadMessages } from './inbox.ts';
import {
  type Message,
  NOTES_KEPT,
  type Note,
  type Question,
  shownStatus,
  type Team,
} from './state.ts';

/** Besides all that are unread. */
const MESSAGES_SHOWN = 200;

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

/** Every field that is ours, in the order in which they are written. */
export const OUR_FIELDS = [
  'status',
  'task',
  'humanMessage',
  'progress',
  'messages',
  'projectTodos',
  'multiChoiceQuestion',
] as const;

export type View = { readonly [Field in (typeof OUR_FIELDS)[number]]?: unknown };

export function viewOf(team: Team, modelsOf: ModelsOf): View {
  const open = [...team.open].map((id) => team.questions.get(id) as Question);
  return {
    status: shownStatus(team),
    task: team.task,
    humanMessage: open[0]?.question ?? '',
    progress: team.notes.slice(-NOTES_KEPT).map(shownNote),
    messages: shownMessages(team, modelsOf),
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

function shownMessages(team: Team, modelsOf: ModelsOf): ShownMessage[] {
  const newest = team.messages.slice(-MESSAGES_SHOWN);
  const first = newest[0]?.id ?? 0;
  const older = unreadMessages(team, modelsOf).filter(({ id }) => id < first);
  return [...older, ...newest].map((message) => shownMessage(message, modelsOf));
}

// Of two hundred messages that are shown, one has changed since the last time. The others
// are the same objects again, so that whoever turns them into text can tell.
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
