// The language of histories of entries. A call holds every fact that the engine would find out,
// so that a history can be printed, shortened and played again.

export type Fact = 'done' | 'not_yet' | 'cannot_tell';

/** What is found out during a call, by the name of the entry; where nothing is said, the first. */
export interface Found {
  readonly untils: Readonly<Record<string, Fact>>;
  /** How many items a list has. */
  readonly items: Readonly<Record<string, number>>;
}

export interface Submit {
  readonly kind: 'submit';
  /** Of the members that are open, by their place in that list, modulo its length. */
  readonly which: readonly number[];
  /** Names each output with its step, instead of one step by `step_id`. */
  readonly qualified: boolean;
  /** Those of `which` that a reviewer turns down. */
  readonly failing: readonly number[];
  readonly content: number;
  readonly green: boolean | null;
  readonly found: Found;
}

export type EntryCall =
  | Submit
  /** `finished_step` with outputs {}, and what a person has said by then. */
  | {
      readonly kind: 'wait';
      readonly approves: boolean | null;
      readonly loop: 'one_more' | 'go_on' | 'abort' | null;
      readonly words: string | null;
      /** Another content of what is shown than the one that was handed in. */
      readonly edited: number;
      readonly found: Found;
    }
  | { readonly kind: 'nested_ends'; readonly completed: boolean; readonly found: Found }
  | { readonly kind: 'go_to'; readonly name: string; readonly found: Found }
  /** The last call that was made at an earlier arrival, judged only now. */
  | { readonly kind: 'late' }
  | { readonly kind: 'rebuild' };

/** What a call came to, and where the session is then, as both sides say it. */
export interface EntryFacts {
  readonly answer: string;
  readonly status: string;
  readonly arrival: number;
  readonly entry: number;
  readonly members: readonly string[];
  readonly current: string;
  readonly loops: readonly (readonly [string, number, string | null])[];
  readonly limit: readonly [string, number] | null;
  readonly feedback: string | null;
  readonly completed: readonly string[];
  readonly attempts: Readonly<Record<string, number>>;
  readonly allOutputs: Readonly<Record<string, unknown>>;
  readonly invalidated: readonly string[] | null;
  /** The items that are put before the agent now. */
  readonly shown: readonly string[];
}
