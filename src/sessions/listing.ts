// Which sessions were open when a server last listed all of them, and when that was by the
// journal's own count (`Journal.mark`). Someone who only looks at a shared journal starts from
// here and asks for what changed since, instead of for every session there ever was. It is a
// cache, `.deepwork/tmp/listed.json`; every session that is not in it had ended by then.

import path from 'node:path';
import { readSmallText } from '../files/read-contained.ts';
import type { Views } from './views.ts';

const FILE = 'listed.json';
const LIMIT = 4 * 1024 * 1024;
/** So many new sessions are asked for at every look before it is written anew. */
const MAX_BEHIND = 100;

export interface Listing {
  readonly mark: string;
  /** Ids; also of those that cannot be read. */
  readonly open: readonly string[];
}

export interface ListingKeeper {
  /** `sessions`: how many there are by now; `open` is asked for if it is to be written. */
  note(mark: string, sessions: number, open: () => readonly string[]): Promise<void>;
}

export function openListing(views: Pick<Views, 'place'>): ListingKeeper {
  let noted: number | null = null;
  return {
    async note(mark, sessions, open) {
      if (noted !== null && Math.abs(sessions - noted) < MAX_BEHIND) return;
      noted = sessions;
      await views.place(FILE, JSON.stringify({ mark, open: open() })).catch(() => {});
    },
  };
}

/** Null if there is none. */
export function readListing(folder: string): Listing | null {
  try {
    const text = readSmallText(path.join(folder, FILE), LIMIT) ?? 'null';
    const { mark, open } = (JSON.parse(text) ?? {}) as Partial<Listing>;
    const isListing = typeof mark === 'string' && Array.isArray(open);
    return isListing && open.every((id) => typeof id === 'string') ? { mark, open } : null;
  } catch {
    return null;
  }
}
