// Reads sessions from the journal without changing it. Each stream is folded once and then continued
// from there; only the last few ended sessions stay in memory.

import { keyedMutex } from '../async/keyed-mutex.ts';
import type { SessionEvent } from '../core/session/events.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import type { JournalReader, ReadPlace } from '../journal/reader.ts';
import { type FoldedRun, foldRun } from './fold-run.ts';
import { readEvents } from './read-events.ts';

const MAX_ENDED_KEPT = 64;

export type FoundRun =
  | { readonly kind: 'run'; readonly run: FoldedRun }
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly why: string };

export interface RunReader {
  find(id: string): Promise<FoundRun>;
  /** All events, oldest first; up to the damage if there is any. */
  events(id: string): Promise<readonly SessionEvent[]>;
}

interface CachedRun {
  run: FoldedRun | null;
  place: ReadPlace | null;
  /** What is wrong with the stream, and with which version of it. */
  damage: { readonly version: string; readonly why: string } | null;
}

export function openRunReader(reader: JournalReader): RunReader {
  const kept = new Map<string, CachedRun>();
  const inTurn = keyedMutex();

  function keep(id: string, one: CachedRun): void {
    kept.delete(id);
    kept.set(id, one);
    const ended = [...kept].filter(
      ([, { run }]) => run !== null && run.session.status !== 'active',
    );
    const [oldest] = ended;
    if (ended.length > MAX_ENDED_KEPT && oldest !== undefined) kept.delete(oldest[0]);
  }

  async function read(id: string): Promise<FoundRun> {
    const stream = SESSION_STREAMS + id;
    const version = await reader.version(stream);
    if (version === null) {
      kept.delete(id);
      return { kind: 'missing' };
    }
    const one = kept.get(id) ?? { run: null, place: null, damage: null };
    if (one.damage?.version === version) return { kind: 'damaged', why: one.damage.why };
    if (one.place?.version !== version) {
      const result = await reader.readOn(stream, {
        place: one.place,
        restart() {
          one.run = null;
        },
        take(event) {
          one.run = foldRun(one.run, event as unknown as SessionEvent);
        },
      });
      if (result.kind === 'damaged') {
        keep(id, { run: null, place: null, damage: { version, why: result.why } });
        return result;
      }
      if (result.kind === 'missing') return result;
      one.place = result.place;
      one.damage = null;
      keep(id, one);
    }
    return one.run === null ? { kind: 'missing' } : { kind: 'run', run: one.run };
  }

  return {
    find: (id) => inTurn(id, () => read(id)),
    events: (id) => readEvents<SessionEvent>(reader, SESSION_STREAMS + id),
  };
}
