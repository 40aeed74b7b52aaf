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
  /** An operation without an answer that is known to have happened. */
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
  /** All operations before this index, by start, are placed. */
  readonly first: number;
  /** Operations from there on that are placed as well, in order. */
  readonly beyond: readonly number[];
  readonly parent: Configuration<State> | null;
  /** The operation placed last; null if it counts as not having happened. */
  readonly last: number | null;
}

export function linearize<State, Op extends Operation<unknown, unknown>>(
  operations: readonly Op[],
  model: Model<State, Op>,
): Impasse<State, Op> | null {
  const all = [...operations].sort((one, other) => one.start - other.start);
  const at = (index: number) => all[index] as Op;

  /** For the next place: nothing unplaced ended before they began. */
  function candidates({ first, beyond }: Configuration<State>): number[] {
    let earliestEnd = Number.POSITIVE_INFINITY;
    const open: number[] = [];
    for (let index = first; index < all.length && at(index).start <= earliestEnd; index++) {
      if (beyond.includes(index)) continue;
      open.push(index);
      earliestEnd = Math.min(earliestEnd, at(index).end ?? Number.POSITIVE_INFINITY);
    }
    return open.filter((index) => at(index).start <= earliestEnd);
  }

  function place(
    now: Configuration<State>,
    index: number,
    state: State,
    last: number | null = index,
  ): Configuration<State> {
    const placed = new Set([...now.beyond, index]);
    let { first } = now;
    while (placed.delete(first)) first += 1;
    return { state, first, beyond: [...placed].sort((a, b) => a - b), parent: now, last };
  }

  function* nextOf(now: Configuration<State>): Iterable<Configuration<State>> {
    const open = candidates(now);
    const isOptional = ({ output, happened }: Op) => output === null && happened !== true;
    const optional = open.filter((index) => isOptional(at(index)));
    for (const index of [...open.filter((each) => !optional.includes(each)), ...optional]) {
      for (const state of model.apply(now.state, at(index))) yield place(now, index, state);
    }
    // That it did not happen is tried last.
    for (const index of optional) yield place(now, index, now.state, null);
  }

  const progress = ({ first, beyond }: Configuration<State>) => first + beyond.length;
  const begin = { first: 0, beyond: [], parent: null, last: null };
  const open: Configuration<State>[] = model.initial.map((state) => ({ ...begin, state }));
  const seen = new Set<string>();
  let furthest = open[0] as Configuration<State>;
  for (let now = open.pop(); now !== undefined; now = open.pop()) {
    if (now.first === all.length) return null;
    if (progress(now) > progress(furthest)) furthest = now;
    // The last one pushed is tried first.
    for (const next of [...nextOf(now)].reverse()) {
      const key = `${next.first}:${next.beyond.join()}:${model.key(next.state)}`;
      if (seen.has(key)) continue;
      if (seen.size >= MAX_CONFIGURATIONS) return impasse(true);
      seen.add(key);
      open.push(next);
    }
  }
  return impasse(false);

  function impasse(gaveUp: boolean): Impasse<State, Op> {
    const placed: Op[] = [];
    for (let each: Configuration<State> | null = furthest; each; each = each.parent) {
      if (each.last !== null) placed.unshift(at(each.last));
    }
    return { placed, state: furthest.state, stuck: candidates(furthest).map(at), gaveUp };
  }
}
