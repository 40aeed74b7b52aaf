// One thing that is wrong in a definition, and where. Parsers collect all of them;
// whoever knows the file adds line and column.

export interface Problem {
  /** Keys and indexes from the root of the value that was parsed. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}
