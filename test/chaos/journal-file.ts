// Reads a journal's file by the simplest means: split into lines, parse, keep those that count. A
// line counts if its number is the next one; lost races and torn lines do not.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface JournalEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are looked into freely by checkers
  readonly data: any;
}

export interface JournalFiles {
  readonly team: readonly JournalEvent[];
  /** By session id. */
  readonly sessions: ReadonlyMap<string, readonly JournalEvent[]>;
}

export function readJournal(root: string): JournalFiles {
  const folder = path.join(root, '.deepwork/journal');
  const sessions = path.join(folder, 'session');
  const names = existsSync(sessions) ? readdirSync(sessions) : [];
  return {
    team: readStream(path.join(folder, 'team/log.jsonl')),
    sessions: new Map(
      names
        .filter((name) => /^[0-9a-f]{8}\.jsonl$/.test(name))
        .map((name) => [name.slice(0, 8), readStream(path.join(sessions, name))]),
    ),
  };
}

export function readStream(file: string): JournalEvent[] {
  const events: JournalEvent[] = [];
  if (!existsSync(file)) return events;
  // Without a newline it is not complete yet, or torn and ended by the next line's tab.
  for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const event = parse(line.slice(line.lastIndexOf('\t') + 1));
    if (event !== null && event.seq === events.length + 1) events.push(event);
  }
  return events;
}

function parse(text: string): JournalEvent | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
