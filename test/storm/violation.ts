// A violated requirement, with the calls that show it.

import type { CallRecord } from './history.ts';
import type { Impasse, Operation } from './linearize.ts';

export interface Violation {
  readonly what: string;
  readonly calls: readonly CallRecord[];
  /** A piece of text that finds the relevant events. */
  readonly trace: readonly string[];
}

/** An operation that came from a recorded call, or from the streams. */
export interface Recorded {
  readonly call: CallRecord | null;
}

/**
 * Every call that changes something carries a unique text that begins with the agent's name: a
 * goal, a note, an explanation, a body. It identifies the call in the streams.
 */
export const markOf = (agent: string, what: string, number: number) => `${agent}/${what}-${number}`;
export const agentOfMark = (mark: string) => mark.split('/')[0] ?? '';

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
