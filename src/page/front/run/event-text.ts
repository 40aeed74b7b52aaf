// The text of an event as it is shown. The server joins each text of an agent or a review into one
// line and cuts it; the event's data has the original, so its lines are taken from there. A long text
// is shown in part first.

import type { ShownEvent } from '../../../board/run.ts';

const MAX_LINES = 3;
const MAX_LENGTH = 280;
/** How much of two texts has to be equal for them to count as the same. */
const MATCH_LENGTH = 500;

export function eventText({ text, data }: Pick<ShownEvent, 'text' | 'data'>): string {
  const originals = textsIn(data)
    .map((each) => each.trim())
    .filter((each) => each.includes('\n'));
  if (originals.length === 0) return text;
  const withLines = (line: string) => {
    for (const original of originals) {
      const flat = original.replace(/\s+/g, ' ');
      const place = line.indexOf(flat.slice(0, MATCH_LENGTH));
      // A text is always the last part of its line.
      if (place !== -1) return `${line.slice(0, place)}${place > 0 ? '\n' : ''}${original}`;
    }
    return line;
  };
  return text.split('\n').map(withLines).join('\n');
}

/** The beginning of a long text; null: it is short enough. */
export function beginningOf(text: string): string | null {
  const lines = text.split('\n');
  const first = lines.slice(0, MAX_LINES).join('\n');
  if (first.length > MAX_LENGTH) return first.slice(0, MAX_LENGTH);
  return lines.length > MAX_LINES ? first : null;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
