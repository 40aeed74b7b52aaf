// A workflow as the places that a walk visits: every entry with its successor and the loops around it,
// and how long something that is used at one place can still be used later.

import {
  type Entry,
  type LoopEntry,
  ownSteps,
  type Step,
  stepsOf,
  type Workflow,
} from '../../core/workflow.ts';

export interface Spot {
  readonly entry: Entry;
  /** Ascends in file order; a loop comes before its own entries. */
  readonly order: number;
  /** The number among the entries where work is done; for a loop, of its first and its last one. */
  readonly leaf: number;
  readonly lastLeaf: number;
  /** The loops around it, outermost first. */
  readonly loops: readonly LoopSpot[];
  readonly next: Spot | null;
}

export interface LoopSpot extends Spot {
  readonly entry: LoopEntry;
  readonly first: Spot;
  readonly steps: readonly Step[];
}

export interface WorkflowSpots {
  readonly workflow: Workflow;
  /** In file order, loops included. */
  readonly spots: readonly Spot[];
  /** By the name of the entry, and of the steps done there. */
  readonly byName: ReadonlyMap<string, Spot>;
  /** The last leaf at which something used at `leaf` can be used again. */
  readonly lastUse: (leaf: number) => number;
}

/** A spot whose successor is not known yet. */
type Draft = Omit<Spot, 'next' | 'lastLeaf'> & {
  next: Spot | null;
  lastLeaf: number;
  first?: Spot | null;
  steps?: readonly Step[];
};

export function spotsOf(workflow: Workflow): WorkflowSpots {
  const spots: Spot[] = [];
  const byName = new Map<string, Spot>();
  let leaves = 0;
  const place = (list: readonly Entry[], loops: readonly LoopSpot[]): Spot | null => {
    let last: Draft | null = null;
    let first: Spot | null = null;
    for (const entry of list) {
      const draft: Draft = {
        entry,
        order: spots.length,
        leaf: leaves,
        lastLeaf: leaves,
        loops,
        next: null,
        ...(entry.kind === 'loop' && { first: null, steps: stepsOf(entry) }),
      };
      spots.push(draft);
      if (entry.kind !== 'steps') note(byName, entry.name, draft);
      if (entry.kind === 'loop') {
        draft.first = place(entry.entries, [...loops, draft as LoopSpot]);
        draft.lastLeaf = Math.max(draft.leaf, leaves - 1);
      } else {
        leaves += 1;
        for (const { id } of ownSteps(entry)) note(byName, id, draft);
      }
      if (last !== null) last.next = draft;
      first ??= draft;
      last = draft;
    }
    return first;
  };
  place(workflow.entries, []);
  return { workflow, spots, byName, lastUse: lastUseIn(spots, byName) };
}

export function isLoop(spot: Spot): spot is LoopSpot {
  return spot.entry.kind === 'loop';
}

function note(byName: Map<string, Spot>, name: string, spot: Spot): void {
  if (!byName.has(name)) byName.set(name, spot);
}

/** Loops and rejections lead back, so what is used inside matters until they are left. */
function lastUseIn(
  spots: readonly Spot[],
  byName: ReadonlyMap<string, Spot>,
): (leaf: number) => number {
  const leaves = Math.max(0, ...spots.map(({ lastLeaf }) => lastLeaf + 1));
  const farthest = Array.from({ length: leaves }, () => -1);
  const lead = (from: number, to: number) => {
    farthest[from] = Math.max(farthest[from] ?? -1, to);
  };
  for (const { entry, leaf, lastLeaf } of spots) {
    if (entry.kind === 'loop') lead(leaf, lastLeaf);
    const target = entry.kind === 'approve' ? byName.get(entry.onReject?.goTo ?? '') : undefined;
    if (target !== undefined) lead(target.leaf, leaf);
  }
  const last: number[] = [];
  let far = -1;
  for (const [leaf, to] of farthest.entries()) {
    far = Math.max(far, to);
    last.push(Math.max(far, leaf));
  }
  // The range of one way back may end inside another one that ends later.
  for (let leaf = leaves - 1; leaf >= 0; leaf -= 1) {
    const end = last[leaf] as number;
    if (end > leaf) last[leaf] = last[end] as number;
  }
  return (leaf) => last[leaf] ?? leaf;
}
