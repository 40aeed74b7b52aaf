// The journal in memory, for tests, simulations and dry runs: the same lines, hashes and
// answers as in files. It keeps the text of each event, so that neither the writer nor a
// reader of an event can alter what was recorded.

import { type After, type Journal, type StoredEvent, StreamRolledBack } from './journal.ts';
import { FOLD_START } from './judge-lines.ts';
import { checkEvent, writeLine, writtenEvent } from './line.ts';
import { createNotifier } from './notify.ts';
import { sealOf } from './seal.ts';
import { checkAfter, checkStreamName, seqOf } from './stream-name.ts';

interface Kept {
  readonly hash: string;
  readonly text: Buffer;
}

/** Memory is written only by this process, so any key is sufficient. */
const KEY = Buffer.alloc(32);

export function openMemoryJournal(): Journal {
  const kept = new Map<string, Kept[]>();
  const notifier = createNotifier();

  function isAt(stream: string, after: After): boolean {
    if (typeof after === 'number' || after.seq === 0) return true;
    return (kept.get(stream)?.[after.seq - 1]?.hash ?? FOLD_START.hash) === after.hash;
  }

  async function* readNow(stream: string, after: After): AsyncGenerator<StoredEvent> {
    if (!isAt(stream, after)) throw new StreamRolledBack(stream, seqOf(after));
    for (let seq = seqOf(after) + 1; ; seq += 1) {
      const line = kept.get(stream)?.[seq - 1];
      if (line === undefined) return;
      yield writtenEvent(line.text);
    }
  }

  return {
    read(stream, after) {
      checkStreamName(stream);
      checkAfter(after);
      return readNow(stream, after);
    },

    async append(stream, expected, event, whileSyncing) {
      checkStreamName(stream);
      checkAfter(expected);
      const seq = seqOf(expected);
      const checked = checkEvent(event);
      const lines = kept.get(stream) ?? [];
      if (lines.length !== seq || !isAt(stream, expected)) return { kind: 'conflict' };
      const prev = lines.at(-1)?.hash ?? FOLD_START.hash;
      const { bytes, hash } = writeLine(checked, seq + 1, prev, sealOf(KEY, stream));
      const line = { hash, text: bytes.subarray(1, -1) };
      lines.push(line);
      kept.set(stream, lines);
      notifier.changed(stream);
      await whileSyncing?.(versionOf(lines), writtenEvent(line.text));
      return { kind: 'appended', event: writtenEvent(line.text), version: versionOf(lines) };
    },

    async *streams(prefix) {
      for (const stream of [...kept.keys()].sort()) {
        if (stream.startsWith(prefix)) yield { stream, version: versionOf(kept.get(stream)) };
      }
    },

    async names(prefix) {
      return [...kept.keys()].filter((stream) => stream.startsWith(prefix)).sort();
    },

    async version(stream) {
      checkStreamName(stream);
      return kept.has(stream) ? versionOf(kept.get(stream)) : null;
    },

    watch: notifier.watch,

    setAside: async () => [],

    async close() {
      notifier.close();
    },
  };
}

function versionOf(lines: readonly Kept[] = []): string {
  return `${lines.length}:${lines.at(-1)?.hash}`;
}
