// The shared state of a team of agents, and its events: one stream, `team/log`.
//
// Status
//
//   working ⇄ agent-done ⇄ complete        by `updated`, as any caller sets it
//   waiting-for-human                      shown instead while a question is open; the
//                                          underlying status is kept and comes back
//
// A message, for one reader
//
//   sent ──offered──▶ offered ──received──▶ read       the cursor has passed it
//                       │  ▲
//                       │  └── offered again (marked redelivered)
//                       └── returned: the answer was not written; the offer has ended
//
//   A reader has at most one open offer. Another call may take over an open offer only if
//   it names it (`takes`), because its holder is gone or silent. After that, `received` and
//   `returned` of the former holder are ignored.
//
// A question
//
//   asked ──answered──▶ answered       both are final: the first answer of a person wins
//     └─────dismissed─▶ dismissed      (the server dismisses one only if its arrival is over)
//
//   Questions are asked in sets. The same asker can attach to a set with equal questions
//   until its outcome was delivered (`collected`).
//
// A client repeats a call whose answer was lost; the repeat is recognized once, by its
// content: `unanswered` holds the calls that no later event has confirmed.
//
// Other moves: `todos_written` replaces the project's todos; `pruned` drops messages, whose
// ids are never reused; `called` records a new identity; `imported` can only be first: it
// imports a state file from before the journal.
//
// Ownership: a Team is one object that is updated in place, because copying collections that
// only ever grow would make each event more expensive than the one before. The code that folds
// owns it and alone changes it, by `evolveTeam`, between two turns of the event loop. All
// others get it as the read-only `Team`, and keep nothing of it beyond the current turn except
// single messages and questions.

import type { Decision } from '../decision.ts';
import type { EventsOf } from '../event.ts';

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
  /** Who has it, in order of receipt. */
  readonly readers: readonly Delivery[];
  /** Some reader was offered it more than once. */
  readonly redelivered: boolean;
  /** Read before there was a journal: no longer offered to anyone. */
  readonly readBeforeAt: string | null;
}

export interface Offer {
  /** The number of its event, which identifies it. */
  readonly seq: number;
  readonly through: number;
  /** The process that will write the answer. */
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
  /** The arrival it concerns, if that can be over before anyone answers. */
  readonly about?: ArrivalId;
  /** The session that the asking agent worked on; absent if there was none. */
  readonly run?: string;
}

/** One arrival of a session at an entry. */
export interface ArrivalId {
  readonly session: string;
  readonly arrival: number;
  /** What a positive answer permits. */
  readonly grants: 'override' | 'weaker_gate' | 'approval' | 'loop';
  /** A question with the same mark is this one, whoever asks it, until it is dismissed. */
  readonly once?: string;
  /** sha256 by path, of the files that the person is shown. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Who answered, by which route, and when. */
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
  readonly askedBy: string;
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
  /** The status underneath `waiting-for-human`. */
  readonly status: Status;
  readonly task: string;
  /** The newest ones, oldest first; `noteCount` counts all. */
  readonly notes: readonly Note[];
  readonly noteCount: number;
  readonly todos: readonly Todo[];
  /** In order of id. */
  readonly messages: readonly Message[];
  readonly lastMessageId: number;
  /** Messages that can be offered, by address, in order of id. */
  readonly inboxes: ReadonlyMap<string, readonly Message[]>;
  readonly outboxes: ReadonlyMap<string, readonly Message[]>;
  readonly readers: ReadonlyMap<string, Reader>;
  readonly questions: ReadonlyMap<string, Question>;
  /** Ids of open questions, oldest first. */
  readonly open: ReadonlySet<string>;
  /** Ids of closed questions, in the order in which they were closed. */
  readonly closed: readonly string[];
  /** Sets that an asker can still attach to. */
  readonly sets: ReadonlyMap<number, QuestionSet>;
  /** Names of everyone who has called. */
  readonly callers: ReadonlySet<string>;
  /** The process that wrote last. */
  readonly process: string;
  /** The newest ones, by the number of their event, oldest first. */
  readonly unanswered: ReadonlyMap<number, Unanswered>;
}

/** Whether the answer of an event is known to be lost. */
export type IsLost = (event: Pick<Unanswered, 'seq' | 'process'>) => boolean;

export function shownStatus(team: Team): ShownStatus {
  return team.open.size > 0 ? 'waiting-for-human' : team.status;
}

/** How many notes are kept in memory; the journal keeps all. */
export const MAX_NOTES = 200;

/** Optional fields of any event. */
export interface Stamp {
  /** The writing process, if it differs from the previous one. */
  readonly process?: string;
  /** Numbers of earlier events whose answers arrived. */
  readonly answered?: readonly number[];
}

/** A caller's request, until an event records that its answer arrived. */
export type Unanswered = {
  readonly seq: number;
  readonly process: string;
  readonly by: string;
} & (
  | { readonly kind: 'sent'; readonly message: Message }
  | { readonly kind: 'updated'; readonly status: Status | null; readonly note: string }
);

export interface ImportedMessage extends Omit<Message, 'createdAt' | 'readBeforeAt'> {
  readonly created_at: string;
  readonly read_before_at: string | null;
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

/** The data of each event, without its stamp. */
interface TeamEventData {
  readonly imported: ImportedData;
  readonly called: { readonly by: string };
  /** Carries only its stamp, if there is no other event to carry it. */
  readonly answered_before: Record<never, never>;
  readonly updated: {
    readonly by: string;
    /** Null: kept, because a question was open or none was given. */
    readonly status: Status | null;
    readonly task: string;
    readonly note: string | null;
  };
  readonly todos_written: { readonly by: string; readonly todos: readonly Todo[] };
  readonly sent: {
    readonly by: string;
    readonly id: number;
    readonly from: string;
    readonly to: string;
    /** The address whose readers get it: `to`, or its agent if models are not in use. */
    readonly inbox: string;
    readonly body: string;
  };
  readonly offered: {
    readonly by: string;
    readonly reader: string;
    readonly through: number;
    readonly holder: string;
    /** The open offer that is taken over, if any. */
    readonly takes: number | null;
  };
  readonly received: { readonly reader: string; readonly offer: number };
  readonly returned: { readonly reader: string; readonly offer: number };
  readonly asked: {
    readonly by: string;
    readonly asker: string;
    readonly ids: readonly string[];
    readonly questions: readonly Asked[];
  };
  readonly answered: { readonly id: string } & GivenAnswer & Omit<Provenance, 'at'>;
  readonly dismissed: { readonly id: string } & Omit<Provenance, 'at'>;
  readonly collected: { readonly set: number };
  /** First and last id of each run of dropped messages. */
  readonly pruned: { readonly dropped: readonly (readonly [number, number])[] };
}

export type TeamEvent = EventsOf<{
  [Type in keyof TeamEventData]: TeamEventData[Type] & Stamp;
}>;

export type TeamDecision<Answer> = Decision<TeamEvent, Answer>;
