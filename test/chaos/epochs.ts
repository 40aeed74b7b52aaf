// A run in pieces. When the journal itself is cut, rolled back or deleted, what was in it
// is lost, and is allowed to be; but what is there afterwards must be gone on from as
// exactly as before. So every piece between two such losses is checked by itself: it
// begins with what the loss left and ends with what the next one found.

import type { TeamEvent } from '../../src/core/team/state.ts';
import { type Fold, foldTeam } from '../support/fold-team.ts';
import { type CallRecord, effectiveEnd, type History, isNotice } from './history.ts';
import type { JournalEvent, JournalFiles } from './journal-file.ts';

/** All servers stood still from one time to the other. */
export interface Loss {
  readonly from: number;
  readonly to: number;
  readonly before: JournalFiles;
  readonly after: JournalFiles;
}

export interface Epoch {
  /** When the loss before it was over. */
  readonly from: number;
  /** Calls that reach over its edges have no answer here: it may tell of either side. */
  readonly history: History;
  /** Of the whole run. */
  readonly whole: History;
  readonly initial: JournalFiles;
  readonly final: JournalFiles;
  readonly isLast: boolean;
}

export const EMPTY: JournalFiles = { team: [], sessions: new Map() };

export function epochsOf(history: History, losses: readonly Loss[], end: JournalFiles): Epoch[] {
  return [...losses, null].map((loss, index) => {
    const before = losses[index - 1];
    const from = before?.to ?? Number.NEGATIVE_INFINITY;
    const to = loss?.from ?? Number.POSITIVE_INFINITY;
    const late = lateReads(history, from);
    const calls = history.calls.flatMap((call) => {
      const last = effectiveEnd(history, call) ?? Number.POSITIVE_INFINITY;
      if (call.start > to || (last < from && !late.has(call))) return [];
      const isWhole = call.start >= from && (call.end ?? last) <= to;
      // It changed nothing of what is there now; how often it is said is checked apart.
      if (isWhole && call.answer !== null && isNotice(call.answer)) return [];
      return isWhole ? call : { ...call, answer: null };
    });
    return {
      from,
      history: { ...history, calls },
      whole: history,
      initial: before?.after ?? EMPTY,
      final: loss?.before ?? end,
      isLast: loss === null,
    };
  });
}

/** What an answer held counts as read a moment after it: by each reader's last that held any. */
function lateReads({ calls }: History, from: number): Set<CallRecord> {
  const last = new Map<string, CallRecord>();
  for (const call of calls) {
    const isBefore = call.end !== null && call.end < from;
    if (!isBefore || call.tool !== 'check_inbox') continue;
    if (call.answer?.text.startsWith('You have no messages')) continue;
    if ((call.end as number) > (last.get(call.agent)?.end ?? 0)) last.set(call.agent, call);
  }
  return new Set(last.values());
}

/** The team as it was when the epoch began; a state file that was taken over included. */
export function teamAtStart(epoch: Epoch): Fold['team'] {
  return foldAll(isTakenOver(epoch) ? epoch.final.team.slice(0, 1) : epoch.initial.team);
}

/** Whether the journal was gone, and the state file beside it was made the first event. */
function isTakenOver({ initial, final }: Epoch): boolean {
  return initial.team.length === 0 && final.team[0]?.type === 'imported';
}

/** What was added to the team's journal during the epoch. */
export function newTeamEvents({ initial, final }: Epoch): readonly JournalEvent[] {
  return final.team.slice(initial.team.length);
}

export function foldAll(events: readonly JournalEvent[]): Fold['team'] {
  const fold = foldTeam();
  for (const { seq, type, at, data } of events) {
    fold.apply(seq, { type, at, data } as unknown as TeamEvent);
  }
  return fold.team;
}
