// The shape of a reviewer outside this process. Every one gets the same instructions and
// the same payload; an adapter says how it is started and how its answer is found in what
// it prints. To add one: a file like `claude.ts`, and a line in `table.ts`.

export interface ReviewerAdapter {
  /** As messages call it. */
  readonly name: string;
  /** The program and its arguments; null if none is configured. */
  argv(instructions: string): [string, ...string[]] | null;
  stdin(instructions: string, payload: string): string;
  /** The answer it gave, not judged yet, or why there is none. */
  readAnswer(printed: Printed): Found;
}

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Found = { readonly value: unknown } | { readonly fault: string };

/** What went wrong by the exit code alone, or null. */
export function exitFault(name: string, { code, stderr }: Printed): { fault: string } | null {
  if (code === 0) return null;
  return { fault: `${name} failed with exit code ${code}:\nstderr: ${tail(stderr)}` };
}

export function parseJson(name: string, text: string): Found {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: `Failed to parse ${name} response as JSON: ${tail((error as Error).message)}` };
  }
}

/** The end of what may be long: there programs say what went wrong. */
export function tail(text: string): string {
  return text.trim().slice(-1000);
}
