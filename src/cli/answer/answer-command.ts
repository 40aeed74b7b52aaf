// The command that answers a question with one of its choices, as it can be typed in a shell.

import { printableLine } from '../terminal/printable.ts';

export function answerCommand(id: string, choice: string): string {
  // Without the bare --, a choice could be taken for an option.
  return `deepwork answer ${id} ${choice.startsWith('-') ? '-- ' : ''}${shellWord(choice)}`;
}

export function shellWord(text: string): string {
  const line = printableLine(text);
  return /^[\w.,:/@%+-][\w.,:/@%+=-]*$/.test(line) ? line : `'${line.replaceAll("'", "'\\''")}'`;
}
