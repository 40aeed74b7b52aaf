// A step by its id, or concurrent steps by a list of ids.

import { id, type Located, list, type Read } from '../../reader/fields.ts';
import { NAME_ONLY, type ParsedEntry } from './parsed-entry.ts';

export const readSteps: Read<ParsedEntry> = (node, path, to) =>
  stepsEntry(node.kind === 'list' ? (list(id, 1)(node, path, to) ?? []) : [id(node, path, to)]);

/** Without steps it replaces an entry that could not be read. */
export function stepsEntry(steps: readonly Located[]): ParsedEntry {
  return {
    ...NAME_ONLY,
    kind: 'steps',
    name: null,
    steps,
    make: ({ step }) => ({ kind: 'steps', steps: steps.flatMap(({ value }) => step(value) ?? []) }),
  };
}
