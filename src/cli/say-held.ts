// Says on stderr which settings of a project do not hold, because they loosen something
// that no person has agreed to.

import type { HeldSetting } from '../workspace/guarded-settings.ts';
import { printableLine } from './printable.ts';

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
