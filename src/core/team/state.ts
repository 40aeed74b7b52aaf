// What a team of agents shares, and the events it is made of: one stream, `team/log`.
//
// Status
//
//   working ⇄ agent-done ⇄ complete        by `updated`, as any caller says
//   waiting-for-human                      shown instead while a question is open; the
//                                          status beneath is kept and comes back
//
// A message, towards one reader
//
//   sent ──offered──▶ offered ──received──▶ read       the cursor has passed it
//                       │  ▲
//                       │  └── offered again (marked redelivered)
//                       └── returned: the answer was not written; nobody holds it
//
//   A reader has one open offer at most. Another call may take an open offer over only
//   if it says which one (`takes`): whoever held it is gone or silent. Afterwards the
//   former holder's `received` and `returned` fall on deaf ears.
//
// A question
//
//   asked ──answered──▶ answered       both are final: the first word of a human wins
//     └─────dismissed─▶ dismissed      (the server's own, only for one whose visit is over)
//
//   Questions are asked in sets. A set can be attached to by the same asker with equal
//   questions until its outcome was handed over (`collected`).
//
// A call whose answer was lost is made again by its client, and is recognised by what it
// asks for, once: `unanswered` holds what no later event has confirmed.
//
// Other moves: `todos_written` replaces the project's todos; `pruned` drops messages,
// whose ids are never used again; `called` records an identity that was not known;
// `imported` can only be first: it takes over a state file from before the journal.
//
// Who owns what: a Team is one object that grows in place, because copying collections
// that only ever grow would make each event dearer than the one before. Whoever folds
// owns it and is the only one to change it, by `evolveTeam`, between two turns of the
// event loop. Everybody else gets it as `Team`, which can only be read, and keeps
// nothing of it beyond the current turn except single messages and questions.

import type { Decision } from '../decision.ts';

export type Status = 'working' | 'agent-done' | 'complete';
export type ShownStatus = Status | 'waiting-for-human';

export interface Todo {
  readonly id: string;
  readonly content: string;
  readonly status: string;
  readonly priority: string;
  readonly agent?: string;
}

export interface Note {
  readonly at: string;
  readonly agent: string;
  readonly text: string;
}

export interface Delivery {
  readonly reader: string;
  readonly at: string;
}

export interface Message {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly createdAt: string;
  /** Who has it, in the order in which they got it. */
  readonly readers: readonly Delivery[];
  /** Some reader was offered it more than once. */
  readonly redelivered: boolean;
  /** Read before there was a journal: nobody is offered it any more. */
  readonly settledAt: string | null;
}

export interface Offer {
  /** The number of the event that made it: what it is named by. */
  readonly seq: number;
  readonly through: number;
  /** The process that is to write the answer. */
  readonly holder: string;
  readonly at: string;
}

export interface Reader {
  /** Everything up to this id was received. */
  readonly cursor: number;
  /** Everything up to this id was offered at least once. */
  readonly offered: number;
  readonly open: Offer | null;
}

export interface Asked {
  readonly question: string;
  readonly choices: readonly string[];
  readonly multiSelect: boolean;
  /** What it was asked for, where that can be over before anyone answers. */
  readonly about?: Visit;
}

/** One arrival of a session at an entry. */
export interface Visit {
  readonly session: string;
  readonly visit: number;
}

/** Who said so, by which way, and when. */
export interface Provenance {
  readonly by: string;
  readonly route: string;
  readonly at: string;
}

export interface GivenAnswer {
  readonly choices: readonly string[];
  readonly other: string | null;
}

export type Outcome =
  | { readonly kind: 'open' }
  | ({ readonly kind: 'answered' } & GivenAnswer & Provenance)
  | ({ readonly kind: 'dismissed' } & Provenance);

export interface Question extends Asked {
  /** `q-1`, `q-2`, … */
  readonly id: string;
  readonly set: number;
  readonly askedAt: string;
  readonly outcome: Outcome;
}

export interface QuestionSet {
  /** The number of the event that asked. */
  readonly id: number;
  readonly asker: string;
  readonly questions: readonly string[];
}

export interface Team {
  readonly seq: number;
  /** Beneath `waiting-for-human`. */
  readonly status: Status;
  readonly task: string;
  /** The newest ones, oldest first; `noteCount` counts all. */
  readonly notes: readonly Note[];
  readonly noteCount: number;
  readonly todos: readonly Todo[];
  /** In order of id. */
  readonly messages: readonly Message[];
  readonly lastMessageId: number;
  /** What can be offered, by whom it is addressed to, in order of id. */
  readonly inboxes: ReadonlyMap<string, readonly Message[]>;
  readonly outboxes: ReadonlyMap<string, readonly Message[]>;
  readonly readers: ReadonlyMap<string, Reader>;
  readonly questions: ReadonlyMap<string, Question>;
  /** Ids of open questions, oldest first. */
  readonly open: ReadonlySet<string>;
  /** Ids of the others, in the order in which they were closed. */
  readonly closed: readonly string[];
  /** Sets that can still be attached to. */
  readonly sets: ReadonlyMap<number, QuestionSet>;
  /** Names of everybody who has called. */
  readonly callers: ReadonlySet<string>;
  /** The process that wrote last. */
  readonly process: string;
  /** The newest ones, by the number of their event, oldest first. */
  readonly unanswered: ReadonlyMap<number, Unanswered>;
}

/** Whether the answer of an event is known not to have arrived. */
export type IsLost = (event: Pick<Unanswered, 'seq' | 'process'>) => boolean;

export function shownStatus(team: Team): ShownStatus {
  return team.open.size > 0 ? 'waiting-for-human' : team.status;
}

/** How many notes are kept at hand; the journal keeps all. */
export const NOTES_KEPT = 200;

interface EventOf<Type extends string, Data> {
  readonly type: Type;
  readonly at: string;
  readonly data: Data & Stamp;
}

/** What any event may carry besides, said only when there is something to say. */
export interface Stamp {
  /** Which process writes, if it is another than the one before. */
  readonly process?: string;
  /** Numbers of earlier events whose answers arrived. */
  readonly answered?: readonly number[];
}

/** Something that a caller asked for, as long as no event says that the answer arrived. */
export type Unanswered = {
  readonly seq: number;
  readonly process: string;
  readonly by: string;
} & (
  | { readonly kind: 'sent'; readonly message: Message }
  | { readonly kind: 'updated'; readonly status: Status | null; readonly note: string }
);

export interface ImportedMessage {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly created_at: string;
  readonly readers: readonly Delivery[];
  readonly redelivered: boolean;
  readonly settled_at: string | null;
}

export interface ImportedData {
  readonly status: Status;
  readonly task: string;
  readonly notes: readonly Note[];
  readonly todos: readonly Todo[];
  readonly messages: readonly ImportedMessage[];
  readonly cursors: Readonly<Record<string, number>>;
  readonly questions: readonly Asked[];
}

export type TeamEvent =
  | EventOf<'imported', ImportedData>
  | EventOf<'called', { readonly by: string }>
  /** Only tells what its stamp says: nothing else was there to carry it. */
  | EventOf<'answered_before', Record<never, never>>
  | EventOf<
      'updated',
      {
        readonly by: string;
        /** Null: kept, because a question was open or none was said. */
        readonly status: Status | null;
        readonly task: string;
        readonly note: string | null;
      }
    >
  | EventOf<'todos_written', { readonly by: string; readonly todos: readonly Todo[] }>
  | EventOf<
      'sent',
      {
        readonly by: string;
        readonly id: number;
        readonly from: string;
        readonly to: string;
        /** Whose readers get it: `to`, or its agent where models are not in use. */
        readonly inbox: string;
        readonly body: string;
      }
    >
  | EventOf<
      'offered',
      {
        readonly by: string;
        readonly reader: string;
        readonly through: number;
        readonly holder: string;
        /** The open offer that is taken over, if there was one. */
        readonly takes: number | null;
      }
    >
  | EventOf<'received', { readonly reader: string; readonly offer: number }>
  | EventOf<'returned', { readonly reader: string; readonly offer: number }>
  | EventOf<
      'asked',
      {
        readonly by: string;
        readonly asker: string;
        readonly ids: readonly string[];
        readonly questions: readonly Asked[];
      }
    >
  | EventOf<'answered', { readonly id: string } & GivenAnswer & Omit<Provenance, 'at'>>
  | EventOf<'dismissed', { readonly id: string } & Omit<Provenance, 'at'>>
  | EventOf<'collected', { readonly set: number }>
  | EventOf<
      'pruned',
      {
        /** First and last id of each run of messages that goes. */
        readonly dropped: readonly (readonly [number, number])[];
      }
    >;

export type TeamDecision<Answer> = Decision<TeamEvent, Answer>;
