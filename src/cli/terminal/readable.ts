// Formats an answer for a terminal: keys and values by indentation, empty values left out.

import type { Screen } from '../board/screen.ts';
import { printable } from './printable.ts';

export function readable({ paint }: Screen, value: unknown): string {
  return `${block(paint, value, 0).join('\n')}\n`;
}

function block(paint: Screen['paint'], value: unknown, depth: number): string[] {
  const margin = '  '.repeat(depth);
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const [first = '', ...others] = block(paint, item, depth + 1);
      return [`${margin}- ${first.trimStart()}`, ...others];
    });
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .filter(([, inner]) => !isEmpty(inner))
      .flatMap(([key, inner]) => {
        const name = `${margin}${paint('bold', printable(key))}:`;
        return isShort(inner)
          ? [`${name} ${printable(String(inner))}`]
          : [name, ...block(paint, inner, depth + 1)];
      });
  }
  return printable(String(value))
    .trimEnd()
    .split('\n')
    .map((line) => margin + line);
}

function isShort(value: unknown): boolean {
  return typeof value !== 'object' && !String(value).includes('\n');
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
