// Where things stand in a workflow: every name that it has, at whatever depth, with the loops
// around it. Entries nest, so a bare index says too little; names do not repeat, so a name is
// enough. What was found is kept for as long as the workflow is: a call at the thousandth entry
// searches no more than one at the first.

import type { Entry, LoopEntry, Workflow } from './workflow.ts';

export interface Place {
  readonly entry: Entry;
  /** The loops around it, outermost first. */
  readonly loops: readonly LoopEntry[];
  /** Its place in the file: of two entries the one with the lower number comes first. */
  readonly order: number;
  /** Its index in `leavesOf`; of a loop, that of its first leaf. */
  readonly leaf: number;
  /** Of the entry of the workflow that it is, or that it is in. */
  readonly entryIndex: number;
  /** The list that it stands in, and where there. */
  readonly list: readonly Entry[];
  readonly index: number;
  /** The loop that the list belongs to; null for the workflow's own. */
  readonly parent: Place | null;
}

/** A place where something is done: no loop, which only leads to others. */
export interface Leaf extends Place {
  readonly entry: Exclude<Entry, LoopEntry>;
}

interface Places {
  readonly byName: ReadonlyMap<string, Place>;
  /** Without the loops themselves, in file order. */
  readonly leaves: readonly Leaf[];
}

const known = new WeakMap<readonly Entry[], Places>();

/** What is called so: an entry, or the one that the step is done at. Null if nothing is. */
export function placeOf(workflow: Pick<Workflow, 'entries'>, name: string): Place | null {
  return placesOf(workflow).byName.get(name) ?? null;
}

/** Every entry where something is done, in file order. */
export function leavesOf(workflow: Pick<Workflow, 'entries'>): readonly Leaf[] {
  return placesOf(workflow).leaves;
}

/** The names of what is done at an entry, as progress and `invalidated_steps` have them. */
export function workOf(entry: Leaf['entry']): readonly string[] {
  switch (entry.kind) {
    case 'steps':
      return entry.steps.map((step) => step.id);
    case 'for_each':
      return [entry.step.id];
    case 'approve':
    case 'run':
      return [entry.name];
  }
}

function placesOf({ entries }: Pick<Workflow, 'entries'>): Places {
  const before = known.get(entries);
  if (before !== undefined) return before;
  const byName = new Map<string, Place>();
  const leaves: Leaf[] = [];
  let order = 0;
  const name = (text: string, place: Place) => {
    // The first wins, as where definitions are not checked for it.
    if (!byName.has(text)) byName.set(text, place);
  };
  const note = (
    list: readonly Entry[],
    parent: Place | null,
    loops: readonly LoopEntry[],
    top: number | null,
  ) => {
    for (const [index, entry] of list.entries()) {
      order += 1;
      const leaf = leaves.length;
      const place = { entry, loops, order, leaf, entryIndex: top ?? index, list, index, parent };
      if (entry.kind !== 'steps') name(entry.name, place);
      if (entry.kind === 'loop') {
        note(entry.entries, place, [...loops, entry], place.entryIndex);
        continue;
      }
      leaves.push({ ...place, entry });
      for (const id of workOf(entry)) name(id, place);
    }
  };
  note(entries, null, [], null);
  const places = { byName, leaves };
  known.set(entries, places);
  return places;
}
