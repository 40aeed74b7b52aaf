// A run in pieces. When the journal itself is cut, rolled back or deleted, its content may be
// lost; but afterwards work must continue exactly from what is left. So every piece between two
// such losses is checked on its own: it begins with what the loss left and ends with what the
// next one found.

import type { TeamEvent } from '../../src/core/team/state.ts';
import { type Fold, foldTeam } from '../support/fold-team.ts';
import { effectiveEnd, type History, isNotice } from './history.ts';
import { NO_STREAMS, type StreamEvent, type Streams } from './streams.ts';

/** All servers were stopped from one time to the other. */
export interface Loss {
  readonly from: number;
  readonly to: number;
  readonly before: Streams;
  readonly after: Streams;
}

export interface Epoch {
  /** When the loss before it was over. */
  readonly from: number;
  /** Calls across its edges have no answer here: it may belong to either side. */
  readonly history: History;
  /** Of the whole run. */
  readonly whole: History;
  readonly initial: Streams;
  readonly final: Streams;
  readonly isLast: boolean;
}

export function epochsOf(history: History, losses: readonly Loss[], end: Streams): Epoch[] {
  return [...losses, null].map((loss, index) => {
    const before = losses[index - 1];
    const from = before?.to ?? Number.NEGATIVE_INFINITY;
    const to = loss?.from ?? Number.POSITIVE_INFINITY;
    const calls = history.calls.flatMap((call) => {
      const last = effectiveEnd(history, call) ?? Number.POSITIVE_INFINITY;
      if (call.start > to || last < from) return [];
      const isWhole = call.start >= from && (call.end ?? last) <= to;
      // It changed nothing that exists now; how often it is reported is checked separately.
      if (isWhole && call.answer !== null && isNotice(call.answer)) return [];
      return isWhole ? call : { ...call, answer: null };
    });
    return {
      from,
      history: { ...history, calls },
      whole: history,
      initial: before?.after ?? NO_STREAMS,
      final: loss?.before ?? end,
      isLast: loss === null,
    };
  });
}

/** The team when the epoch began, including an imported state file. */
export function teamAtStart(epoch: Epoch): Fold['team'] {
  return foldAll(isTakenOver(epoch) ? epoch.final.team.slice(0, 1) : epoch.initial.team);
}

/** Whether the journal was gone and the state file was imported as the first event. */
function isTakenOver({ initial, final }: Epoch): boolean {
  return initial.team.length === 0 && final.team[0]?.type === 'imported';
}

/** What was added to the team's journal during the epoch. */
export function newTeamEvents({ initial, final }: Epoch): readonly StreamEvent[] {
  return final.team.slice(initial.team.length);
}

function foldAll(events: readonly StreamEvent[]): Fold['team'] {
  const fold = foldTeam();
  for (const { seq, type, at, data } of events) {
    fold.apply(seq, { type, at, data } as unknown as TeamEvent);
  }
  return fold.team;
}
