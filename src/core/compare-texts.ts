// The order of two texts by their code units, for `sort`. The order of a locale would differ between
// machines.

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
