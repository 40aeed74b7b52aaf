// Which sessions have ended, so that a new process need not fold them to find out: an
// ended stream never changes again. It is a cache, `.deepwork/tmp/ended.json`; an entry
// counts only while the stream's version is the one it was made from.

import path from 'node:path';
import { readSmallText } from '../files/read-contained.ts';
import type { Views } from './views.ts';

const FILE = 'ended.json';
/** Some hundred thousand sessions; parsing more would hold up everyone else. */
const LIMIT = 16 * 1024 * 1024;
/**
 * Saving costs a write of the whole file; a few unsaved entries cost a few folds. The more
 * there are, the more must have come: the root of their number keeps both costs small.
 */
const WORTH_SAVING = 8;

export interface EndedIndex {
  has(id: string, version: string): Promise<boolean>;
  add(id: string, version: string, endedAt: string): void;
  /** Ids of the sessions that ended last, newest first. */
  newest(count: number): Promise<string[]>;
  save(): Promise<void>;
}

interface Ended {
  readonly version: string;
  readonly endedAt: string;
}

export function openEndedIndex(folder: string, views: Views): EndedIndex {
  let loading: Promise<Map<string, Ended>> | undefined;
  const added = new Map<string, Ended>();

  const loaded = () => {
    loading ??= readIndex(path.join(folder, FILE), views.check);
    return loading;
  };

  return {
    async has(id, version) {
      return (added.get(id) ?? (await loaded()).get(id))?.version === version;
    },
    add(id, version, endedAt) {
      added.set(id, { version, endedAt });
    },
    async newest(count) {
      return [...(await loaded()), ...added]
        .sort(([, a], [, b]) => (a.endedAt < b.endedAt ? 1 : -1))
        .slice(0, count)
        .map(([id]) => id);
    },
    async save() {
      if (added.size < WORTH_SAVING) return;
      const index = await loaded();
      if (added.size ** 2 < index.size) return;
      for (const [id, ended] of added) index.set(id, ended);
      added.clear();
      await views.place(FILE, JSON.stringify(Object.fromEntries(index))).catch(() => {});
    },
  };
}

async function readIndex(file: string, check: () => void): Promise<Map<string, Ended>> {
  try {
    check();
    const index: unknown = JSON.parse(readSmallText(file, LIMIT) ?? '{}');
    return new Map(Object.entries(index as Record<string, unknown>).filter(isEntry));
  } catch {
    return new Map();
  }
}

function isEntry(entry: [string, unknown]): entry is [string, Ended] {
  const ended = entry[1] as Partial<Ended> | null;
  return typeof ended?.version === 'string' && typeof ended.endedAt === 'string';
}
