// The streams of a storm, read by the simplest means: files are split into lines and parsed, and a
// line counts if its number is the next one (lost races and torn lines do not); a database is asked
// for its rows.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';

export interface StreamEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are looked into freely by checkers
  readonly data: any;
  readonly prev?: string;
  readonly hash?: string;
}

export interface Streams {
  readonly team: readonly StreamEvent[];
  /** By session id. */
  readonly sessions: ReadonlyMap<string, readonly StreamEvent[]>;
}

export const NO_STREAMS: Streams = { team: [], sessions: new Map() };

export function readFiles(root: string): Streams {
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

export function readStream(file: string): StreamEvent[] {
  const events: StreamEvent[] = [];
  if (!existsSync(file)) return events;
  // Without a newline it is not complete yet, or torn and ended by the next line's tab.
  for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
    const event = parse(line.slice(line.lastIndexOf('\t') + 1));
    if (event !== null && event.seq === events.length + 1) events.push(event);
  }
  return events;
}

function parse(text: string): StreamEvent | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export async function readDatabase(url: string): Promise<Streams> {
  const sql = postgres(url, { max: 1 });
  const rows = await sql`
    select stream, seq, type, at, data, prev, hash from deepwork.event order by stream, seq`;
  await sql.end();
  const streams = new Map<string, StreamEvent[]>();
  for (const { stream, seq, ...event } of rows) {
    const events = streams.get(stream) ?? [];
    events.push({ ...event, seq: Number(seq) } as StreamEvent);
    streams.set(stream, events);
  }
  const isSession = ([name]: [string, unknown]) => name.startsWith('session/');
  return {
    team: streams.get('team/log') ?? [],
    sessions: new Map(
      [...streams].filter(isSession).map(([name, events]) => [name.slice(8), events]),
    ),
  };
}
