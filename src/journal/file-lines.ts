// The journal in files, line by line, for copying. Only lines that the fold accepts are read, each
// proved under the user's key. A new stream is written to a temporary file, synced, and then given
// its name, so that an interrupted copy leaves no incomplete stream. To an existing stream, lines
// are added one at a time, as every writer does: a line that comes too late is void and harmless.

import { randomBytes } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { drain } from '../async/flatten-batches.ts';
import { errorCode } from '../files/system-errors.ts';
import { type FileLayer, type OpenFile, realFileLayer } from './file-layer.ts';
import { openFolders } from './folders.ts';
import { StreamDamaged, StreamForeign } from './journal.ts';
import { FOLD_START, type FoldState } from './judge-lines.ts';
import { lineText } from './line.ts';
import { type Head, type LineStore, type StoredLine, StreamMoved } from './line-store.ts';
import { listStreams } from './list-streams.ts';
import { holdsProvedLine, scan } from './scan.ts';
import { sealOf } from './seal.ts';
import {
  closeQuietly,
  cutShort,
  openStreamFile,
  type StreamFile,
  writeAll,
} from './stream-file.ts';
import { fileOf } from './stream-name.ts';

export interface FileLinesOptions {
  readonly key: () => Buffer;
  readonly cameWithClone?: (path: string, file: Pick<OpenFile, 'read'>) => Promise<boolean>;
  readonly layer?: FileLayer;
}

export function openFileLines(folder: string, options: FileLinesOptions): LineStore {
  const { key, cameWithClone = async () => false, layer = realFileLayer } = options;
  const root = resolve(folder);
  const folders = openFolders(root, layer);
  const pathOf = (stream: string) => join(root, fileOf(stream));

  /** The accepted lines after a state, and the state at the end. */
  async function* readOn(
    stream: string,
    { file }: Pick<StreamFile, 'file'>,
    from: FoldState,
  ): AsyncGenerator<StoredLine, FoldState> {
    const { sign } = sealOf(key(), stream);
    let texts = new Map<string, string>();
    let state = from;
    const proof = (bytes: Buffer, start: number, end: number) => {
      const hash = sign(bytes, start, end);
      texts.set(hash, bytes.toString('utf8', start, end));
      return hash;
    };
    for await (const folded of scan(file, from, proof)) {
      for (const { seq, hash } of folded.events) {
        yield { seq, hash, text: lineText(hash, texts.get(hash) ?? '') };
      }
      texts = new Map();
      ({ state } = folded);
      if (folded.damage !== null) throw await errorFor(stream, file, folded.damage, state.seq > 0);
    }
    return state;
  }

  async function errorFor(
    stream: string,
    file: OpenFile,
    damage: { readonly line: number; readonly reason: string },
    hasOwn: boolean,
  ): Promise<Error> {
    const isOwn = hasOwn || (await holdsProvedLine(file, sealOf(key(), stream).sign));
    if (!isOwn) return new StreamForeign(stream, 'key', fileOf(stream), true);
    return new StreamDamaged(stream, damage.line, damage.reason, fileOf(stream));
  }

  async function open(stream: string, openFor: 'reading' | 'appending') {
    const path = pathOf(stream);
    await folders.check(dirname(path));
    const opened = await openStreamFile(layer, stream, path, openFor);
    if (opened !== null && opened.facts.size > 0 && (await cameWithClone(path, opened.file))) {
      await closeQuietly(opened.file);
      throw new StreamForeign(stream, 'git', fileOf(stream), true);
    }
    return opened;
  }

  async function* lines(stream: string, afterSeq: number): AsyncGenerator<StoredLine> {
    const opened = await open(stream, 'reading');
    if (opened === null) return;
    try {
      for await (const line of readOn(stream, opened, FOLD_START)) {
        if (line.seq > afterSeq) yield line;
      }
    } finally {
      await closeQuietly(opened.file);
    }
  }

  async function make(stream: string, fresh: AsyncIterable<StoredLine>): Promise<void> {
    const path = pathOf(stream);
    await folders.make(dirname(path));
    const copy = `${path}.${randomBytes(6).toString('hex')}.new`;
    const file = await layer.open(copy, 'making');
    try {
      for await (const { text } of fresh) await writeAll(file, bytesOf(text));
      await file.sync();
      await layer.link(copy, path);
      await folders.makeDurable(dirname(path));
    } catch (error) {
      throw errorCode(error) === 'EEXIST' ? new StreamMoved(stream) : error;
    } finally {
      await closeQuietly(file);
      await layer.removeName(copy).catch(() => {});
    }
  }

  async function extend(
    stream: string,
    opened: StreamFile,
    more: AsyncIterable<StoredLine>,
  ): Promise<void> {
    const { file } = opened;
    let state = await drain(readOn(stream, opened, FOLD_START));
    if (state.closed) throw new StreamMoved(stream);
    for await (const { seq, hash, text } of more) {
      if (seq !== state.seq + 1) throw new StreamMoved(stream);
      const bytes = bytesOf(text);
      // Never in two writes: another writer's line may come between them.
      const written = await file.write(bytes);
      if (written < bytes.length) throw cutShort(written, bytes.length);
      state = await drain(readOn(stream, opened, state));
      if (state.seq !== seq || state.hash !== hash) throw new StreamMoved(stream);
    }
    await file.sync();
  }

  return {
    key: async () => key(),
    async heads() {
      const heads: Head[] = [];
      for await (const { stream } of listStreams(root, layer, '')) {
        const opened = await open(stream, 'reading');
        if (opened === null) continue;
        try {
          const { seq, hash } = await drain(readOn(stream, opened, FOLD_START));
          if (seq > 0) heads.push({ stream, seq, hash });
        } finally {
          await closeQuietly(opened.file);
        }
      }
      return heads;
    },
    lines,
    async put(stream, given) {
      const opened = await open(stream, 'appending');
      if (opened === null) return make(stream, given);
      try {
        await extend(stream, opened, given);
      } finally {
        await closeQuietly(opened.file);
      }
    },
  };
}

function bytesOf(text: string): Buffer {
  return Buffer.from(`\t${text}\n`);
}
