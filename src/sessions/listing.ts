// The sessions that were open when a server last listed all of them, with the journal's mark of
// that moment (`Journal.mark`). A read-only command starts from here and queries what has changed
// since, instead of all sessions of a shared journal. It is a cache, `.deepwork/tmp/listed.json`;
// every session that is not in it had ended by then.

import path from 'node:path';
import { readSmallText } from '../files/read-contained.ts';
import type { Views } from './views.ts';

const FILE = 'listed.json';
const MAX_BYTES = 4 * 1024 * 1024;
/** After this many new sessions it is written again. */
const MAX_BEHIND = 100;

export interface Listing {
  readonly mark: string;
  /** Ids, including those of sessions that cannot be read. */
  readonly open: readonly string[];
}

export function openListing(views: Pick<Views, 'place'>) {
  let noted: number | null = null;
  /** `sessions`: how many there are now. `open` is called only if the file is written. */
  return async (mark: string, sessions: number, open: () => readonly string[]): Promise<void> => {
    if (noted !== null && Math.abs(sessions - noted) < MAX_BEHIND) return;
    noted = sessions;
    await views.place(FILE, JSON.stringify({ mark, open: open() })).catch(() => {});
  };
}

/** Null if there is none. */
export function readListing(folder: string): Listing | null {
  try {
    const text = readSmallText(path.join(folder, FILE), MAX_BYTES) ?? 'null';
    const { mark, open } = (JSON.parse(text) ?? {}) as Partial<Listing>;
    const isListing = typeof mark === 'string' && Array.isArray(open);
    return isListing && open.every((id) => typeof id === 'string') ? { mark, open } : null;
  } catch {
    return null;
  }
}
