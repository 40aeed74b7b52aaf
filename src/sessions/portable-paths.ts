// Job directories in events, independent of the machine: `project:.deepwork/jobs/review` is in the
// project, wherever it is checked out; `jobs1:review` is in the second of the folders in which jobs
// are searched, for example the bundled ones.

import path from 'node:path';
import { pathInside } from '../files/inside.ts';
import type { Journal, NewEvent, StoredEvent } from '../journal/journal.ts';
import type { JournalReader } from '../journal/reader.ts';
import { seqOf } from '../journal/stream-name.ts';

export interface Places {
  readonly root: string;
  /** The folders in which jobs are searched, in order. */
  readonly jobFolders: readonly string[];
}

const PROJECT = 'project:';
const JOBS = /^jobs(\d+):/;

export function portablePath(dir: string, { root, jobFolders }: Places): string {
  const inProject = within(root, dir);
  if (inProject !== null) return PROJECT + inProject;
  for (const [index, folder] of jobFolders.entries()) {
    const inside = within(folder, dir);
    if (inside !== null) return `jobs${index}:${inside}`;
  }
  return `${PROJECT}.deepwork/jobs/${path.basename(dir)}`;
}

export function localPath(dir: string, { root, jobFolders }: Places): string {
  if (dir.startsWith(PROJECT)) return path.join(root, dir.slice(PROJECT.length));
  const [prefix, index] = JOBS.exec(dir) ?? [];
  if (prefix === undefined) return dir;
  return path.join(jobFolders[Number(index)] ?? root, dir.slice(prefix.length));
}

/** Translates between portable paths in the journal and paths on this machine. */
export function withPortablePaths(journal: Journal, places: Places): Journal {
  const local = <Event extends NewEvent>(event: Event) => moved(event, localPath, places);
  return {
    ...journal,
    // Only the first event of a stream has a job's path.
    read: (stream, after) =>
      seqOf(after) === 0
        ? allMoved(journal.read(stream, after), local)
        : journal.read(stream, after),
    async append(stream, expected, event, whileSyncing) {
      if (event.type !== STARTED) return journal.append(stream, expected, event, whileSyncing);
      const stored = moved(event, portablePath, places);
      const result = await journal.append(stream, expected, stored, async (version, own) => {
        await whileSyncing?.(version, local(own));
      });
      return result.kind === 'conflict' ? result : { ...result, event: local(result.event) };
    },
  };
}

/** The same for a read-only journal. */
export function readerWithPortablePaths(reader: JournalReader, places: Places): JournalReader {
  return {
    ...reader,
    readOn: (stream, followed) =>
      reader.readOn(stream, {
        place: followed.place,
        restart: () => followed.restart(),
        take: (event) => followed.take(moved(event, localPath, places)),
      }),
  };
}

async function* allMoved(
  events: AsyncIterable<StoredEvent>,
  move: (event: StoredEvent) => StoredEvent,
): AsyncGenerator<StoredEvent> {
  for await (const event of events) yield move(event);
}

const STARTED = 'started';

function moved<Event extends NewEvent>(
  event: Event,
  move: (dir: string, places: Places) => string,
  places: Places,
): Event {
  const dir = event.type === STARTED ? event.data.job_dir : undefined;
  if (typeof dir !== 'string') return event;
  return { ...event, data: { ...event.data, job_dir: move(dir, places) } };
}

/** With slashes; null if it is outside, or the folder itself. */
function within(folder: string, dir: string): string | null {
  const inside = pathInside(folder, dir);
  return inside === null || inside === '' ? null : inside.split(path.sep).join('/');
}
