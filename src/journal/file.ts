// The journal in files: the stream `session/ab12` is `<folder>/session/ab12.jsonl`.
// The log is the lock. To append is:
//
//   open, fold what is new     the stream is past `expectedSeq`: conflict, nothing written
//   ONE write at the end       short or failed: an error; what did land is a torn line
//   sync                       failed: an error; the line may be there or not
//   fold what is new           own line accepted: appended; another came first: conflict
//   look at the name           another file there now: ours was set aside: conflict
//
// What is kept in memory about a stream is only how far its file was folded
// (`progress.ts`). It is dropped after any error and never believed against the file:
// when a fold that began in the middle finds damage, the file is folded from its
// beginning before it is called damaged.
//
// The order of appends is what one machine's file system makes of `O_APPEND`; a folder
// that several machines mount over a network is not a place for this journal.

import { dirname, join, resolve } from 'node:path';
import { type FileLayer, realFileLayer } from './file-layer.ts';
import { type Damage, type FoldState, START } from './fold.ts';
import { openFolders } from './folders.ts';
import type { Appended, Conflict, Journal, StoredEvent, WhileSyncing } from './journal.ts';
import { type Checked, checkEvent, writeLine } from './line.ts';
import { listStreams, openNames } from './list-streams.ts';
import { createNotifier } from './notify.ts';
import { openProgress } from './progress.ts';
import { scan } from './scan.ts';
import { openSetAside } from './set-aside.ts';
import { closeQuietly, openStreamFile, type StreamFile } from './stream-file.ts';
import { checkSeq, checkStreamName, fileOf } from './stream-name.ts';
import { takeTurns } from './turns.ts';
import { watchFolder } from './watch-folder.ts';

const CONFLICT: Conflict = { kind: 'conflict' };

export function openFileJournal(folder: string, layer: FileLayer = realFileLayer): Journal {
  const root = resolve(folder);
  const folders = openFolders(root, layer);
  const setAside = openSetAside(root, layer, folders);
  const notifier = createNotifier();
  const inTurn = takeTurns();
  const progress = openProgress();
  let stopWatching = () => {};
  let watchers = 0;

  const pathOf = (stream: string) => join(root, fileOf(stream));
  const streams = (prefix: string) => listStreams(root, layer, prefix);

  /** Everything in the file that was not folded before; damage is set aside and thrown. */
  async function* foldOn(
    stream: string,
    { file, facts }: StreamFile,
    from: FoldState,
  ): AsyncGenerator<readonly StoredEvent[], FoldState> {
    let state = from;
    let damage: Damage | null = null;
    for await (const folded of scan(file, from, facts.size - from.offset)) {
      yield folded.events;
      ({ state, damage } = folded);
    }
    if (damage === null) {
      progress.remember(stream, facts, state);
      return state;
    }
    progress.forget(stream);
    if (from !== START) return yield* foldOn(stream, { file, facts }, START);
    const error = await setAside.take(stream, facts.identity, damage);
    notifier.changed(stream);
    throw error;
  }

  async function* readNow(
    stream: string,
    afterSeq: number,
  ): AsyncGenerator<readonly StoredEvent[], void> {
    await folders.check(dirname(pathOf(stream)));
    const opened = await openStreamFile(layer, stream, pathOf(stream), 'reading');
    if (opened === null) {
      progress.forget(stream);
      return;
    }
    try {
      const from = progress.recall(stream, opened.facts, afterSeq);
      let last = afterSeq;
      for await (const events of foldOn(stream, opened, from)) {
        const fresh = events.filter((event) => event.seq > last);
        last = fresh.at(-1)?.seq ?? last;
        if (fresh.length > 0) yield fresh;
      }
    } finally {
      await closeQuietly(opened.file);
    }
  }

  async function write(
    stream: string,
    seq: number,
    event: Checked,
    whileSyncing: WhileSyncing | undefined,
  ): Promise<Appended | Conflict> {
    // Those who waited for their turn behind a success need not look at the disk to know
    // that they lost.
    if (progress.lastSeq(stream) > seq) return CONFLICT;
    const path = pathOf(stream);
    await folders.check(dirname(path));
    let opened = await openStreamFile(layer, stream, path, 'appending');
    if (opened === null) {
      if (seq > 0) return CONFLICT;
      await folders.make(dirname(path));
      opened = await openStreamFile(layer, stream, path, 'creating');
    }
    if (opened === null) return CONFLICT;
    const { file, facts } = opened;
    try {
      let state = progress.recall(stream, facts);
      if (facts.size > state.offset) state = await runOut(foldOn(stream, opened, state));
      if (state.seq !== seq) return CONFLICT;
      if (facts.size === 0) await folders.makeDurable(dirname(path));

      const line = writeLine(event, seq + 1, state.hash);
      const written = await file.write(line.bytes);
      if (written < line.bytes.length) throw cutShort(written, line.bytes.length);
      // The line's place in the file is settled by the write, so the disk may work while
      // we look; but nobody is told before it has finished.
      const synced = file.sync();
      synced.catch(() => {});
      const named = layer.facts(path);
      named.catch(() => {});

      const grown = {
        file,
        facts: { ...facts, size: facts.size + line.bytes.length, version: '' },
      };
      let own: StoredEvent | undefined;
      for await (const events of foldOn(stream, grown, state)) {
        own ??= events.find((accepted) => accepted.hash === line.hash);
      }
      const now = await named;
      const moved = now?.identity !== facts.identity;
      if (!moved) progress.confirm(stream, now);
      const last = now?.size === grown.facts.size ? now.version : null;
      if (!moved && own !== undefined) await whileSyncing?.(last);
      await synced;
      if (moved) progress.forget(stream);
      else if (own !== undefined) return { kind: 'appended', event: own, version: last };
      return CONFLICT;
    } finally {
      await closeQuietly(file);
    }
  }

  return {
    read(stream, afterSeq) {
      checkStreamName(stream);
      checkSeq(afterSeq);
      return oneByOne(readNow(stream, afterSeq));
    },

    async append(stream, expectedSeq, event, whileSyncing) {
      checkStreamName(stream);
      checkSeq(expectedSeq);
      const checked = checkEvent(event);
      try {
        const result = await inTurn(stream, () =>
          write(stream, expectedSeq, checked, whileSyncing),
        );
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
      if (watchers === 0) stopWatching = watchFolder(root, () => streams(''), notifier.changed);
      watchers += 1;
      let active = true;
      return () => {
        unsubscribe();
        if (active) watchers -= 1;
        if (active && watchers === 0) stopWatching();
        active = false;
      };
    },

    async damaged(stream) {
      checkStreamName(stream);
      return setAside.list(stream);
    },
  };
}

/** The items of batches. By hand, because a generator would cost more than the events. */
function oneByOne<T>(batches: AsyncGenerator<readonly T[], void>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      let batch: readonly T[] = [];
      let at = 0;
      const item = (): IteratorResult<T> => ({ value: batch[at++] as T, done: false });
      const refill = async (): Promise<IteratorResult<T>> => {
        const next = await batches.next();
        if (next.done) return { value: undefined, done: true };
        batch = next.value;
        at = 0;
        return item();
      };
      return {
        next: () => (at < batch.length ? Promise.resolve(item()) : refill()),
        async return() {
          await batches.return();
          return { value: undefined, done: true };
        },
      };
    },
  };
}

async function runOut<T>(steps: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
  }
}

// The system gives no reason for writing less than it was given. On a disk there is
// one: no more room.
function cutShort(written: number, of: number): Error {
  const message = `ENOSPC: only ${written} of ${of} bytes could be written, write`;
  return Object.assign(new Error(message), { code: 'ENOSPC' });
}
