// The journal in files: the stream `session/ab12` is `<folder>/session/ab12.jsonl`.
// There is no lock besides the file itself. An append does the following:
//
//   open, fold new lines       the stream is not at `expected`: conflict, nothing written
//   ONE write at the end       short or failed: an error; the bytes written are a torn line
//   sync                       failed: an error; the line may be there or not, and the file
//                              is closed: the next append renews it first (`replace-unsynced.ts`)
//   fold new lines             own line accepted: appended; another was first: conflict
//   check the name             another file there now: appended if that has our line, too,
//                              else ours was set aside, replaced or deleted: conflict
//
// Memory holds only how far each stream's file was folded (`fold-progress.ts`). It is dropped after
// any error, and the file always wins over it: if a fold that began in the middle finds
// damage, the file is folded from its beginning before it is called damaged.
//
// A file that is not this user's own work is not trusted and is quarantined: one without a
// single line under the user's key, and one that came with a repository. A file with own
// lines and unproved ones is this user's, and damaged.
//
// The order of appends relies on `O_APPEND` of one machine's file system; do not put the
// journal into a folder that several machines mount over a network.

import { dirname, join, resolve } from 'node:path';
import { drain, flattenBatches } from '../async/flatten-batches.ts';
import { keyedMutex } from '../async/keyed-mutex.ts';
import { openRunningCalls } from '../async/running-calls.ts';
import { type FileFacts, type FileLayer, type OpenFile, realFileLayer } from './file-layer.ts';
import { openProgress } from './fold-progress.ts';
import { openFolders } from './folders.ts';
import {
  type After,
  type Appended,
  type Conflict,
  type Journal,
  type StoredEvent,
  StreamDamaged,
  StreamForeign,
  type StreamPosition,
  StreamRolledBack,
  type WhileSyncing,
} from './journal.ts';
import { type Damage, FOLD_START, type FoldState } from './judge-lines.ts';
import { type Checked, checkEvent, writeLine } from './line.ts';
import { listStreams, openNames } from './list-streams.ts';
import { createNotifier } from './notify.ts';
import { closingLine, renew } from './replace-unsynced.ts';
import { holdsProvedLine, scan } from './scan.ts';
import { type Seal, sealOf } from './seal.ts';
import { listSetAside, openSetAside } from './set-aside.ts';
import { closeQuietly, cutShort, openStreamFile, type StreamFile } from './stream-file.ts';
import {
  checkAfter,
  checkStreamName,
  DAMAGED,
  fileOf,
  isAt,
  QUARANTINE,
  seqOf,
} from './stream-name.ts';
import { watchFolder } from './watch-folder.ts';

export interface FileJournalOptions {
  /** The user's key; requested when a stream is first read or written. */
  readonly key: () => Buffer;
  /** Whether a stream's file came with a repository instead of this user's work. */
  readonly cameWithClone?: (path: string, file: Pick<OpenFile, 'read'>) => Promise<boolean>;
  readonly layer?: FileLayer;
}

const CONFLICT: Conflict = { kind: 'conflict' };

const MAX_SEALS = 256;

export function openFileJournal(folder: string, options: FileJournalOptions): Journal {
  const { key, cameWithClone = async () => false, layer = realFileLayer } = options;
  const root = resolve(folder);
  const folders = openFolders(root, layer);
  const damaged = openSetAside(root, layer, folders, DAMAGED);
  const quarantine = openSetAside(root, layer, folders, QUARANTINE);
  const notifier = createNotifier();
  const inTurn = keyedMutex();
  const progress = openProgress();
  /** Files, by identity, whose sync failed in this process. */
  const failed = new Set<string>();
  const appending = openRunningCalls();
  let stopWatching = () => {};
  let watchers = 0;

  const pathOf = (stream: string) => join(root, fileOf(stream));

  // Deriving a seal costs several times as much as signing a line with it.
  const seals = new Map<string, Seal>();
  function sealFor(stream: string): Seal {
    const seal = seals.get(stream) ?? sealOf(key(), stream);
    if (seals.size >= MAX_SEALS) seals.clear();
    seals.set(stream, seal);
    return seal;
  }
  const streams = (prefix: string) => listStreams(root, layer, prefix);

  /** Folds all new lines of the file; a damaged file is set aside, and the damage thrown. */
  async function* foldOn(
    stream: string,
    { file, facts }: StreamFile,
    seal: Seal,
    from: FoldState,
    /** Whether this process has accepted lines of this file before. */
    known: boolean,
  ): AsyncGenerator<readonly StoredEvent[], FoldState> {
    let state = from;
    let damage: Damage | null = null;
    for await (const folded of scan(file, from, seal.sign)) {
      yield folded.events;
      ({ state, damage } = folded);
    }
    if (damage === null) {
      progress.remember(stream, facts, state);
      return state;
    }
    progress.forget(stream);
    if (from !== FOLD_START) return yield* foldOn(stream, { file, facts }, seal, FOLD_START, known);
    const ours = known || state.seq > 0 || (await holdsProvedLine(file, seal.sign));
    if (!ours) throw await quarantined(stream, facts, 'key');
    const kept = await damaged.take(stream, facts.identity);
    if (kept !== fileOf(stream)) notifier.changed(stream);
    throw new StreamDamaged(stream, damage.line, damage.reason, kept);
  }

  async function quarantined(
    stream: string,
    { identity }: FileFacts,
    reason: StreamForeign['reason'],
  ): Promise<StreamForeign> {
    const kept = await quarantine.take(stream, identity);
    // Where nothing can be moved, nothing has changed, and whoever watches would read it again.
    if (kept !== fileOf(stream)) notifier.changed(stream);
    return new StreamForeign(stream, reason, kept, kept === fileOf(stream));
  }

  /** The position from which a file has to be folded. */
  async function startIn(
    stream: string,
    { file, facts }: StreamFile,
    seq?: number,
  ): Promise<{ readonly from: FoldState; readonly known: boolean }> {
    const known = progress.knows(stream, facts);
    const from = progress.recall(stream, facts, seq);
    if (!known && facts.size > 0 && (await cameWithClone(pathOf(stream), file))) {
      throw await quarantined(stream, facts, 'git');
    }
    return { from, known };
  }

  async function* readNow(
    stream: string,
    after: After,
  ): AsyncGenerator<readonly StoredEvent[], void> {
    const seq = seqOf(after);
    await folders.check(dirname(pathOf(stream)));
    const opened = await openStreamFile(layer, stream, pathOf(stream), 'reading');
    if (opened === null) {
      progress.forget(stream);
      if (!isAt(FOLD_START, after)) throw new StreamRolledBack(stream, seq);
      return;
    }
    try {
      const { from, known } = await startIn(stream, opened, seq);
      let at: StreamPosition = from;
      let last = seq;
      for await (const events of foldOn(stream, opened, sealFor(stream), from, known)) {
        at = events.find((event) => event.seq === seq) ?? at;
        const fresh = events.filter((event) => event.seq > last);
        if (fresh.length === 0) continue;
        if (!isAt(at, after)) break;
        last = fresh.at(-1)?.seq ?? last;
        yield fresh;
      }
      if (!isAt(at, after)) throw new StreamRolledBack(stream, seq);
    } finally {
      await closeQuietly(opened.file);
    }
  }

  async function write(
    stream: string,
    expected: After,
    event: Checked,
    whileSyncing: WhileSyncing | undefined,
  ): Promise<Appended | Conflict> {
    const path = pathOf(stream);
    const seal = sealFor(stream);
    await folders.check(dirname(path));
    let opened = await openStreamFile(layer, stream, path, 'appending');
    if (opened === null) {
      progress.forget(stream);
      if (seqOf(expected) > 0) return CONFLICT;
      await folders.make(dirname(path));
      opened = await openStreamFile(layer, stream, path, 'creating');
    }
    if (opened === null) return CONFLICT;
    const { file, facts } = opened;
    let synced: Promise<void> = Promise.resolve();
    try {
      const { from, known } = await startIn(stream, opened);
      let state = from;
      if (facts.size > from.offset) {
        state = await drain(foldOn(stream, opened, seal, from, known));
      }
      if (!endsAt(state, expected)) return CONFLICT;
      if (state.closed || failed.has(facts.identity)) {
        await replaceFailed(stream, opened, seal, state);
        return await write(stream, expected, event, whileSyncing);
      }
      if (facts.size === 0) await folders.makeDurable(dirname(path));

      const line = writeLine(event, state.seq + 1, state.hash, seal);
      const written = await file.write(line.bytes);
      if (written < line.bytes.length) throw cutShort(written, line.bytes.length);
      // The write determines the line's place in the file, so it can be checked during the sync;
      // but nothing is reported before the sync is done.
      synced = file.sync().catch(async (error: unknown) => {
        await close(opened, seal, state).catch(() => {});
        throw error;
      });
      synced.catch(() => {});
      const named = layer.facts(path);
      named.catch(() => {});

      const grown = {
        file,
        facts: { ...facts, size: facts.size + line.bytes.length, version: '' },
      };
      let own: StoredEvent | undefined;
      for await (const events of foldOn(stream, grown, seal, state, true)) {
        own ??= events.find((accepted) => accepted.hash === line.hash);
      }
      const now = await named;
      if (now?.identity === facts.identity) progress.confirm(stream, now);
      const last = now?.size === grown.facts.size ? now.version : null;
      if (now?.identity === facts.identity && own !== undefined) await whileSyncing?.(last, own);
      await synced;
      const moved = (await layer.facts(path))?.identity !== facts.identity;
      if (moved) progress.forget(stream);
      // If another process has renewed the file since, it has copied our line, too.
      if (own === undefined || (moved && !(await has(stream, own)))) return CONFLICT;
      return { kind: 'appended', event: own, version: moved ? null : last };
    } finally {
      await synced.catch(() => {});
      await closeQuietly(file);
    }
  }

  /** Ensures that no process builds on a file whose content may not be on the disk. */
  async function close({ file, facts }: StreamFile, seal: Seal, state: FoldState): Promise<void> {
    failed.add(facts.identity);
    const { bytes } = closingLine(seal, state);
    const written = await file.write(bytes);
    if (written < bytes.length) throw cutShort(written, bytes.length);
  }

  async function replaceFailed(
    stream: string,
    opened: StreamFile,
    seal: Seal,
    before: FoldState,
  ): Promise<void> {
    let state = before;
    if (!state.closed) {
      await close(opened, seal, state);
      state = await drain(foldOn(stream, opened, seal, state, true));
    }
    progress.forget(stream);
    await renew(layer, pathOf(stream), opened, state, seal.sign);
    failed.delete(opened.facts.identity);
  }

  async function has(stream: string, own: StoredEvent): Promise<boolean> {
    for await (const event of flattenBatches(readNow(stream, own.seq - 1))) {
      if (event.seq >= own.seq) return event.hash === own.hash;
    }
    return false;
  }

  return {
    read(stream, after) {
      checkStreamName(stream);
      checkAfter(after);
      return flattenBatches(readNow(stream, after));
    },

    async append(stream, expected, event, whileSyncing) {
      checkStreamName(stream);
      checkAfter(expected);
      const checked = checkEvent(event);
      try {
        const writing = inTurn(stream, () => write(stream, expected, checked, whileSyncing));
        appending.add(writing);
        const result = await writing;
        if (result.kind === 'appended') notifier.changed(stream);
        return result;
      } catch (error) {
        progress.forget(stream);
        throw error;
      }
    },

    streams,
    names: openNames(root, layer),

    async version(stream) {
      checkStreamName(stream);
      const facts = await layer.facts(pathOf(stream));
      return facts?.kind === 'file' ? facts.version : null;
    },

    watch(prefix, onChange) {
      const unsubscribe = notifier.watch(prefix, onChange);
      if (watchers === 0 && !notifier.closed)
        stopWatching = watchFolder(root, () => streams(''), notifier.changed);
      watchers += 1;
      let active = true;
      return () => {
        unsubscribe();
        if (active) watchers -= 1;
        if (active && watchers === 0) stopWatching();
        active = false;
      };
    },

    async setAside(prefix) {
      return [
        ...(await listSetAside(root, layer, DAMAGED, prefix)),
        ...(await listSetAside(root, layer, QUARANTINE, prefix)),
      ];
    },

    async close() {
      notifier.close();
      stopWatching();
      await appending.ended();
    },
  };
}

/** Whether a stream ends exactly at a position. */
function endsAt(state: StreamPosition, expected: After): boolean {
  return state.seq === seqOf(expected) && isAt(state, expected);
}
