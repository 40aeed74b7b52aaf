// How values from outside appear in messages: whole if they are short, cut if not, so
// that what is said about them is never lost behind them.

const SHOWN = 200;

export function shown(value: string): string {
  return value.length <= SHOWN ? value : `${value.slice(0, SHOWN)}…`;
}
