// The journal of a project, in files or in a database. The choice is read from settings when a
// call first needs the journal, and is then kept. If files are chosen, no database code is loaded.

import { withinCall } from '../async/call-scope.ts';
import type { Liveness, Processes } from '../core/session/ownership.ts';
import type { Journal, Unsubscribe } from './journal.ts';
import { openPostgresStore } from './postgres/open.ts';
import type { PostgresOptions, PostgresStore } from './postgres/store.ts';

export type Choice =
  | { readonly kind: 'files' }
  | ({ readonly kind: 'postgres' } & Required<
      Pick<PostgresOptions, 'url' | 'schema' | 'workspace' | 'leaseSeconds'>
    >);

export interface ChosenStoreOptions {
  /** Called until it succeeds. Throws a refusal if it is unclear where the journal is. */
  choose(): Promise<Choice>;
  readonly files: Journal;
  /** The processes of this machine. */
  readonly system: Processes;
  readonly agent?: string | undefined;
  /** Translates paths in events between the store and this checkout. */
  readonly portable?: (journal: Journal) => Journal;
}

export interface ChosenStore {
  readonly journal: Journal;
  readonly processes: Processes;
  /** Null if files are chosen. */
  database(): Promise<PostgresStore | null>;
  /** The same, if it is already decided. */
  known(): PostgresStore | null;
  /** Streams that are in files but not in the database, if a database is chosen. */
  onlyInFiles(): Promise<readonly string[]>;
  /** Bounds the total time that a call waits for an unavailable database. */
  withinCall<T>(run: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Chosen {
  readonly journal: Journal;
  readonly database: PostgresStore | null;
}

export function openChosenStore(options: ChosenStoreOptions): ChosenStore {
  const { files, system, portable = (journal) => journal } = options;
  let chosen: Chosen | null = null;
  let choosing: Promise<Chosen> | null = null;
  /** Begin once the store is chosen, however many attempts that takes. */
  const watchers = new Set<(journal: Journal) => void>();

  async function choose(): Promise<Chosen> {
    const choice = await options.choose();
    if (choice.kind === 'files') return { journal: portable(files), database: null };
    const { url, schema, workspace, leaseSeconds } = choice;
    const database = openPostgresStore({
      url,
      schema,
      workspace,
      leaseSeconds,
      processes: system,
      ...(options.agent !== undefined && { agent: options.agent }),
    });
    return { journal: portable(database.journal), database };
  }

  async function getChosen(): Promise<Chosen> {
    if (chosen !== null) return chosen;
    choosing ??= choose();
    try {
      chosen = await choosing;
      for (const begin of watchers) begin(chosen.journal);
      watchers.clear();
      return chosen;
    } finally {
      choosing = null;
    }
  }

  async function* readLater(...asked: Parameters<Journal['read']>) {
    yield* (await getChosen()).journal.read(...asked);
  }

  async function* listLater(prefix: string) {
    yield* (await getChosen()).journal.streams(prefix);
  }

  function watchLater(prefix: string, onChange: (stream: string) => void): Unsubscribe {
    let stop: Unsubscribe | null = null;
    const begin = (journal: Journal) => {
      stop = journal.watch(prefix, onChange);
    };
    watchers.add(begin);
    getChosen().catch(() => {});
    return () => {
      watchers.delete(begin);
      stop?.();
    };
  }

  const processesNow = () => chosen?.database?.processes ?? system;

  return {
    journal: {
      read: (...asked) => chosen?.journal.read(...asked) ?? readLater(...asked),
      append: async (...asked) => (chosen ?? (await getChosen())).journal.append(...asked),
      streams: (prefix) => chosen?.journal.streams(prefix) ?? listLater(prefix),
      names: async (prefix) => (chosen ?? (await getChosen())).journal.names(prefix),
      versions: async (prefix) => (chosen ?? (await getChosen())).journal.versions?.(prefix),
      mark: () => chosen?.journal.mark?.() ?? null,
      version: async (stream) => (chosen ?? (await getChosen())).journal.version(stream),
      watch: (prefix, onChange) =>
        chosen?.journal.watch(prefix, onChange) ?? watchLater(prefix, onChange),
      setAside: async (prefix) => (chosen ?? (await getChosen())).journal.setAside(prefix),
      close: async () => chosen?.journal.close(),
    },
    processes: {
      own: () => system.own(),
      livenessOf: (process): Liveness => processesNow().livenessOf(process),
      describe: (process) => processesNow().describe(process),
      canLoseWork: () => processesNow().canLoseWork?.() === true,
    },
    database: async () => (await getChosen()).database,
    known: () => chosen?.database ?? null,
    async onlyInFiles() {
      const { journal, database } = await getChosen();
      if (database === null) return [];
      const inFiles = await files.names('');
      if (inFiles.length === 0) return [];
      // Looked up one by one, without listing everything in the database.
      const there = await journal.versions?.('');
      return inFiles.filter((stream) => there?.get(stream) === undefined);
    },
    withinCall: async (run) => (chosen?.database === null ? run() : withinCall(run)),
    async close() {
      await choosing?.catch(() => {});
      await chosen?.journal.close();
      await chosen?.database?.close();
    },
  };
}
