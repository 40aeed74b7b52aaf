// For those who only look: the same streams, with what cannot be trusted described instead of
// thrown. Reading goes on from where it stopped last.

import { type Journal, StreamDamaged, StreamWentBack } from '../journal.ts';
import { FOLD_START } from '../judge-lines.ts';
import type { Followed, JournalReader, ReadOn } from '../reader.ts';
import { versionOf } from './heads.ts';

export function openPostgresReader(journal: Journal): JournalReader {
  async function readOn(stream: string, followed: Followed): Promise<ReadOn> {
    let { seq, hash } = followed.place?.state ?? FOLD_START;
    const after = seq === 0 ? 0 : { seq, hash };
    try {
      for await (const event of journal.read(stream, after)) {
        followed.take(event);
        ({ seq, hash } = event);
      }
    } catch (error) {
      if (error instanceof StreamWentBack) {
        followed.restart();
        return readOn(stream, { ...followed, place: null });
      }
      if (!(error instanceof StreamDamaged)) throw error;
      return { kind: 'damaged', why: `event ${error.line}: ${error.reason}` };
    }
    if (seq === 0) return { kind: 'missing' };
    const state = { ...FOLD_START, seq, hash };
    return {
      kind: 'read',
      place: { identity: stream, version: versionOf({ seq, hash }), size: seq, state },
    };
  }

  return {
    readOn,
    version: (stream) => journal.version(stream),
    async namesIn(folder, known) {
      const prefix = `${folder}/`;
      const names = (await journal.names(prefix)).map((name) => name.slice(prefix.length));
      return names.filter((name) => !known.has(name) && !name.includes('/'));
    },
    setAside: async () => [],
    watch: (onChange) => journal.watch('', onChange),
    marksAreComplete: async () => false,
  };
}
