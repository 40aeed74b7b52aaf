// Reads unattended runs from the journal without changing it. The run of a workflow is in
// `run/<session id>`; runs of a team are in `team_run/`.

import { keyedMutex } from '../async/keyed-mutex.ts';
import type { RunEvent as UnattendedEvent } from '../core/run/events.ts';
import { evolveRun, type RunRecord } from '../core/run/record.ts';
import { isRunId, TEAM_RUNS, WORKFLOW_RUNS } from '../core/run/streams.ts';
import type { JournalReader, ReadPlace } from '../journal/reader.ts';
import { readEvents } from './read-events.ts';

export interface UnattendedReader {
  /** Null: it is not unattended, or its stream cannot be trusted. */
  find(id: string): Promise<RunRecord | null>;
  events(id: string): Promise<readonly UnattendedEvent[]>;
  /** Runs of the team, in no particular order. */
  ofTeam(): Promise<readonly RunRecord[]>;
}

interface CachedRecord {
  record: RunRecord | null;
  place: ReadPlace | null;
}

export function openUnattendedReader(reader: JournalReader): UnattendedReader {
  const kept = new Map<string, CachedRecord>();
  const inTurn = keyedMutex();

  async function streamOf(id: string): Promise<string | null> {
    if (!isRunId(id)) return null;
    for (const stream of [WORKFLOW_RUNS + id, TEAM_RUNS + id]) {
      if ((await reader.version(stream)) !== null) return stream;
    }
    return null;
  }

  /** One at a time: two that continue from the same place would fold the same events twice. */
  const read = (stream: string) => inTurn(stream, () => readOn(stream));

  async function readOn(stream: string): Promise<RunRecord | null> {
    const one = kept.get(stream) ?? { record: null, place: null };
    if (one.place !== null && (await reader.version(stream)) === one.place.version) {
      return one.record;
    }
    const result = await reader.readOn(stream, {
      place: one.place,
      restart() {
        one.record = null;
      },
      take(event) {
        one.record = evolveRun(one.record, event as unknown as UnattendedEvent);
      },
    });
    one.place = result.kind === 'read' ? result.place : null;
    if (result.kind !== 'read') one.record = null;
    kept.set(stream, one);
    return one.record;
  }

  return {
    async find(id) {
      const stream = await streamOf(id);
      return stream === null ? null : read(stream);
    },
    async events(id) {
      const stream = await streamOf(id);
      return stream === null ? [] : readEvents<UnattendedEvent>(reader, stream);
    },
    async ofTeam() {
      const found: RunRecord[] = [];
      for (const name of await reader.namesIn(TEAM_RUNS.slice(0, -1), new Set())) {
        const record = isRunId(name) ? await read(TEAM_RUNS + name) : null;
        if (record !== null) found.push(record);
      }
      return found;
    },
  };
}
