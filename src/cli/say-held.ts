// What a server says on stderr about the settings of its project: which do not hold, because
// they loosen something that no person has agreed to, and what is wrong with the files.

import type { Workspace } from '../engine/workspace.ts';
import type { HeldSetting } from '../environment/guarded-settings.ts';
import { printableLine } from './printable.ts';

/** The client's first call comes first. */
const REPORT_AFTER_MS = 100;

/** Has the workspace look at its files of settings, which reports what is wrong in them. */
export function reportSettings(workspace: Pick<Workspace, 'settingsProblems'>): void {
  setTimeout(() => {
    // What cannot be read at all is refused, in words, by the calls that need it.
    workspace.settingsProblems().catch(() => {});
  }, REPORT_AFTER_MS).unref();
}

export function sayHeld(projectRoot: string): (held: readonly HeldSetting[]) => void {
  return (held) => {
    for (const { key, was, now } of held) {
      const what = printableLine(`${key} says ${now}, but ${was} holds`);
      process.stderr.write(
        `deepwork: ${what} until a person agrees: deepwork trust --path ${printableLine(projectRoot)}\n`,
      );
    }
  };
}
