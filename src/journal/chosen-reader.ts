// A read-only journal, in files or in a database. Which one is decided when it is first used.

import type { Processes } from '../core/session/ownership.ts';
import type { Journal } from './journal.ts';
import { openPostgresReader } from './postgres/reader.ts';
import type { PostgresStore } from './postgres/store.ts';
import type { JournalReader } from './reader.ts';

export interface ChosenReaderOptions {
  /** Null: files. */
  database(): Promise<PostgresStore | null>;
  readonly files: JournalReader;
  readonly system: Processes;
  /** Translates paths in events between the database and this checkout. */
  readonly portable: (journal: Journal) => Journal;
}

export interface ChosenReader {
  readonly reader: JournalReader;
  readonly processes: Processes;
}

export function openChosenReader(options: ChosenReaderOptions): ChosenReader {
  const { files, system, portable } = options;
  let chosen: JournalReader | null = null;
  let processes = system;

  async function getReader(): Promise<JournalReader> {
    if (chosen !== null) return chosen;
    const database = await options.database();
    chosen ??= database === null ? files : openPostgresReader(portable(database.journal), database);
    processes = database?.processes ?? system;
    return chosen;
  }

  return {
    reader: {
      readOn: async (stream, followed) => (await getReader()).readOn(stream, followed),
      version: async (stream) => (await getReader()).version(stream),
      namesIn: async (folder, known) => (await getReader()).namesIn(folder, known),
      setAside: async (prefix) => (await getReader()).setAside(prefix),
      changedSince: async (mark, wanted) => (await getReader()).changedSince(mark, wanted),
      marksAreComplete: async () => (await getReader()).marksAreComplete(),
      watch(onChange) {
        // At once, or what changes before the choice is made would be missed: most use files.
        const first = chosen ?? files;
        let stop = first.watch(onChange);
        let isStopped = false;
        getReader()
          .then((reader) => {
            if (isStopped || reader === first) return;
            stop();
            stop = reader.watch(onChange);
          })
          .catch(() => {});
        return () => {
          isStopped = true;
          stop();
        };
      },
    },
    processes: {
      own: () => system.own(),
      livenessOf: (process) => processes.livenessOf(process),
      describe: (process) => processes.describe(process),
    },
  };
}
