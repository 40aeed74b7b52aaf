// Reads an entry of a workflow in `job.yml`: an id, a list of ids of concurrent steps, or a map with
// one key that names another kind of entry.

import { nearest } from '../../../core/nearest.ts';
import type { Read } from '../../reader/fields.ts';
import { nameList, quote } from '../../wording.ts';
import { approveSyntax } from './approve.ts';
import { forEachSyntax } from './for-each.ts';
import { loopSyntax } from './loop.ts';
import type { EntrySyntax, ParsedEntry } from './parsed-entry.ts';
import { runSyntax } from './run.ts';
import { readSteps, stepsEntry } from './steps.ts';

/** By the key that names the kind. */
const SYNTAXES: ReadonlyMap<string, EntrySyntax> = new Map([
  ['loop', loopSyntax],
  ['for_each', forEachSyntax],
  ['approve', approveSyntax],
  ['run', runSyntax],
]);

const KINDS = [...SYNTAXES.keys()];

export const readEntry = readEntryAt(1);

function readEntryAt(depth: number): Read<ParsedEntry> {
  return (node, path, to) => {
    if (node.kind !== 'map') return readSteps(node, path, to);
    const [first, ...others] = node.entries;
    const only = others.length === 0 ? first : undefined;
    const syntax = SYNTAXES.get(only?.key ?? '');
    if (only !== undefined && syntax !== undefined) {
      const inside = { depth, readEntry: readEntryAt(depth + 1) };
      return syntax.read(inside)(only.value, [...path, only.key], to);
    }
    const meant = only === undefined ? null : nearest(only.key, KINDS);
    if (only !== undefined && meant !== null) {
      const message = `unknown key ${quote(only.key, 60)}; did you mean '${meant}'?`;
      to.add('unknown_key', [...path, only.key], message, 'key');
    } else {
      const keys = nameList(node.entries.map(({ key }) => key)) || 'none';
      const wanted = `expected a map with exactly one of ${nameList(KINDS)}`;
      to.add('wrong_type', path, `${wanted}, found ${keys}`);
    }
    return stepsEntry([]);
  };
}

/** Every allowed key of an entry, by the object that contains it. */
export const ENTRY_KEYS: Readonly<Record<string, readonly string[]>> = Object.assign(
  {},
  ...[...SYNTAXES.values()].map(({ keys }) => keys),
);
