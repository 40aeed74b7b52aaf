// Decides whether a recorded history of overlapping operations on one object could have come from
// the same operations done one at a time, each at one instant between its start and its end (Wing
// and Gong's search, with Lowe's cache of configurations already tried).
//
// linearize(operations, model)   null, or the point where no order continues
//
// An operation without an answer may have taken effect or not. If the process that got it is known
// to have died, its effect cannot be later than that; otherwise it can come at any time after the
// start.

export interface Operation<Input, Output> {
  /** Names it in reports. */
  readonly name: string;
  readonly start: number;
  /** Answered, or the process that could have done it died; null: it may still come. */
  readonly end: number | null;
  readonly input: Input;
  /** Null when there was no answer. */
  readonly output: Output | null;
  /** For an operation without an answer: whether it is known to have happened. */
  readonly happened?: boolean;
}

export interface Model<State, Op> {
  readonly initial: readonly State[];
  /** Every state that the operation can lead to with this answer; none: it is impossible now. */
  apply(state: State, operation: Op): readonly State[];
  /** Equal keys for equal states. */
  key(state: State): string;
}

export interface Impasse<State, Op> {
  /** The longest order found. */
  readonly placed: readonly Op[];
  readonly state: State;
  /** One of these would have to come next, and none can. */
  readonly stuck: readonly Op[];
  /** There were too many orders to try them all. */
  readonly gaveUp: boolean;
}

/** A search that would take longer than this gives up and reports it. */
const MAX_CONFIGURATIONS = 300_000;

interface Configuration<State> {
  readonly state: State;
  /** Required operations before this index, by start, are all placed. */
  readonly first: number;
  /** Required operations from there on that are placed as well. */
  readonly beyond: readonly number[];
  /** Optional operations that are placed and could still be placed by their time. */
  readonly taken: readonly number[];
  /** The latest start among those placed: an operation that ended before it cannot be placed. */
  readonly latestStart: number;
  readonly parent: Configuration<State> | null;
  /** Index of the operation placed last; optional ones count from the end of the required. */
  readonly placed: number;
  readonly depth: number;
}

export function linearize<State, Op extends Operation<unknown, unknown>>(
  operations: readonly Op[],
  model: Model<State, Op>,
): Impasse<State, Op> | null {
  const byStart = (a: Op, b: Op) => a.start - b.start;
  const isRequired = (each: Op) => each.output !== null || each.happened === true;
  const required = operations.filter(isRequired).sort(byStart);
  const optional = operations
    .filter((each) => !isRequired(each) && each.happened !== false)
    .sort(byStart);
  const endOf = (each: Op) => each.end ?? Number.POSITIVE_INFINITY;

  /** Candidates for the next place: nothing unplaced ended before they began. */
  function candidates(now: Configuration<State>): number[] {
    let earliestEnd = Number.POSITIVE_INFINITY;
    const open: number[] = [];
    for (let index = now.first; index < required.length; index++) {
      const each = required[index] as Op;
      if (each.start > earliestEnd) break;
      if (now.beyond.includes(index)) continue;
      open.push(index);
      earliestEnd = Math.min(earliestEnd, endOf(each));
    }
    const next = open.filter((index) => (required[index] as Op).start <= earliestEnd);
    for (const [index, each] of optional.entries()) {
      if (each.start > earliestEnd) break;
      const isLate = now.latestStart > endOf(each);
      if (!isLate && !now.taken.includes(index)) next.push(required.length + index);
    }
    return next;
  }

  function place(now: Configuration<State>, index: number, state: State): Configuration<State> {
    const isOptional = index >= required.length;
    const operation = isOptional ? optional[index - required.length] : required[index];
    let { first, beyond } = now;
    if (!isOptional) {
      const placed = new Set([...beyond, index]);
      while (placed.delete(first)) first += 1;
      beyond = [...placed].sort((a, b) => a - b);
    }
    const latestStart = Math.max(now.latestStart, (operation as Op).start);
    // Late optional operations cannot be placed again, so they need not be cached.
    const isOpen = (each: number) => endOf(optional[each] as Op) >= latestStart;
    const taken = isOptional ? [...now.taken, index - required.length] : now.taken;
    return {
      state,
      first,
      beyond,
      taken: taken.every(isOpen) ? taken : taken.filter(isOpen),
      latestStart,
      parent: now,
      placed: index,
      depth: now.depth + 1,
    };
  }

  function keyOf({ state, first, beyond, taken }: Configuration<State>): string {
    const chosen = [...taken].sort((a, b) => a - b);
    return `${first}:${beyond.join()}:${chosen.join()}:${model.key(state)}`;
  }

  const seen = new Set<string>();
  const open: Configuration<State>[] = model.initial.map((state) => ({
    state,
    first: 0,
    beyond: [],
    taken: [],
    latestStart: Number.NEGATIVE_INFINITY,
    parent: null,
    placed: -1,
    depth: 0,
  }));
  let furthest = open[0] as Configuration<State>;
  for (let now = open.pop(); now !== undefined; now = open.pop()) {
    if (now.first === required.length) return null;
    const progress = ({ first, beyond }: Configuration<State>) => first + beyond.length;
    if (progress(now) > progress(furthest)) furthest = now;
    // The last one pushed is tried first: the earliest answer, and optional ones last.
    for (const index of candidates(now).reverse()) {
      const operation = (
        index < required.length ? required[index] : optional[index - required.length]
      ) as Op;
      for (const state of [...model.apply(now.state, operation)].reverse()) {
        const next = place(now, index, state);
        const key = keyOf(next);
        if (seen.has(key)) continue;
        if (seen.size >= MAX_CONFIGURATIONS) return impasse(true);
        seen.add(key);
        open.push(next);
      }
    }
  }

  return impasse(false);

  function operationAt(index: number): Op {
    return (index < required.length ? required[index] : optional[index - required.length]) as Op;
  }

  function impasse(gaveUp: boolean): Impasse<State, Op> {
    const placed: Op[] = [];
    for (let each: Configuration<State> | null = furthest; each?.parent; each = each.parent) {
      placed.unshift(operationAt(each.placed));
    }
    const stuck = candidates(furthest).map(operationAt);
    return { placed, state: furthest.state, stuck, gaveUp };
  }
}
