/** One change to the source that a test must notice. */
export interface Change {
  /** Below src. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** A test file without its ending, and after ` > ` a part of the names of its tests. */
  readonly noticedBy: string;
  /** What goes wrong for a user. */
  readonly says: string;
}

/** A change's number is its place here, counted from 1. */
export const CHANGES: readonly Change[];
