// The journal in PostgreSQL, line by line, for copying.

import { type LineStore, StreamMoved } from '../line-store.ts';
import type { PostgresStore } from './store.ts';

export function postgresLines(store: PostgresStore): LineStore {
  return {
    key: async () => (await store.keys()).journal,
    heads: () => store.heads(),
    lines: (stream, afterSeq) => store.lines(stream, afterSeq),
    async put(stream, lines) {
      for await (const line of lines) {
        if (!(await store.putLine(stream, line))) throw new StreamMoved(stream);
      }
    },
  };
}
