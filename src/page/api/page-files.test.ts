import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newProject } from '../../../test/support/project.ts';
import { servePageFile } from './page-files.ts';

const ask = (headers: Record<string, string> = {}) => new Request('http://x/', { headers });

function built() {
  const { root, write } = newProject({ 'page/index.html': '<!doctype html>', secret: 'no' });
  write('page/assets/index-abc123.js', 'run()');
  return { folder: path.join(root, 'page'), root };
}

test('the page is revalidated each time, and files with a hash in their name are cached', async () => {
  const { folder } = built();
  const page = servePageFile(folder, 'index.html', ask());
  expect([page.status, await page.text()]).toEqual([200, '<!doctype html>']);
  expect(page.headers.get('cache-control')).toBe('no-cache');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const script = servePageFile(folder, 'assets/index-abc123.js', ask());
  expect(script.headers.get('cache-control')).toContain('immutable');
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  const same = { 'if-none-match': page.headers.get('etag') ?? '' };
  expect(servePageFile(folder, 'index.html', ask(same)).status).toBe(304);
});

test('only scripts of the page itself run on it, and no site can frame it', () => {
  const { headers } = servePageFile(built().folder, 'index.html', ask());
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('a page that is not built says how to build it', async () => {
  const answer = servePageFile(newProject().path('nowhere'), 'index.html', ask());
  expect([answer.status, await answer.text()]).toEqual([
    404,
    expect.stringContaining('npm run build'),
  ]);
});

test('nothing outside its folder is served, not even through a link, and no other type of file', () => {
  const { folder, root } = built();
  symlinkSync(path.join(root, 'secret'), path.join(folder, 'assets', 'link.js'));
  for (const name of ['assets/link.js', '../secret', 'assets/../../secret', 'assets', 'x.cjs']) {
    expect(servePageFile(folder, name, ask()).status, name).toBe(404);
  }
});
