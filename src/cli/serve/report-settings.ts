// Reports settings on stderr when a server starts: problems in the files, and settings held
// back because they lower protection and no person has agreed to them.

import type { Workspace } from '../../engine/workspace.ts';
import type { HeldSetting } from '../../environment/settings/guarded-settings.ts';
import type { Io } from '../io.ts';
import { printableLine } from '../terminal/printable.ts';

/** Lets the client's first call run first. */
const REPORT_AFTER_MS = 100;

/** Makes the workspace read its settings files, which reports their problems. */
export function reportSettings(workspace: Pick<Workspace, 'settingsProblems'>): void {
  setTimeout(() => {
    // Unreadable settings are reported by the calls that need them.
    workspace.settingsProblems().catch(() => {});
  }, REPORT_AFTER_MS).unref();
}

export function reportHeldBack(
  { stderr }: Io,
  projectRoot: string,
): (held: readonly HeldSetting[]) => void {
  return (held) => {
    for (const { key, was, now } of held) {
      const what = printableLine(`${key} is set to ${now}, but ${was} applies`);
      stderr.write(
        `deepwork: ${what} until a person agrees: deepwork trust --path ${printableLine(projectRoot)}\n`,
      );
    }
  };
}
