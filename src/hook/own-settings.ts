// A plugin's hook and the same hook in the client's settings would both run, and answer twice. So the
// plugin's hook does nothing if the settings that the client reads have it. Settings win, because they
// are part of the project and apply to everyone who works on it.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { HookClient, Moment } from './hook-client.ts';

/** The flag that marks a plugin's hooks. */
export const PLUGIN_FLAG = '--plugin';

/** Whether one of these folders (the project, the user's home) has settings with this hook. */
export function settingsHaveHook(
  { name, settings }: HookClient,
  moment: Moment,
  folders: readonly string[],
): boolean {
  // Matches what `deepwork init` writes. These files are JSON with comments, but a hook keeps the
  // client waiting and should not load a parser for them.
  const entry = new RegExp(
    `"command"\\s*:\\s*"[^\\n]*\\bhook ${name} ${moment}\\b(?! ${PLUGIN_FLAG})`,
  );
  return folders
    .flatMap((folder) => settings.map((file) => path.join(folder, file)))
    .some((file) => entry.test(withoutComments(textOf(file))));
}

/** Removes comments that take a whole line. */
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
