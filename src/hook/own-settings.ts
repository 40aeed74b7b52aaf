// A plugin's hook and the same hook in the client's settings would both run, and answer twice. So the
// plugin's hook does nothing if the settings that the client reads have it. Settings win, because they
// are part of the project and apply to everyone who works on it.
//
// A clone brings settings, too, and may want the plugin to be silent. So only an entry counts that the
// client really calls at this moment, and whose command is only ours, as `deepwork init` writes it.

import path from 'node:path';
import { isRecord } from '../core/is-record.ts';
import { readLinkedText, readProjectText } from '../files/read-contained.ts';
import type { HookClient, Moment } from './hook-client.ts';
import { parseJsonWithComments } from './json-with-comments.ts';

/** The flag that marks a plugin's hooks. */
export const PLUGIN_FLAG = '--plugin';

const MAX_BYTES = 1024 * 1024;

/** Whether the settings in the project or in the user's home have this hook. */
export function settingsHaveHook(
  { name, settings }: HookClient,
  moment: Moment,
  { project, home }: { readonly project: string; readonly home: string },
): boolean {
  if (settings === null) return false;
  const event = settings.events[moment];
  const call = `hook ${name} ${moment}`;
  const has = (text: string | null) =>
    text?.includes(call) === true && commandsAt(text, event).some((each) => isOwn(each, call));
  return settings.files.some(
    (file) =>
      has(readProjectText(project, path.join(project, file), MAX_BYTES)) ||
      has(readLinkedText(path.join(home, file), MAX_BYTES)),
  );
}

/** The commands that the client runs at every event of this name. */
function commandsAt(text: string, event: string): string[] {
  const groups = asMap(asMap(parseJsonWithComments(text)).hooks)[event];
  return asList(groups)
    .map(asMap)
    .filter(({ matcher = '' }) => matcher === '' || matcher === '*')
    .flatMap(({ hooks }) => asList(hooks).map(asMap))
    .flatMap(({ type, command }) =>
      type === 'command' && typeof command === 'string' ? [command] : [],
    );
}

const COMMAND =
  /^('[^']*'|"[^"]*"|[^\s'";&|]+)\s+(?:('[^']*'|"[^"]*"|[^\s'";&|]+)\s+)?(hook \w+ \w+)$/;
const NODE = /^(?:node|nodejs|bun)(?:\.exe)?$/;
const PROGRAM = /^(?:deepwork(?:\.\w+)?|main\.cjs)$/;

/** `deepwork hook …`, `node /path/of/main.cjs hook …`, and nothing else on the line. */
function isOwn(command: string, call: string): boolean {
  const [, first = '', second, called] = COMMAND.exec(command.trim()) ?? [];
  if (called !== call) return false;
  if (second === undefined) return PROGRAM.test(baseName(first));
  return NODE.test(baseName(first)) && PROGRAM.test(baseName(second));
}

function baseName(word: string): string {
  return word.replace(/^['"]|['"]$/g, '').replace(/^.*[\\/]/s, '');
}

function asMap(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
