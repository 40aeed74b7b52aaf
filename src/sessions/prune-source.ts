// The journal that runs are pruned from, in files or in a database. Both return lines as in a
// file, and remove a stream only if it is still the one that was read.

import path from 'node:path';
import { type ArchivedStream, bytesInFile } from '../journal/archive.ts';
import type { FileLayer } from '../journal/file-layer.ts';
import type { StoredEvent } from '../journal/journal.ts';
import { listStreams } from '../journal/list-streams.ts';
import { judgeRow, START } from '../journal/postgres/judge-rows.ts';
import type { PostgresStore } from '../journal/postgres/store.ts';
import { isStoreUnavailable } from '../journal/postgres/unavailable.ts';
import { sealOf } from '../journal/seal.ts';
import { openStreamFile } from '../journal/stream-file.ts';
import { fileOf } from '../journal/stream-name.ts';
import { verifyStream } from '../journal/verify.ts';

export interface ReadStream extends ArchivedStream {
  /** Identifies what was read. */
  readonly identity: string;
}

export interface PruneSource {
  /** The key of its lines, and of the archive. */
  readonly key: Buffer;
  names(prefix: string): Promise<readonly string[]>;
  /** Null if there is none, or it is damaged. */
  read(stream: string, take: (event: StoredEvent) => void): Promise<ReadStream | null>;
  bytesOf(stream: ArchivedStream): AsyncIterable<Buffer>;
  remove(streams: readonly ReadStream[]): Promise<void>;
}

/** Null if there is no such stream, or it cannot be read; an unavailable database is an error. */
export async function foldStream<State, Event>(
  source: PruneSource,
  stream: string,
  evolve: (state: State | null, event: Event) => State,
): Promise<{ readonly state: State; readonly read: ReadStream } | null> {
  let state: State | null = null;
  const take = (event: StoredEvent) => {
    state = evolve(state, event as unknown as Event);
  };
  const read = await source.read(stream, take).catch((error: unknown) => {
    if (isStoreUnavailable(error)) throw error;
    return null;
  });
  return read === null || state === null ? null : { state, read };
}

export function sourceInFiles(journal: string, key: Buffer, layer: FileLayer): PruneSource {
  async function isSame({ stream, identity }: ReadStream, file: string): Promise<boolean> {
    const opened = await openStreamFile(layer, stream, file, 'reading');
    if (opened === null) return false;
    await opened.file.close();
    return opened.facts.identity === identity;
  }

  return {
    key,
    async names(prefix) {
      const names: string[] = [];
      for await (const { stream } of listStreams(journal, layer, prefix)) names.push(stream);
      return names;
    },
    async read(stream, take) {
      const found = await verifyStream(journal, stream, key, layer, take);
      if (found === null || found.damage !== null) return null;
      const { bytes, lines, events, hash, identity } = found;
      return { stream, bytes, lines, events, hash, identity };
    },
    bytesOf: (stream) => bytesInFile(layer, journal, stream),
    async remove(streams) {
      for (const read of streams) {
        const file = path.join(journal, fileOf(read.stream));
        // Only the file that was archived, not one that replaced it since.
        if (await isSame(read, file)) await layer.removeName(file);
      }
      const folders = new Set(streams.map(({ stream }) => path.dirname(fileOf(stream))));
      for (const folder of folders) await layer.syncFolder(path.join(journal, folder));
    },
  };
}

/** The last hash of a stream in the database identifies its whole content. */
export async function sourceInDatabase(database: PostgresStore): Promise<PruneSource> {
  const key = await database.key();
  return {
    key,
    names: async (prefix) =>
      (await database.heads())
        .map(({ stream }) => stream)
        .filter((stream) => stream.startsWith(prefix)),
    async read(stream, take) {
      const { sign } = sealOf(key, stream);
      let last = START;
      let bytes = 0;
      for await (const line of database.lines(stream, 0)) {
        const event = judgeRow(line, last, sign);
        if (typeof event === 'string') return null;
        take(event);
        last = event;
        bytes += asInFile(line.text).length;
      }
      if (last.seq === 0) return null;
      const { seq, hash } = last;
      return { stream, bytes, lines: seq, events: seq, hash, identity: hash };
    },
    async *bytesOf({ stream, events }) {
      for await (const { seq, text } of database.lines(stream, 0)) {
        if (seq <= events) yield asInFile(text);
      }
    },
    async remove(streams) {
      const heads = streams.map(({ stream, events, hash }) => ({ stream, seq: events, hash }));
      await database.remove(heads);
    },
  };
}

function asInFile(text: string): Buffer {
  return Buffer.from(`\t${text}\n`);
}
