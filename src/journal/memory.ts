// The journal in memory, for tests, simulations and dry runs: same lines, same hashes,
// same answers as the one in files. What is kept is each event's text, so that neither
// the one who gave an event nor one who read it can alter what was recorded.

import { START } from './fold.ts';
import type { Journal, StoredEvent } from './journal.ts';
import { checkEvent, readEvent, writeLine } from './line.ts';
import { createNotifier } from './notify.ts';
import { checkSeq, checkStreamName } from './stream-name.ts';

interface Kept {
  readonly hash: string;
  readonly text: Buffer;
}

export function openMemoryJournal(): Journal {
  const kept = new Map<string, Kept[]>();
  const notifier = createNotifier();

  async function* readNow(stream: string, afterSeq: number): AsyncGenerator<StoredEvent> {
    for (let seq = afterSeq + 1; ; seq += 1) {
      const line = kept.get(stream)?.[seq - 1];
      if (line === undefined) return;
      yield parse(line);
    }
  }

  return {
    read(stream, afterSeq) {
      checkStreamName(stream);
      checkSeq(afterSeq);
      return readNow(stream, afterSeq);
    },

    async append(stream, expectedSeq, event, whileSyncing) {
      checkStreamName(stream);
      checkSeq(expectedSeq);
      const checked = checkEvent(event);
      const lines = kept.get(stream) ?? [];
      if (lines.length !== expectedSeq) return { kind: 'conflict' };
      const { bytes, hash } = writeLine(checked, expectedSeq + 1, lines.at(-1)?.hash ?? START.hash);
      const line = { hash, text: bytes.subarray(1, -1) };
      lines.push(line);
      kept.set(stream, lines);
      notifier.changed(stream);
      await whileSyncing?.(versionOf(lines));
      return { kind: 'appended', event: parse(line), version: versionOf(lines) };
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

    async damaged(stream) {
      checkStreamName(stream);
      return [];
    },
  };
}

function versionOf(lines: readonly Kept[] = []): string {
  return `${lines.length}:${lines.at(-1)?.hash}`;
}

function parse(line: Kept): StoredEvent {
  const event = readEvent(line.text);
  if (event === null) throw new Error('a line in memory is not an event');
  return event;
}
