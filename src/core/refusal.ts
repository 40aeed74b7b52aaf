// How every part of deepwork refuses a call: a stable code for programs, a sentence for
// people, and the next legal move. It is a value inside the core and is thrown, wrapped in
// `Refused`, only where a call has to be abandoned.

export interface Refusal {
  /** A stable word such as `job_not_found`. */
  readonly code: string;
  readonly message: string;
  /** What the caller can do now; null if unknown. */
  readonly next: string | null;
  /** What it is about, for programs. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: Refusal;
  /** What was asked for may have happened all the same: the connection or the disk failed. */
  readonly isUncertain: boolean;

  constructor(refusal: Refusal, isUncertain = false) {
    super(refusal.message);
    this.refusal = refusal;
    this.isUncertain = isUncertain;
  }
}

export function isUncertain(error: unknown): boolean {
  return error instanceof Refused && error.isUncertain;
}

/** The sentence for people, with the next move on a line of its own. */
export function refusalText({ message, next }: Pick<Refusal, 'message' | 'next'>): string {
  return next === null ? message : `${message}\nNext: ${next}`;
}

export function refuse(
  code: string,
  message: string,
  next: string | null = null,
  data?: Refusal['data'],
): Refusal {
  return { code, message, next, ...(data && { data }) };
}

/** A refusal as an error, for `throw`: it abandons the call. */
export function refusedWith(...given: Parameters<typeof refuse>): Refused {
  return new Refused(refuse(...given));
}
