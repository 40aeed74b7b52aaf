// The addresses of the page and its API. Paths are compared as received; the request guard admits
// only paths of plain characters.

export type PageRoute =
  | { readonly kind: 'file'; readonly name: string }
  | { readonly kind: 'board' | 'definitions' | 'team' | 'questions' | 'events' | 'start' }
  | { readonly kind: 'run'; readonly id: string }
  | { readonly kind: 'run-at'; readonly id: string; readonly seq: number }
  | { readonly kind: 'run-file'; readonly id: string; readonly sha256: string }
  | { readonly kind: 'abort' | 'go-to' | 'stop'; readonly id: string }
  | { readonly kind: 'unknown' };

const FILES = /^\/(assets\/[A-Za-z0-9_-][A-Za-z0-9_.-]*|service-worker\.js)$/;

const PLAIN: Readonly<Record<string, PageRoute>> = {
  '/': { kind: 'file', name: 'index.html' },
  '/api/board': { kind: 'board' },
  '/api/definitions': { kind: 'definitions' },
  '/api/team': { kind: 'team' },
  '/api/questions': { kind: 'questions' },
  '/api/events': { kind: 'events' },
  '/api/runs': { kind: 'start' },
};

const RUN =
  /^\/api\/runs\/([A-Za-z0-9_-]{1,64})(?:\/(at|files)\/([0-9a-f]{1,64})|\/(abort|go-to|stop))?$/;
const SHA256 = /^[0-9a-f]{64}$/;
const NUMBER = /^[1-9]\d{0,8}$/;

/** Null: not a path of the page. Every other path below /api is `unknown`. */
export function pageRoute(path: string): PageRoute | null {
  const plain = Object.hasOwn(PLAIN, path) ? PLAIN[path] : undefined;
  if (plain !== undefined) return plain;
  const [, name] = FILES.exec(path) ?? [];
  if (name !== undefined) return { kind: 'file', name };
  if (path.startsWith('/api/questions/') || !path.startsWith('/api/')) return null;
  const [, id, part, which = '', act] = RUN.exec(path) ?? [];
  if (id === undefined) return { kind: 'unknown' };
  if (act !== undefined) return { kind: act as 'abort' | 'go-to' | 'stop', id };
  if (part === undefined) return { kind: 'run', id };
  if (part === 'at') {
    return NUMBER.test(which) ? { kind: 'run-at', id, seq: Number(which) } : { kind: 'unknown' };
  }
  return SHA256.test(which) ? { kind: 'run-file', id, sha256: which } : { kind: 'unknown' };
}

export function methodsOf({ kind }: PageRoute): readonly string[] {
  if (['abort', 'go-to', 'start', 'stop'].includes(kind)) return ['POST'];
  return ['GET', 'HEAD'];
}
