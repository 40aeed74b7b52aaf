// A refusal is how every part of deepwork says no: a stable code for programs, a
// sentence for people, and the next legal move. It is a value inside the core and
// is thrown, wrapped in `Refused`, only where a call has to be given up.

export interface Refusal {
  /** A stable word such as `job_not_found`. Guides' have numbers on the wire. */
  readonly code: string;
  readonly message: string;
  /** What the caller can do now, or null when nothing can be done. */
  readonly next: string | null;
  /** The next move of a guide's failure, for its text alone: its other members are fixed. */
  readonly hint?: string;
  /** What a guide's failure is about. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function refuse(code: string, message: string, next: string | null = null): Refusal {
  return { code, message, next };
}
