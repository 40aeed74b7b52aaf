// A violated requirement, with the calls that show it.

import type { CallRecord } from './history.ts';
import type { Impasse, Operation } from './linearize.ts';

export interface Violation {
  readonly what: string;
  readonly calls: readonly CallRecord[];
  /** A piece of text that finds the relevant lines of the journal. */
  readonly trace: readonly string[];
}

/** An operation that came from a recorded call, or from the journal. */
export interface Recorded {
  readonly call: CallRecord | null;
}

/** How many of the operations before the impasse help to understand it. */
const CONTEXT = 6;

export function noOrder<State, Op extends Operation<unknown, unknown> & Recorded>(
  object: string,
  { placed, state, stuck, gaveUp }: Impasse<State, Op>,
): Violation {
  const shown = [...placed.slice(-CONTEXT), ...stuck];
  return {
    what: [
      `No order ${gaveUp ? 'was found that explains' : 'explains'} ${object}. After ${placed.length} operations it is`,
      `  ${JSON.stringify(state).slice(0, 2000)}`,
      'and none of these can come next with the answer it got:',
      ...stuck.map((each) => `  ${each.name} → ${JSON.stringify(each.output)}`),
    ].join('\n'),
    calls: shown.flatMap(({ call }) => call ?? []),
    trace: [],
  };
}
