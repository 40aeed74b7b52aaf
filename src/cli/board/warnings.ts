// Warnings about a project as a whole, as lines that fit the screen.

import { printableLine } from '../terminal/printable.ts';
import { wrapWords } from './columns.ts';
import type { Screen } from './screen.ts';

export function warningLines(warnings: readonly string[], screen: Screen): string[] {
  return warnings
    .flatMap((warning) => warning.split('\n'))
    .flatMap((line) => wrapWords(printableLine(line), screen.width))
    .map((line) => screen.paint('yellow', line));
}
