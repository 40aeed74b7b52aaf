// What an unattended run has spent of its budgets, in words. A budget can be lowered below that.

import type { Budget, Run } from '../../board/run.ts';
import { dollars } from '../../core/run/budgets.ts';
import { counted } from '../../core/wording.ts';

export function budgetsInWords({ turns, minutes, usd }: NonNullable<Run['budgets']>): string {
  return [turnsInWords(turns), minutesInWords(minutes), costInWords(usd)].join(', ');
}

function turnsInWords({ spent, max }: Budget): string {
  const turns = spent ?? 0;
  return spentOf({
    isOver: max !== null && turns > max,
    bare: String(turns),
    inFull: counted(turns, 'turn'),
    max: max === null ? null : counted(max, 'turn'),
  });
}

function costInWords({ spent, max }: Budget): string {
  if (spent === null) return 'cost unknown';
  const inFull = dollars(spent);
  const isOver = max !== null && spent > max;
  return spentOf({ isOver, bare: inFull, inFull, max: max === null ? null : dollars(max) });
}

/** `20 s of 90 min`, `12 of 90 min`. */
function minutesInWords({ spent, max }: Budget): string {
  const minutes = spent ?? 0;
  const isShort = minutes > 0 && minutes < 1;
  const shown = isShort ? Math.ceil(minutes * 60) : Math.round(minutes);
  return spentOf({
    isOver: max !== null && (isShort ? minutes : shown) > max,
    bare: isShort ? `${shown} s` : String(shown),
    inFull: `${shown} ${isShort ? 's' : 'min'}`,
    max: max === null ? null : `${max} min`,
  });
}

interface SpentWords {
  readonly isOver: boolean;
  readonly bare: string;
  /** With its unit. */
  readonly inFull: string;
  readonly max: string | null;
}

/** `2 of 3 turns`, or `2 turns (budget 1 turn)`: a budget can be lowered. */
function spentOf({ isOver, bare, inFull, max }: SpentWords): string {
  if (max === null) return inFull;
  return isOver ? `${inFull} (budget ${max})` : `${bare} of ${max}`;
}
