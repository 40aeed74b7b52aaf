// What the server answered last, kept by the browser, so that the page can show it while the
// server is away. Two projects may use the same port one after the other, so everything kept
// belongs to a workspace and goes when another one answers.

export interface Seen {
  readonly text: string;
  /** When the server gave it. */
  readonly at: number;
}

export interface SeenStore {
  get(path: string): Promise<Seen | null>;
  put(path: string, text: string): void;
  clear(): Promise<void>;
}

const NAME = 'deepwork-seen';
const MAX_KEPT = 300;
const AT = 'x-seen-at';

/** Browsers offer caches only to pages of this machine and of https. */
export function openSeen(): SeenStore {
  if (!('caches' in globalThis)) return NOTHING_KEPT;
  const cache = caches.open(NAME);
  let puts = 0;

  async function drop(): Promise<void> {
    const opened = await cache;
    // In the order in which they were put.
    const keys = await opened.keys();
    await Promise.all(keys.slice(0, -MAX_KEPT).map((key) => opened.delete(key)));
  }

  return {
    async get(path) {
      const found = await cache.then((opened) => opened.match(path)).catch(() => undefined);
      if (found === undefined) return null;
      return { text: await found.text(), at: Number(found.headers.get(AT)) };
    },
    put(path, text) {
      const answer = new Response(text, { headers: { [AT]: String(Date.now()) } });
      // A full disk is no reason to show less now.
      cache.then((opened) => opened.put(path, answer)).catch(() => {});
      puts += 1;
      if (puts % 50 === 0) drop().catch(() => {});
    },
    async clear() {
      const opened = await cache;
      for (const key of await opened.keys()) await opened.delete(key);
    },
  };
}

const NOTHING_KEPT: SeenStore = {
  get: async () => null,
  put() {},
  async clear() {},
};
