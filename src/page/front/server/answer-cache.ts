// A cache of the server's last answers in the browser, so that the page can show them while the server
// is away. Two projects may use the same port one after the other, so the cache belongs to a workspace
// and is cleared when another one answers.

export interface CachedAnswer {
  readonly text: string;
  /** When the server sent it. */
  readonly at: number;
}

export interface AnswerCache {
  get(path: string): Promise<CachedAnswer | null>;
  put(path: string, text: string): void;
  clear(): Promise<void>;
}

const NAME = 'deepwork-seen';
const MAX_KEPT = 300;
const AT = 'x-seen-at';

/** Browsers offer caches only to pages of this machine and over https. */
export function openAnswerCache(): AnswerCache {
  if (!('caches' in globalThis)) return NO_CACHE;
  const cache = caches.open(NAME);
  let puts = 0;

  async function drop(): Promise<void> {
    const opened = await cache;
    // Oldest first.
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
      // The page works without the cache, for example if the disk is full.
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

const NO_CACHE: AnswerCache = {
  get: async () => null,
  put() {},
  async clear() {},
};
