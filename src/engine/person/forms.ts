// Asking the person in front of a client, as an operation sees it. How a form is sent is up to
// the server. There are two ways, which differ in when the reply comes:
//
//   live      the form is shown while the call is running, and can be withdrawn
//   between   the call ends by asking for forms; the client shows them and calls again
//             with the replies, and with a token that proves which forms they belong to

import type { Question } from '../../core/team/state.ts';

/** `decline` and `cancel` are not answers; a form that could not be shown counts as `cancel`. */
export type FormReply =
  | {
      readonly action: 'accept';
      readonly choices: readonly string[];
      readonly other: string | null;
    }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

export interface LiveForms {
  readonly kind: 'live';
  /** Who is recorded as having answered: the client, by the name that it reports. */
  readonly by: string;
  /** The forms that this connection shows now, and those that were declined on it. */
  readonly memory: FormMemory;
  /** Never rejects. `problem` says what was wrong with the previous reply. */
  show(question: Question, problem: string | null, signal: AbortSignal): Promise<FormReply>;
}

export interface FormMemory {
  readonly openForms: Map<string, OpenForm>;
  readonly declined: Set<string>;
}

export interface OpenForm {
  readonly ended: Promise<FormEnd>;
  withdraw(): void;
}

/** `taken`: the reply is recorded; `late`: the question was already answered or dismissed. */
export type FormEnd =
  | { readonly kind: 'taken' }
  | { readonly kind: 'late' }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'wrong'; readonly problem: string };

export interface FormsBetweenCalls {
  readonly kind: 'between';
  readonly by: string;
  /** The replies to the forms of the previous call; null in the first call. */
  readonly returned: ReturnedForms | null;
}

/** Which forms were asked for. The client gets it signed, and returns it. */
export interface FormToken {
  readonly set: number;
  readonly ids: readonly string[];
  /** A hash of the questions, so that a token cannot be used for others. */
  readonly key: string;
  readonly round: number;
}

export interface ReturnedForms {
  readonly token: FormToken;
  readonly replies: ReadonlyMap<string, FormReply>;
}

export type ClientForms = LiveForms | FormsBetweenCalls;

/** Returned instead of an answer: the client shows these and makes the same call again. */
export interface FormsWanted {
  readonly token: FormToken;
  readonly forms: readonly { readonly question: Question; readonly problem: string | null }[];
}

export function newFormMemory(): FormMemory {
  return { openForms: new Map(), declined: new Set() };
}
