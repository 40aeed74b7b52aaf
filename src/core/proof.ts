// The proof of a finding: a concrete path through a workflow, with the inputs at the start, the
// steps done and what they reported, what was skipped and what a person answered. Anyone who
// doubts the finding can replay it.

export type Values = Readonly<Record<string, unknown>>;

export interface PathEvent {
  readonly what:
    | 'started'
    | 'done'
    | 'skipped'
    /** A `for_each` whose list was empty. */
    | 'no_items'
    | 'until_done'
    | 'until_not_yet'
    /** A person's answer for a loop that has no pass left. */
    | 'one_pass_more'
    | 'went_on'
    | 'approved'
    | 'rejected'
    /** A nested workflow. */
    | 'ran';
  /** The step or the entry; for the start, the workflow. */
  readonly name: string;
  /** The inputs of the start or the reports of the step, as far as any condition reads them. */
  readonly values?: Values;
  /** By variable: other values with which the path would have been the same. */
  readonly alike?: Readonly<Record<string, readonly unknown[]>>;
}

/** What makes a finding true. */
export interface Proof {
  /** A sentence without a full stop. */
  readonly says: string;
  /** One path to the place of the finding; empty if none is needed or there is none. */
  readonly path: readonly PathEvent[];
}
