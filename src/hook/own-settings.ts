// A plugin's hook and one in the client's settings would both run, and say everything twice. So the
// plugin's says nothing where settings that the client reads have the same hook. Settings win,
// because they are in the project, for everyone who works on it.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { HookClient, Moment } from './hook-client.ts';

/** What a plugin adds to the commands of its hooks. */
export const OF_PLUGIN = '--plugin';

/** Whether one of these folders (the project, the user's home) has settings with this hook. */
export function settingsHaveHook(
  { name, settings }: HookClient,
  moment: Moment,
  folders: readonly string[],
): boolean {
  // As it is written by `deepwork init`, whatever starts this program: these files are JSON, some
  // with comments, and are not worth a parser in a command that keeps a client waiting.
  const entry = new RegExp(
    `"command"\\s*:\\s*"[^\\n]*\\bhook ${name} ${moment}\\b(?! ${OF_PLUGIN})`,
  );
  return folders
    .flatMap((folder) => settings.map((file) => path.join(folder, file)))
    .some((file) => entry.test(withoutComments(textOf(file))));
}

/** Of those that take whole lines. */
function withoutComments(text: string): string {
  return text.replace(/^\s*\/\/.*$/gm, '');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
