// How values from outside appear in messages: whole if they are short, cut if not, so
// that what is said about them is never lost behind them.

const SHOWN = 200;

export function shown(value: string): string {
  return shownUpTo(value, SHOWN);
}

/** For what needs more room than a name. */
export function shownUpTo(value: string, most: number): string {
  return value.length <= most ? value : `${value.slice(0, most)}…`;
}
