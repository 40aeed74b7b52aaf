// The files that a patch in the format of Codex and opencode would write. Read at least as tolerantly
// as these clients do: only a line feed ends a line, and every kind of blank around a header is ignored.

import { trimBlanks } from './trim-blanks.ts';

const HEADER = /^\*\*\* (?:Add File|Update File|Delete File|Move to):/;

function patchTargets(patch: string): string[] {
  return patch.split('\n').flatMap((line) => {
    const header = trimBlanks(line);
    const found = HEADER.exec(header);
    return found === null ? [] : [trimBlanks(header.slice(found[0].length))];
  });
}

const MAX_DEPTH = 8;

/** Looks for patches in every text of a tool's input, since clients differ in where they put it. */
export function patchTargetsIn(input: unknown, depth = 0): string[] {
  if (typeof input === 'string') return patchTargets(input);
  if (typeof input !== 'object' || input === null || depth > MAX_DEPTH) return [];
  return Object.values(input).flatMap((each) => patchTargetsIn(each, depth + 1));
}
