// What both sides say: the answer to a call, and every session and stack afterwards. They are
// compared by codes and fields; where only part of a text is promised, the prediction names it.

export type Status =
  | 'started'
  | 'needs_work'
  | 'next_step'
  | 'workflow_complete'
  /** For a person. */
  | 'waiting'
  | 'went_back'
  | 'aborted'
  /** By a person. */
  | 'steered'
  | 'refused'
  /** A reviewer failed: nothing was decided. */
  | 'fault'
  /** The caller died during its call. */
  | 'unanswered'
  /** Not a call of an agent: a death, a rebuild from the events. */
  | 'happened';

/** In a prediction: the values that a text must name. */
export interface Says {
  readonly says: readonly string[];
}

export type Text = string | Says | null;

export interface Answer {
  readonly status: Status;
  readonly code: string | null;
  /** Message, next move and feedback. */
  readonly text: Text;
  /** Sorted. */
  readonly invalidated: readonly string[] | null;
}

export interface SessionFacts {
  readonly id: string;
  readonly owner: string;
  readonly process: string;
  readonly parent: string | null;
  readonly status: 'active' | 'completed' | 'aborted';
  readonly abortReason: Text;
  readonly abortedBy: string | null;
  readonly entry: number;
  readonly current: string;
  readonly members: readonly string[];
  /** What is put before the agent now. */
  readonly shown: readonly string[];
  readonly arrival: number;
  readonly loops: readonly (readonly [string, number, Text])[];
  readonly limit: readonly [string, number] | null;
  readonly feedback: Text;
  /** In order of completion, and by id what was completed together. */
  readonly completed: readonly CompletedStep[];
  /** Quality attempts of every step that was begun, sorted by step. */
  readonly attempts: readonly (readonly [string, number])[];
  readonly allOutputs: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** The steps of the last accepted call. */
  readonly last: readonly string[] | null;
}

interface CompletedStep {
  readonly step: string;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly notes: string | null;
}

/** Everything there is. */
export interface World {
  readonly sessions: readonly SessionFacts[];
  /** By owner, bottom to top. */
  readonly stacks: readonly {
    readonly owner: string;
    readonly items: readonly { workflow: string; step: string; session_id: string }[];
  }[];
}

export const HAPPENED: Answer = { status: 'happened', code: null, text: null, invalidated: null };

/** A prediction without a text promises none. */
export function answersAgree(expected: Answer, actual: Answer): boolean {
  const { text, ...rest } = expected;
  return agrees(text === null ? rest : expected, text === null ? without(actual) : actual);
}

function without({ text: _, ...rest }: Answer): Omit<Answer, 'text'> {
  return rest;
}

/** Whether plain values are equal, whatever the order of keys; a `Says` holds for longer texts. */
export function agrees(expected: unknown, actual: unknown): boolean {
  if (expected === actual) return true;
  if (typeof expected !== 'object' || expected === null) return false;
  if ('says' in expected) {
    const { says } = expected as Says;
    return typeof actual === 'string' && says.every((part) => actual.includes(part));
  }
  if (typeof actual !== 'object' || actual === null) return false;
  if (Array.isArray(expected) !== Array.isArray(actual)) return false;
  const keys = Object.keys(expected);
  if (keys.length !== Object.keys(actual).length) return false;
  const [mine, other] = [expected, actual] as [Record<string, unknown>, Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(other, key) && agrees(mine[key], other[key]));
}
