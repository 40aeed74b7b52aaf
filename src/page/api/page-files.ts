// The files of the built page. Browsers may cache files with a hash in their name for ever; the page
// itself and its service worker are revalidated each time.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { readContained } from '../../files/read-contained.ts';
import { realRootOf } from '../../files/real-root.ts';
import { type ApiProblem, problemAnswer } from './answers.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

const MAX_BYTES = 4 * 1024 * 1024;

/** Only scripts of the page itself run, and no other site may frame it. */
const SECURITY = {
  'x-content-type-options': 'nosniff',
  // Makes browsers send the origin with what the page posts.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
};

const FOR_EVER = 'public, max-age=31536000, immutable';

export function servePageFile(folder: string, name: string, { headers }: Request): Response {
  const type = TYPES[path.extname(name)];
  const read =
    type === undefined
      ? null
      : readContained(realRootOf(folder), path.join(folder, name), MAX_BYTES);
  if (type === undefined || read?.kind !== 'read')
    return problemAnswer(name === 'index.html' ? NOT_BUILT : MISSING);
  const tag = `"${createHash('sha256').update(read.bytes).digest('base64url')}"`;
  const common = {
    ...SECURITY,
    'content-type': type,
    'cache-control': name.startsWith('assets/') ? FOR_EVER : 'no-cache',
    etag: tag,
  };
  if (headers.get('if-none-match') === tag)
    return new Response(null, { status: 304, headers: common });
  return new Response(new Uint8Array(read.bytes), { headers: common });
}

const MISSING: ApiProblem = {
  status: 404,
  code: 'not_found',
  message: 'There is no such file of the page.',
};

const NOT_BUILT: ApiProblem = {
  status: 404,
  code: 'page_not_built',
  message: 'The page is not built in this installation of deepwork.',
  next: 'run `npm run build` where deepwork is; questions can be answered at /questions.',
};
