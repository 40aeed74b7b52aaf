// Asks the person at the terminal one question.

import { createInterface } from 'node:readline/promises';
import type { Io, Stdout } from '../io.ts';

/** Null if the terminal was closed instead. */
export async function ask(
  { stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>,
  question: string,
  output: Stdout = stdout,
): Promise<string | null> {
  const prompt = createInterface({ input: stdin, output });
  const closed = new Promise<null>((resolve) => prompt.once('close', () => resolve(null)));
  try {
    const answer = await Promise.race([prompt.question(question), closed]);
    if (answer === null) output.write('\n');
    return answer?.trim() ?? null;
  } finally {
    prompt.close();
  }
}

/** Everything but `y` and `yes` counts as no. */
export async function askYesNo(
  io: Pick<Io, 'stdin' | 'stdout'>,
  question: string,
  output: Stdout = io.stdout,
): Promise<boolean> {
  return isYes((await ask(io, `${question} [y/N] `, output)) ?? '');
}

export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}
