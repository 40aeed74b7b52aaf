// The answer to one call, and the state of its session afterwards, in the form in which prediction
// and reality are compared.

import { isSame } from './plain.ts';

export type Status =
  | 'started'
  | 'needs_work'
  | 'next_step'
  | 'workflow_complete'
  | 'went_back'
  | 'aborted'
  /** By a person. */
  | 'steered'
  | 'refused'
  /** A reviewer failed: nothing was decided. */
  | 'fault'
  /** The caller died during its call. */
  | 'unanswered'
  /** Not a call of an agent: an edit, a death, a rebuild from the events. */
  | 'happened';

export interface Answer {
  readonly status: Status;
  readonly code: string | null;
  /** In a prediction, null means a text that the contract does not promise. */
  readonly message: string | null;
  /** Sorted. */
  readonly invalidated: readonly string[] | null;
  /** In a prediction: what must be named. In reality: the whole feedback. */
  readonly feedback: readonly string[];
  readonly session: SessionFacts | null;
  /** The caller's, bottom to top. */
  readonly stack: readonly {
    readonly workflow: string;
    readonly step: string;
    readonly session_id: string;
  }[];
}

export interface SessionFacts {
  readonly id: string;
  readonly owner: string;
  readonly process: string;
  readonly parent: string | null;
  readonly status: 'active' | 'completed' | 'aborted';
  readonly abortReason: string | null;
  readonly entry: number;
  readonly members: readonly string[];
  readonly arrival: number;
  /** In order of completion, and by id what was completed together. */
  readonly completed: readonly CompletedStep[];
  /** Quality attempts of every step that was begun, sorted by step. */
  readonly attempts: readonly (readonly [string, number])[];
  readonly allOutputs: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
}

export interface CompletedStep {
  readonly step: string;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly notes: string | null;
}

export const NOTHING_SAID: Answer = {
  status: 'happened',
  code: null,
  message: null,
  invalidated: null,
  feedback: [],
  session: null,
  stack: [],
};

export function agrees(expected: Answer, actual: Answer): boolean {
  const said = actual.feedback.join('\n');
  if (!expected.feedback.every((part) => said.includes(part))) return false;
  if (expected.message !== null && expected.message !== actual.message) return false;
  return (
    expected.status === actual.status &&
    expected.code === actual.code &&
    isSame(expected.invalidated, actual.invalidated) &&
    isSame(expected.session, actual.session) &&
    isSame(expected.stack, actual.stack)
  );
}
