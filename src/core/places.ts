// Finds entries and steps of a workflow by name, at any depth, with the loops around them.
// Entries nest, so an index does not identify one; names are unique, so a name does. The index is
// built once per workflow, so a lookup of the thousandth entry costs no more than of the first.

import { type Entry, type LoopEntry, ownSteps, type Workflow } from './workflow.ts';

export interface Place {
  readonly entry: Entry;
  /** The loops around it, outermost first. */
  readonly loops: readonly LoopEntry[];
  /** Ascends in file order, over all levels. */
  readonly order: number;
  /** Its index in `leavesOf`; for a loop, the index of its first leaf. */
  readonly leaf: number;
  /** The index of the workflow's own entry that this is, or that contains it. */
  readonly entryIndex: number;
  /** The list that contains it, and its index there. */
  readonly list: readonly Entry[];
  readonly index: number;
  /** The loop that the list belongs to; null for the workflow's own. */
  readonly parent: Place | null;
}

/** An entry where work is done: anything but a loop. */
export interface Leaf extends Place {
  readonly entry: Exclude<Entry, LoopEntry>;
}

interface Places {
  readonly byName: ReadonlyMap<string, Place>;
  /** Without the loops themselves, in file order. */
  readonly leaves: readonly Leaf[];
}

const indexed = new WeakMap<readonly Entry[], Places>();

/** The entry with this name, or the one that contains the step with this id. */
export function placeOf(workflow: Pick<Workflow, 'entries'>, name: string): Place | null {
  return placesOf(workflow).byName.get(name) ?? null;
}

/** Every entry where work is done, in file order. */
export function leavesOf(workflow: Pick<Workflow, 'entries'>): readonly Leaf[] {
  return placesOf(workflow).leaves;
}

/** The names of the work at an entry, as in the progress and in `invalidated_steps`. */
export function workOf(entry: Leaf['entry']): readonly string[] {
  const steps = ownSteps(entry).map((step) => step.id);
  return entry.kind === 'steps' || steps.length > 0 ? steps : [entry.name];
}

function placesOf({ entries }: Pick<Workflow, 'entries'>): Places {
  const known = indexed.get(entries);
  if (known !== undefined) return known;
  const byName = new Map<string, Place>();
  const leaves: Leaf[] = [];
  let order = 0;
  const addName = (name: string, place: Place) => {
    // Not all definitions are checked for duplicates; the first one wins.
    if (!byName.has(name)) byName.set(name, place);
  };
  const addEntries = (
    list: readonly Entry[],
    parent: Place | null,
    loops: readonly LoopEntry[],
    top: number | null,
  ) => {
    for (const [index, entry] of list.entries()) {
      order += 1;
      const leaf = leaves.length;
      const place = { entry, loops, order, leaf, entryIndex: top ?? index, list, index, parent };
      if (entry.kind !== 'steps') addName(entry.name, place);
      if (entry.kind === 'loop') {
        addEntries(entry.entries, place, [...loops, entry], place.entryIndex);
        continue;
      }
      leaves.push({ ...place, entry });
      for (const id of workOf(entry)) addName(id, place);
    }
  };
  addEntries(entries, null, [], null);
  const places = { byName, leaves };
  indexed.set(entries, places);
  return places;
}
