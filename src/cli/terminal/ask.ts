// Asks the person at the terminal one question.

import { createInterface } from 'node:readline/promises';

/** Null if the terminal was closed instead. */
export async function ask(
  question: string,
  output: NodeJS.WriteStream = process.stdout,
): Promise<string | null> {
  const prompt = createInterface({ input: process.stdin, output });
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
  question: string,
  output: NodeJS.WriteStream = process.stdout,
): Promise<boolean> {
  return isYes((await ask(`${question} [y/N] `, output)) ?? '');
}

export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}
