// Hand-made histories and journals, to show that the checkers accept what is right and detect
// what is wrong: a checker that cannot fail would prove nothing about a run.

import type { Epoch } from './epochs.ts';
import type { CallRecord, History } from './history.ts';
import type { StreamEvent, Streams } from './streams.ts';
import type { Violation } from './violation.ts';

export type Call = Omit<CallRecord, 'number' | 'client' | 'server'> & { readonly server?: string };

export function historyOf(calls: readonly Call[], deaths: Record<string, number> = {}): History {
  return {
    calls: calls.map((call, number) => ({
      number,
      client: call.agent,
      server: 'http#1',
      ...call,
    })),
    faults: [],
    kills: new Map(Object.entries(deaths)),
    deaths: new Map(Object.entries(deaths)),
  };
}

export type Event = readonly [type: string, data: object];

function streamOf(events: readonly Event[]): StreamEvent[] {
  return events.map(([type, data], index) => ({ seq: index + 1, type, at: '', data }));
}

export function journalOf(
  team: readonly Event[],
  sessions: Readonly<Record<string, readonly Event[]>> = {},
): Streams {
  return {
    team: streamOf(team),
    sessions: new Map(Object.entries(sessions).map(([id, events]) => [id, streamOf(events)])),
  };
}

export const epochOf = (history: History, final: Streams = NO_STREAMS): Epoch => ({
  from: Number.NEGATIVE_INFINITY,
  history,
  whole: history,
  initial: NO_STREAMS,
  final,
  isLast: true,
});
export const says = (violations: readonly Violation[]) =>
  violations.map(({ what }) => what).join('\n');
export const text = (words: string, data: unknown = null, isError = false) => ({
  isError,
  text: words,
  data,
});
