// A read-only journal in PostgreSQL, which reports damage instead of throwing it. Reading
// continues where it stopped last.
//
// A short-lived process would have to list every stream first. With a mark left by a server, it
// queries what has changed since and the streams that it needs, all at once, and uses that result
// for the rest of the call.

import { type CallScope, callScope } from '../../async/call-scope.ts';
import { type Journal, StreamDamaged, StreamRolledBack } from '../journal.ts';
import { FOLD_START } from '../judge-lines.ts';
import type { Followed, JournalReader, ReadOn } from '../reader.ts';
import { versionOf } from './heads.ts';
import type { PostgresStore, WantedStreams } from './store.ts';

interface Answered {
  readonly versions: ReadonlyMap<string, string>;
  readonly names: ReadonlySet<string>;
  readonly prefix: string;
}

export function openPostgresReader(
  journal: Journal,
  { changedSince }: Pick<PostgresStore, 'changedSince'>,
): JournalReader {
  const ofCall = new WeakMap<CallScope, Answered>();
  const answered = () => ofCall.get(callScope() ?? OUTSIDE);

  async function readOn(stream: string, followed: Followed): Promise<ReadOn> {
    let { seq, hash } = followed.place?.state ?? FOLD_START;
    const after = seq === 0 ? 0 : { seq, hash };
    try {
      for await (const event of journal.read(stream, after)) {
        followed.take(event);
        ({ seq, hash } = event);
      }
    } catch (error) {
      if (error instanceof StreamRolledBack) {
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

  async function changed(mark: string, wanted: WantedStreams): Promise<readonly string[] | null> {
    const heads = await changedSince(mark, wanted);
    const scope = callScope();
    if (heads === null || scope === undefined) return null;
    const versions = new Map(heads.map((head) => [head.stream, versionOf(head)]));
    ofCall.set(scope, { versions, names: new Set(wanted.names), prefix: wanted.prefix });
    return [...versions.keys()];
  }

  return {
    readOn,
    changedSince: changed,
    async version(stream) {
      const known = answered();
      const version = known?.versions.get(stream);
      if (version !== undefined) return version;
      return known?.names.has(stream) ? null : journal.version(stream);
    },
    async namesIn(folder, known) {
      const prefix = `${folder}/`;
      const found = answered();
      const all =
        found?.prefix === prefix
          ? [...found.versions.keys()].filter((name) => name.startsWith(prefix)).sort()
          : await journal.names(prefix);
      const names = all.map((name) => name.slice(prefix.length));
      return names.filter((name) => !known.has(name) && !name.includes('/'));
    },
    setAside: async () => [],
    watch: (onChange) => journal.watch('', onChange),
    marksAreComplete: async () => false,
  };
}

const OUTSIDE: CallScope = { freshSince: 0 };
