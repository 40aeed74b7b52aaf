// Asking the person in front of a client, as an operation sees it. How a form travels is
// the server's business; there are two ways, and they differ in when the reply comes:
//
//   live      the form is shown while the call is running, and can be withdrawn
//   between   the call ends by asking for forms; the client shows them and calls again
//             with the replies, and with a token that proves which forms they belong to

import type { Question } from '../../core/team/state.ts';

/** `decline` and `cancel` are no answers; nor is a form that could not be shown. */
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
  /** Whose word a reply is: the form of a client, by the name that it gives itself. */
  readonly by: string;
  /** What this connection shows at the moment, and what was declined on it. */
  readonly memory: FormMemory;
  /** Never rejects. `problem` says what was wrong with the reply before. */
  show(question: Question, problem: string | null, signal: AbortSignal): Promise<FormReply>;
}

export interface FormMemory {
  readonly onShow: Map<string, FormOnShow>;
  readonly declined: Set<string>;
}

export interface FormOnShow {
  readonly ended: Promise<FormEnd>;
  withdraw(): void;
}

/** `left`: there is no answer from this form. */
export type FormEnd =
  | { readonly kind: 'taken' }
  | { readonly kind: 'late' }
  | { readonly kind: 'left' }
  | { readonly kind: 'wrong'; readonly problem: string };

export interface FormsBetweenCalls {
  readonly kind: 'between';
  readonly by: string;
  /** What this call brings from the forms of the one before; null if it is the first. */
  readonly said: SaidBetween | null;
}

/** Which forms were asked for; comes back signed. */
export interface FormToken {
  readonly set: number;
  readonly ids: readonly string[];
  /** What the questions were, so that a token cannot be used for others. */
  readonly key: string;
  readonly round: number;
}

export interface SaidBetween {
  readonly token: FormToken;
  readonly replies: ReadonlyMap<string, FormReply>;
}

export type ClientForms = LiveForms | FormsBetweenCalls;

/** Instead of an answer: show these, then make the same call again. */
export interface FormsWanted {
  readonly token: FormToken;
  readonly forms: readonly { readonly question: Question; readonly problem: string | null }[];
}

export function newFormMemory(): FormMemory {
  return { onShow: new Map(), declined: new Set() };
}
