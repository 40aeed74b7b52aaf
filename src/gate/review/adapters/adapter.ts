// The interface of an external reviewer. All get the same instructions and the same payload;
// an adapter defines how it is started and how its answer is found in its output. To add
// one: a file like `claude.ts`, and a line in `table.ts`.

export interface ReviewerAdapter {
  /** Used in messages. */
  readonly name: string;
  /** The program and its arguments; null if none is configured. */
  argv(instructions: string): [string, ...string[]] | null;
  stdin(instructions: string, payload: string): string;
  /** The raw answer, not judged yet, or why there is none. */
  readAnswer(printed: Printed): RawAnswer;
}

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type RawAnswer = { readonly value: unknown } | { readonly fault: string };

/** The fault shown by the exit code alone, or null. */
export function exitFault(name: string, { code, stderr }: Printed): { fault: string } | null {
  if (code === 0) return null;
  return { fault: `${name} failed with exit code ${code}:\nstderr: ${tail(stderr)}` };
}

export function parseRawAnswer(name: string, text: string): RawAnswer {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: `Failed to parse ${name} response as JSON: ${tail((error as Error).message)}` };
  }
}

/** The end of a long text, where programs report what went wrong. */
export function tail(text: string): string {
  return text.trim().slice(-1000);
}
