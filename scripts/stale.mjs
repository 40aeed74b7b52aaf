// Whether `dist` is older than what it is built from.

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const SOURCES = ['src', 'scripts/build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** @typedef {{ readonly file: string, readonly changedAt: number }} Changed */

/** The source that changed last, if that was after the build; null if the build is up to date. */
export function newerThanBuild(/** @type {string} */ root) {
  const built = statSync(path.join(root, 'dist/main.cjs'), { throwIfNoEntry: false });
  if (built === undefined) return 'dist';
  const newest = SOURCES.map((source) => newestIn(path.join(root, source))).reduce(newer);
  return newest.changedAt > built.mtimeMs ? path.relative(root, newest.file) : null;
}

/** @returns {Changed} */
function newestIn(/** @type {string} */ file) {
  const stats = statSync(file);
  if (!stats.isDirectory()) return { file, changedAt: stats.mtimeMs };
  return readdirSync(file)
    .filter((name) => !/\.test\.tsx?$/.test(name))
    .map((name) => newestIn(path.join(file, name)))
    .reduce(newer, { file, changedAt: 0 });
}

/** @returns {Changed} */
function newer(/** @type {Changed} */ one, /** @type {Changed} */ other) {
  return other.changedAt > one.changedAt ? other : one;
}
