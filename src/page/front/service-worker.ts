// Caches the page itself, so that a reload works while the server is away: the newest index.html and
// the files that it names. The page itself caches what it shows (server/answer-cache.ts), because it
// can say how old that is.

const SHELL = 'deepwork-shell';

// The part of a service worker's scope that is used here; its own library of types cannot be
// loaded beside the page's.
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface WorkerFetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
const worker = self as unknown as {
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: WorkerFetchEvent) => void): void;
};

worker.addEventListener('install', (event) => {
  event.waitUntil(fetchPage().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(worker.clients.claim());
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (pathname === '/') event.respondWith(fetchPage().catch((error) => cached('/', error)));
  if (pathname.startsWith('/assets/')) {
    event.respondWith(cached(pathname, null).catch(() => fetch(request)));
  }
});

/** The page from the server. It and its files replace what was cached. */
async function fetchPage(): Promise<Response> {
  const answer = await fetch('/', { cache: 'no-cache' });
  // A redirect to a sign-in and an error are passed on and not cached.
  if (!answer.ok || answer.redirected) return answer;
  const html = await answer.clone().text();
  const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file);
  const cache = await caches.open(SHELL);
  const before = (await cache.keys()).map(({ url }) => new URL(url).pathname);
  await cache.addAll(
    files.filter((file) => file !== undefined && !before.includes(file)) as string[],
  );
  await cache.put('/', answer.clone());
  await Promise.all(
    before
      .filter((path) => path !== '/' && !files.includes(path))
      .map((path) => cache.delete(path)),
  );
  return answer;
}

async function cached(path: string, otherwise: unknown): Promise<Response> {
  const found = await (await caches.open(SHELL)).match(path);
  if (found === undefined) throw otherwise;
  return found;
}
