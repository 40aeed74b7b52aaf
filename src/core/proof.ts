// The proof of a finding: a concrete way through a workflow, with what was given at the start,
// which steps were done and what they reported, what was skipped, what a person said. Whoever
// doubts a finding can walk it.

export type Values = Readonly<Record<string, unknown>>;

export interface Happening {
  readonly what:
    | 'started'
    | 'done'
    | 'skipped'
    /** A `for_each` whose list was empty. */
    | 'no_items'
    | 'until_done'
    | 'until_not_yet'
    /** What a person said of a loop that has no pass left. */
    | 'one_pass_more'
    | 'went_on'
    | 'approved'
    | 'rejected'
    /** A nested workflow. */
    | 'ran';
  /** The step or the entry; of the start, the workflow. */
  readonly name: string;
  /** What the start or the step was given with, as far as any condition asks for it. */
  readonly values?: Values;
  /** By variable: other values that it might have had, and nothing would have gone differently. */
  readonly alike?: Readonly<Record<string, readonly unknown[]>>;
}

/** What makes a finding true. */
export interface Proof {
  /** In words. */
  readonly says: string;
  /** One way to the place of the finding; empty where none is needed or there is none. */
  readonly path: readonly Happening[];
}
