// The questions that were asked in the course of a run, and what a person said: by the gate about
// the run itself, or by its agent while the run was on top of the agent's stack. They are in the
// team's ledger, not in the stream of the run.

import type { Session } from '../core/session/state.ts';
import type { Question, Team } from '../core/team/state.ts';
import { singleSpaced } from '../core/wording.ts';
import { type AgentNames, nameOfAsker } from './agent-names.ts';
import type { RunQuestion } from './run.ts';

/** In the order in which they were asked; without a session, those that were asked in none. */
export function questionsOf(
  team: Team,
  sessionId: string | null,
  names: AgentNames,
): RunQuestion[] {
  return [...team.questions.values()].flatMap((question): RunQuestion[] => {
    const { id, question: text, about, askedBy, askedAt, outcome } = question;
    const runs = [about?.session, question.run].filter((each) => each !== undefined);
    if (sessionId === null ? runs.length > 0 : !runs.includes(sessionId)) return [];
    const asked = { id, text, asked_by: nameOfAsker(about, askedBy, names), asked_at: askedAt };
    if (outcome.kind === 'open') return [{ ...asked, outcome: null }];
    const { kind, by, route, at } = outcome;
    return [{ ...asked, outcome: { kind, answer: answerOf(question), by, route, at } }];
  });
}

/** The closed question that a run waits for, because its agent has not called since; null if none. */
export function closedAt(team: Team, { id, position }: Session, names: AgentNames) {
  if (position.reason !== 'waiting_for_person') return null;
  // An approval of files that changed is asked again, at the same arrival.
  const last = [...team.questions.values()].findLast(
    ({ about }) => about?.session === id && about.arrival === position.arrival,
  );
  if (last === undefined || last.outcome.kind === 'open') return null;
  return questionsOf(team, id, names).find((each) => each.id === last.id) ?? null;
}

function answerOf({ outcome }: Question): string | null {
  if (outcome.kind !== 'answered') return null;
  return [...outcome.choices, ...(outcome.other === null ? [] : [outcome.other])].join(', ');
}

/** When a question was last asked in each run, by its id. */
export function askedInRuns(team: Team): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  // In the order in which they were asked.
  for (const { run, askedAt } of team.questions.values()) if (run) found.set(run, askedAt);
  return found;
}

/** An approval lists everything that it is about below its first line. */
export function firstLine(text: string): string {
  return singleSpaced(text.trim().split('\n', 1)[0] ?? '');
}

export function closedText(id: string, outcome: NonNullable<RunQuestion['outcome']>): string {
  const { kind, answer, by } = outcome;
  return kind === 'answered'
    ? `${by} answered ${id}: ${singleSpaced(answer ?? '')}`
    : `${by} dismissed ${id} without an answer`;
}
