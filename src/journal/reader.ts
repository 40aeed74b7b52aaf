// Reads streams without changing anything. Unlike the journal itself, it sets no file aside, does
// not tighten folders and creates no key; an untrusted stream is reported and stays where it is.
// Reading continues where it stopped last, so that following a long stream costs one line at a
// time.

import { dirname, join, resolve } from 'node:path';
import { errorCode } from '../files/system-errors.ts';
import { type FileLayer, type OpenFile, realFileLayer } from './file-layer.ts';
import type { SetAsideStream, StoredEvent, Unsubscribe } from './journal.ts';
import { FOLD_START, type FoldState } from './judge-lines.ts';
import { listStreams } from './list-streams.ts';
import { createNotifier } from './notify.ts';
import { holdsProvedLine, scan } from './scan.ts';
import { sealOf } from './seal.ts';
import { listSetAside } from './set-aside.ts';
import { closeQuietly, openStreamFile, type StreamFile } from './stream-file.ts';
import { checkStreamName, DAMAGED, fileOf, QUARANTINE, STREAM_EXTENSION } from './stream-name.ts';
import { watchFolder } from './watch-folder.ts';

/** How far a stream was read; a different file under its name is read from the start. */
export interface ReadPlace {
  readonly identity: string;
  readonly version: string;
  readonly size: number;
  readonly state: FoldState;
}

export type ReadOn =
  | { readonly kind: 'missing' }
  | { readonly kind: 'read'; readonly place: ReadPlace }
  /** Untrusted from this line on or, if it is foreign, entirely. */
  | { readonly kind: 'damaged'; readonly why: string };

export interface Followed {
  readonly place: ReadPlace | null;
  /** Events read before are invalid: all events follow from the first. */
  restart(): void;
  take(event: StoredEvent): void;
}

export interface JournalReader {
  /** Passes on every event after a place. */
  readOn(stream: string, followed: Followed): Promise<ReadOn>;
  /** Null if there is no such stream. */
  version(stream: string): Promise<string | null>;
  /** Names in a folder that look like streams, except the known ones. */
  namesIn(folder: string, known: ReadonlySet<string>): Promise<readonly string[]>;
  /** Files that were set aside, as in `Journal`. */
  setAside(prefix: string): Promise<readonly SetAsideStream[]>;
  watch(onChange: (stream: string) => void): Unsubscribe;
  /**
   * The streams that changed since a mark of the journal, and the wanted ones that exist, in one
   * query, whose result is used for the rest of the call. Null if all have to be listed.
   */
  changedSince(
    mark: string,
    wanted: { readonly names: readonly string[]; readonly prefix: string },
  ): Promise<readonly string[] | null>;
  /** Whether all writers leave their marks of open sessions in this checkout. */
  marksAreComplete(): Promise<boolean>;
}

export interface ReaderOptions {
  /** The user's key; null if there is none, so that nothing here was written by this user. */
  readonly key: () => Buffer | null;
  readonly cameWithClone?: (path: string, file: Pick<OpenFile, 'read'>) => Promise<boolean>;
  readonly layer?: FileLayer;
}

const NOT_OWN = "this user did not write it here: it is not under this user's key";
const CLONED = 'this user did not write it here: it came with the repository';

export function openJournalReader(folder: string, options: ReaderOptions): JournalReader {
  const { cameWithClone = async () => false, layer = realFileLayer } = options;
  const root = resolve(folder);
  let key: Buffer | null | undefined;
  const userKey = () => {
    key ??= options.key();
    return key;
  };

  /** As in the journal, no folder below its own may be a link. */
  async function isReal(path: string): Promise<boolean> {
    if (path === root) return true;
    const facts = await layer.facts(path);
    return facts?.kind === 'folder' && isReal(dirname(path));
  }

  async function foldOn(
    stream: string,
    opened: StreamFile,
    followed: Followed,
    from: FoldState,
  ): Promise<ReadOn> {
    const { file, facts } = opened;
    const secret = userKey();
    if (secret === null) return { kind: 'damaged', why: NOT_OWN };
    const { sign } = sealOf(secret, stream);
    let state = from;
    for await (const folded of scan(file, from, sign)) {
      for (const event of folded.events) followed.take(event);
      ({ state } = folded);
      if (folded.damage === null) continue;
      if (from !== FOLD_START) {
        followed.restart();
        return foldOn(stream, opened, followed, FOLD_START);
      }
      const isOwn = state.seq > 0 || (await holdsProvedLine(file, sign));
      const { line, reason } = folded.damage;
      return { kind: 'damaged', why: isOwn ? `line ${line}: ${reason}` : NOT_OWN };
    }
    const { identity, version, size } = facts;
    return { kind: 'read', place: { identity, version, size, state } };
  }

  return {
    async readOn(stream, followed) {
      checkStreamName(stream);
      const path = join(root, fileOf(stream));
      if (!(await isReal(dirname(path)))) return { kind: 'missing' };
      const opened = await openStreamFile(layer, stream, path, 'reading').catch(unreadable);
      if (opened === null) return { kind: 'missing' };
      if (!('file' in opened)) return opened;
      try {
        const from = startOf(followed.place, opened);
        if (from === FOLD_START && followed.place !== null) followed.restart();
        if (from === FOLD_START && (await cameWithClone(path, opened.file))) {
          return { kind: 'damaged', why: CLONED };
        }
        return await foldOn(stream, opened, followed, from);
      } finally {
        await closeQuietly(opened.file);
      }
    },

    async version(stream) {
      const facts = await layer.facts(join(root, fileOf(stream)));
      return facts?.kind === 'file' ? facts.version : null;
    },

    async namesIn(name, known) {
      const path = join(root, name);
      if (!(await isReal(path))) return [];
      const names: string[] = [];
      // There may be ten thousand, most of them known.
      for (const file of await layer.names(path)) {
        const each = file.slice(0, -STREAM_EXTENSION.length);
        if (!known.has(each) && file.endsWith(STREAM_EXTENSION)) names.push(each);
      }
      return names;
    },

    async setAside(prefix) {
      const found: SetAsideStream[] = [];
      for (const aside of [DAMAGED, QUARANTINE] as const) {
        if (!(await isReal(join(root, aside)))) continue;
        found.push(...(await listSetAside(root, layer, aside, prefix)));
      }
      return found;
    },

    watch(onChange) {
      const notifier = createNotifier();
      notifier.watch('', onChange);
      const stop = watchFolder(root, () => listStreams(root, layer, ''), notifier.changed);
      return () => {
        notifier.close();
        stop();
      };
    },

    changedSince: async () => null,
    marksAreComplete: async () => true,
  };
}

/** Changed, but not longer: someone wrote into it, so it is read from the start. */
function startOf(place: ReadPlace | null, { facts }: StreamFile): FoldState {
  if (place === null || place.identity !== facts.identity) return FOLD_START;
  if (facts.size < place.state.offset) return FOLD_START;
  if (facts.size === place.size && facts.version !== place.version) return FOLD_START;
  return place.state;
}

function unreadable(error: unknown): ReadOn {
  const code = errorCode(error);
  const why = code === '' ? (error as Error).message : `it cannot be opened (${code})`;
  return { kind: 'damaged', why };
}
