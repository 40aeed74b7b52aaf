import { expect, test } from 'vitest';
import { methodsOf, pageRoute } from './routes.ts';

const HASH = 'a'.repeat(64);

test('every address has its route', () => {
  expect(pageRoute('/')).toEqual({ kind: 'file', name: 'index.html' });
  expect(pageRoute('/assets/index-Ab_1.js')).toMatchObject({ name: 'assets/index-Ab_1.js' });
  expect(pageRoute('/service-worker.js')).toEqual({ kind: 'file', name: 'service-worker.js' });
  expect(pageRoute('/api/runs/last')).toEqual({ kind: 'run', id: 'last' });
  expect(pageRoute('/api/runs/0a0b/at/12')).toEqual({ kind: 'run-at', id: '0a0b', seq: 12 });
  expect(pageRoute(`/api/runs/0a0b/files/${HASH}`)).toMatchObject({ kind: 'run-file' });
  expect(pageRoute('/api/runs/0a0b/go-to')).toEqual({ kind: 'go-to', id: '0a0b' });
});

test('any other path below /api is unknown, and other paths are not of the page', () => {
  const odd = [
    '/api/runs/../board',
    `/api/runs/x/files/${HASH}0`,
    `/api/runs/x/files/${HASH.toUpperCase()}`,
    '/api/runs/x/at/0',
    '/api/runs/x/at/1e3',
    '/api/constructor',
  ];
  for (const path of odd) expect(pageRoute(path), path).toEqual({ kind: 'unknown' });
  const others = ['/mcp', '/questions', '/__proto__', '/assets/.env', '/assets/../main.cjs'];
  for (const path of others) expect(pageRoute(path), path).toBeNull();
});

test('only routes that change something use POST', () => {
  const post = ['/api/runs', '/api/runs/x/abort', '/api/runs/x/go-to'];
  for (const path of [...post, '/', '/api/board', '/api/events', '/api/questions']) {
    const route = pageRoute(path);
    expect(route && methodsOf(route).includes('POST'), path).toBe(post.includes(path));
  }
});
