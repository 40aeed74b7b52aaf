// The journal in PostgreSQL: the same lines, hashes and answers as in files.

import { flattenBatches } from '../../async/flatten-batches.ts';
import { openRunningCalls } from '../../async/running-calls.ts';
import { nextSlice, sliceIsOver } from '../../async/slices.ts';
import {
  type After,
  type Journal,
  type StoredEvent,
  StreamDamaged,
  type StreamPosition,
  StreamRolledBack,
} from '../journal.ts';
import { checkEvent, writeLine, writtenEvent } from '../line.ts';
import type { Notifier } from '../notify.ts';
import { sealOf } from '../seal.ts';
import { checkAfter, checkStreamName, isAt, seqOf } from '../stream-name.ts';
import type { AppendLine, LineToStore } from './append.ts';
import type { Database } from './database.ts';
import { type Heads, versionOf } from './heads.ts';
import { judgeRow, START } from './judge-rows.ts';
import type { KeyRing } from './keys.ts';
import { pagesOfLines } from './lines.ts';

export interface JournalParts {
  readonly db: Database;
  readonly workspace: string;
  readonly keyRing: KeyRing;
  readonly heads: Heads;
  readonly append: AppendLine;
  readonly notifier: Notifier;
  /** Starts listening for changes by others; called for each watcher. */
  readonly listen: () => void;
  /** Called before an append: others must be able to see that this process is alive. */
  readonly hold: () => Promise<void>;
  readonly mark: () => string | null;
}

export function openPostgresJournal(parts: JournalParts): Journal {
  const { db, workspace, keyRing, heads, append, notifier, listen, hold, mark } = parts;
  const running = openRunningCalls();

  async function* readNow(
    stream: string,
    after: After,
  ): AsyncGenerator<readonly StoredEvent[], void> {
    const seq = seqOf(after);
    const { sign } = sealOf((await keyRing.keys()).journal, stream);
    // The event before is read, too, because the next one continues its hash.
    let last: StreamPosition = START;
    let isKnown = seq === 0;
    for await (const page of pagesOfLines(db, workspace, stream, Math.max(1, seq))) {
      const events: StoredEvent[] = [];
      for (const line of page) {
        if (!isKnown) {
          isKnown = true;
          if (!isAt(line, after)) throw new StreamRolledBack(stream, seq);
          if (line.seq === seq) {
            last = line;
            continue;
          }
        }
        if (sliceIsOver()) await nextSlice();
        const judged = judgeRow(line, last, sign);
        if (typeof judged === 'string') {
          throw new StreamDamaged(stream, line.seq, judged, `${db.schema}event`);
        }
        events.push(judged);
        last = judged;
      }
      if (events.length > 0) yield events;
    }
    if (!isKnown && typeof after === 'object') throw new StreamRolledBack(stream, seq);
  }

  /** The hash of the event that a new one continues; null if the stream does not end there. */
  async function prevOf(stream: string, expected: After): Promise<string | null> {
    if (seqOf(expected) === 0) return START.hash;
    if (typeof expected === 'object') return expected.hash;
    await heads.refresh();
    const head = heads.of(stream);
    return head?.seq === expected ? head.hash : null;
  }

  async function appendNow(
    stream: string,
    expected: After,
    text: ReturnType<typeof checkEvent>,
    type: string,
    at: string,
  ): Promise<LineToStore | null> {
    const prev = await prevOf(stream, expected);
    if (prev === null) return null;
    const seq = seqOf(expected) + 1;
    const { journal: key } = await keyRing.keys();
    const { bytes, hash } = writeLine(text, seq, prev, sealOf(key, stream));
    await hold();
    const line = {
      stream,
      seq,
      prev,
      hash,
      type,
      at,
      text: bytes.toString('utf8', 1, bytes.length - 1),
      data: text.slice(text.indexOf(DATA) + DATA.length, -1),
    };
    return (await append(line)) ? line : null;
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
      const { type, at } = event;
      const appending = appendNow(stream, expected, checked, type, at);
      running.add(appending);
      const line = await appending;
      if (line === null) {
        heads.invalidate();
        return { kind: 'conflict' };
      }
      const head = { seq: line.seq, hash: line.hash };
      heads.placed(stream, head);
      const version = versionOf(head);
      const stored = Buffer.from(line.text);
      await whileSyncing?.(version, writtenEvent(stored));
      return { kind: 'appended', event: writtenEvent(stored), version };
    },

    async *streams(prefix) {
      await heads.refresh();
      for (const stream of heads.names(prefix)) {
        const head = heads.of(stream);
        if (head !== undefined) yield { stream, version: versionOf(head) };
      }
    },

    async names(prefix) {
      await heads.refresh();
      return heads.names(prefix);
    },

    async versions(prefix) {
      await heads.refresh();
      return {
        get(stream) {
          const head = stream.startsWith(prefix) ? heads.of(stream) : undefined;
          return head && versionOf(head);
        },
      };
    },

    mark,

    async version(stream) {
      checkStreamName(stream);
      await heads.refresh();
      const head = heads.of(stream);
      return head === undefined ? null : versionOf(head);
    },

    watch(prefix, onChange) {
      if (!notifier.closed) listen();
      return notifier.watch(prefix, onChange);
    },

    setAside: async () => [],

    async close() {
      notifier.close();
      await running.ended();
    },
  };
}

const DATA = ',"data":';
