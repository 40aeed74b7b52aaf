// Whether paths that a process used are on the lists of `places.ts`.

import path from 'node:path';
import type { Place } from './places.ts';

/** A path of the project as on the list, random parts as placeholders; null if it is outside. */
export function asListed(root: string, file: string): string | null {
  const way = path.relative(root, file);
  if (way === '' || way.startsWith('..') || path.isAbsolute(way)) return null;
  return way
    .replace(/session_[0-9a-f]{8}\.json$/, 'session_<id>.json')
    .replace(/session\/[0-9a-f]{8}\.jsonl$/, 'session/<id>.jsonl')
    .replace(/open\/[0-9a-f]{8}$/, 'open/<id>')
    .replace(/quality_review_[0-9a-f]{8}_/, 'quality_review_<id>_');
}

/** Names that nothing can be put in place of: they are random and created exclusively. */
const RANDOM =
  /^(\.deepwork\/tmp|\.sgai)\/\.[0-9a-f]{12}-\d+\.tmp$|^\.sgai\/foreign\/state-|^\.deepwork\/journal\/(damaged|quarantine)\//;

export function unlisted(
  root: string,
  files: Iterable<string>,
  places: readonly Place[],
): string[] {
  const listed = new Set(places.map((place) => place.path));
  const ways = [...files].map((file) => asListed(root, file)).filter((way) => way !== null);
  return [...new Set(ways)].filter((way) => !listed.has(way) && !RANDOM.test(way)).sort();
}
