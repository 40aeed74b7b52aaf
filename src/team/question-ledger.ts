// The question ledger, for agents that ask and for the routes by which people answer. Asking
// does not wait: the caller waits afterwards, as long as its client allows, and may come back
// with the same questions to keep waiting.

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
  /** A new set, or one that the same caller asked before and has not collected. */
  ask(caller: Caller, questions: readonly Asked[]): Promise<AskedSet>;
  /** Refused if the answer is invalid, or if the question is already closed. */
  answer(id: string, given: GivenAnswer, by: string, route: string): Promise<Question>;
  dismiss(id: string, by: string, route: string): Promise<Question>;
  /** Open questions, oldest first. */
  open(): Promise<readonly Question[]>;
  /** Whether this agent, or one of its models, waits for an answer. */
  isAsking(agent: string): Promise<boolean>;
  /** The questions that were closed last, newest first. */
  recent(count: number): Promise<readonly Question[]>;
  /** One question, open or closed. */
  find(id: string): Promise<Question | null>;
  /**
   * Waits until none of them is open, up to a time limit; returns them as they are then. An
   * answer from any process wakes it at once.
   */
  waitFor(ids: readonly string[], signal: AbortSignal, milliseconds: number): Promise<Question[]>;
  /** Records that the asker has the outcome of a set; equal questions are then new ones. */
  collected(set: number): Promise<void>;
}

export function openQuestionLedger(commands: TeamCommands): QuestionLedger {
  const { store, clock } = commands;
  const pick = (team: Team, ids: readonly string[]) =>
    ids.flatMap((id) => team.questions.get(id) ?? []);

  return {
    async ask(caller, questions) {
      const { member } = await commands.enter(caller);
      const { name: by, reader: asker } = member;
      return commands.commit((team) => decideAsk(team, { at: clock(), by, asker, questions }));
    },

    async answer(id, { choices, other }, by, route) {
      await commands.open();
      return commands.commit((team) =>
        decideAnswer(team, { id, choices, other, by, route, at: clock() }),
      );
    },

    async dismiss(id, by, route) {
      await commands.open();
      return commands.commit((team) => decideDismiss(team, { id, by, route, at: clock() }));
    },

    async open() {
      const team = await commands.open();
      return pick(team, [...team.open]);
    },

    async isAsking(agent) {
      const team = await commands.open();
      return [...team.sets.values()].some(
        ({ asker, questions }) =>
          (asker === agent || asker.startsWith(`${agent}:`)) &&
          questions.some((id) => team.open.has(id)),
      );
    },

    async recent(count) {
      const team = await commands.open();
      return pick(team, count > 0 ? team.closed.slice(-count).reverse() : []);
    },

    async find(id) {
      return (await commands.open()).questions.get(id) ?? null;
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
      await commands.commit((team) => decideCollect(team, { at: clock(), set }));
    },
  };
}
