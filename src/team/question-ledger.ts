// The question ledger, for those who ask and for the ways by which people answer. Asking
// waits for nothing: whoever asks then waits for as long as its client lets it, and may
// come back with the same questions to go on waiting.

import type { Caller } from '../core/team/caller.ts';
import {
  type AskedSet,
  decideAnswer,
  decideAsk,
  decideCollect,
  decideDismiss,
} from '../core/team/questions.ts';
import type { Asked, GivenAnswer, Question, Team } from '../core/team/state.ts';
import type { TeamCommands } from './team-commands.ts';

export interface QuestionLedger {
  /** A new set, or the one that the same caller asked before and has not collected. */
  ask(caller: Caller, questions: readonly Asked[]): Promise<AskedSet>;
  /** Refused if the answer does not fit, or if somebody was first. */
  answer(id: string, given: GivenAnswer, by: string, route: string): Promise<Question>;
  dismiss(id: string, by: string, route: string): Promise<Question>;
  /** Open questions, oldest first. */
  open(): Promise<readonly Question[]>;
  /** Questions that were closed last, newest first. */
  recent(count: number): Promise<readonly Question[]>;
  /** One question, whatever became of it. */
  find(id: string): Promise<Question | null>;
  /**
   * Waits until none of them is open, for at most so long; gives them as they are then.
   * An answer from any process wakes it at once.
   */
  waitFor(ids: readonly string[], signal: AbortSignal, milliseconds: number): Promise<Question[]>;
  /** Says that the outcome of a set has reached who asked: equal questions are new ones then. */
  collected(set: number): Promise<void>;
}

export function openQuestionLedger(desk: TeamCommands): QuestionLedger {
  const { store, clock } = desk;
  const pick = (team: Team, ids: readonly string[]) =>
    ids.flatMap((id) => team.questions.get(id) ?? []);

  return {
    async ask(caller, questions) {
      const { member } = await desk.enter(caller);
      const { name: by, reader: asker } = member;
      return desk.commit((team) => decideAsk(team, { at: clock(), by, asker, questions }));
    },

    async answer(id, { choices, other }, by, route) {
      await desk.open();
      return desk.commit((team) =>
        decideAnswer(team, { id, choices, other, by, route, at: clock() }),
      );
    },

    async dismiss(id, by, route) {
      await desk.open();
      return desk.commit((team) => decideDismiss(team, { id, by, route, at: clock() }));
    },

    async open() {
      const team = await desk.open();
      return pick(team, [...team.open]);
    },

    async recent(count) {
      const team = await desk.open();
      return pick(team, count > 0 ? team.closed.slice(-count).reverse() : []);
    },

    async find(id) {
      return (await desk.open()).questions.get(id) ?? null;
    },

    async waitFor(ids, signal, milliseconds) {
      await store.waitFor(
        (team) => (ids.some((id) => team.open.has(id)) ? null : true),
        signal,
        milliseconds,
      );
      return pick(store.team, ids);
    },

    async collected(set) {
      await desk.commit((team) => decideCollect(team, { at: clock(), set }));
    },
  };
}
