// The built page: small, in few files whose names change with their content, and without anything
// that the content security policy would refuse.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const PAGE = fileURLToPath(new URL('../../dist/page/', import.meta.url));
const MAX_SCRIPT_BYTES = 60_000;

function files(): string[] {
  return readdirSync(PAGE, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.includes('.'));
}

const read = (file: string) => readFileSync(path.join(PAGE, file));

test('all scripts together are at most 60 kB gzipped', () => {
  const scripts = files().filter((file) => file.endsWith('.js'));
  expect(scripts.length).toBeGreaterThanOrEqual(2);
  const bytes = scripts.reduce((sum, file) => sum + gzipSync(read(file), { level: 9 }).length, 0);
  expect(bytes).toBeLessThan(MAX_SCRIPT_BYTES);
});

test('what may be kept for ever has a hash in its name, and index.html names all of it', () => {
  const html = read('index.html').toString();
  const fixed = files().filter((file) => !file.startsWith('assets/'));
  expect(fixed.sort()).toEqual(['index.html', 'service-worker.js']);
  const hashed = files().filter((file) => file.startsWith('assets/'));
  for (const file of hashed) {
    expect(file).toMatch(/^assets\/[a-z-]+-[A-Za-z0-9_-]{8}\.(?:js|css)$/);
    expect(html).toContain(`"/${file}"`);
  }
});

test('nothing is inline, and nothing comes from elsewhere', () => {
  const html = read('index.html').toString();
  expect(html.match(/<script(?![^>]* src=)|<style| style=| on[a-z]+=/g)).toBeNull();
  expect(html.match(/(?:src|href)="(?!\/|data:)[^"]*"/g)).toBeNull();
  for (const file of files().filter((each) => each.endsWith('.css'))) {
    expect(read(file).toString()).not.toMatch(/url\(|@import/);
  }
});
