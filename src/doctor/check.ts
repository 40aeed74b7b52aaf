// The shape of every check of `deepwork doctor`: it examines one thing, and says in one sentence what
// it found and, if something is wrong, how to fix it. A check changes nothing.

export const STATES = ['ok', 'warning', 'problem'] as const;

/** A warning is something to know; a problem keeps deepwork from working. */
export type CheckState = (typeof STATES)[number];

export interface DoctorCheck {
  readonly name: string;
  readonly state: CheckState;
  readonly detail: string;
  /** Null if there is nothing to do. */
  readonly fix: string | null;
}

export type Result = Omit<DoctorCheck, 'name'>;

export interface DoctorContext {
  /** The project. */
  readonly root: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Jobs and guides that come with deepwork. */
  readonly bundled: { readonly standardJobsDir: string; readonly standardGuidesDir: string };
  /** The path of this program. */
  readonly script: string;
  /** Aborted when the check is over or timed out; what it started has to end then. */
  readonly signal: AbortSignal;
}

export interface Checker {
  readonly name: string;
  /** After this long it counts as stuck. */
  readonly timeoutMs: number;
  run(context: DoctorContext): Promise<Result>;
}

export function ok(detail: string): Result {
  return { state: 'ok', detail, fix: null };
}

export function warning(detail: string, fix: string): Result {
  return { state: 'warning', detail, fix };
}

export function problem(detail: string, fix: string): Result {
  return { state: 'problem', detail, fix };
}

/** The worst of several results first; equal ones stay in order. */
export function worstFirst(results: readonly Result[]): readonly Result[] {
  return [...results].sort((a, b) => STATES.indexOf(b.state) - STATES.indexOf(a.state));
}
