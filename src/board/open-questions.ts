// The questions that wait for a person, and which run each of them holds up. A question of the
// gate holds up the run that it is about. A question of an agent holds up the run on top of that
// agent's stack, as long as the agent's process is alive.

import { addTo } from '../core/groups.ts';
import { agentNameOf, type Liveness } from '../core/session/ownership.ts';
import { livenessOfAll, stackOf } from '../core/session/stack.ts';
import type { Session } from '../core/session/state.ts';
import { COORDINATOR } from '../core/team/caller.ts';
import { agentOf } from '../core/team/inbox.ts';
import type { ArrivalId, Question, Team } from '../core/team/state.ts';
import { type AgentNames, nameOfAsker } from './agent-names.ts';
import type { OpenQuestion } from './run.ts';

export interface AskedQuestion {
  readonly question: OpenQuestion;
  /** Ids of the runs that it holds up. */
  readonly holds: readonly string[];
}

/** `active` are all sessions that have not ended. */
export function openQuestions(
  team: Team,
  active: readonly Session[],
  livenessOf: (process: string) => Liveness,
  names: AgentNames,
): AskedQuestion[] {
  const tops = topsOfLiving(active, livenessOf);
  return [...team.open].flatMap((id): AskedQuestion[] => {
    const question = team.questions.get(id);
    if (question === undefined) return [];
    const asker = team.sets.get(question.set)?.asker ?? null;
    const { about } = question;
    if (about !== undefined && !isStillAbout(about, active)) return [];
    const holds = about === undefined ? heldUp(question, tops, asker) : [about.session];
    return [
      { question: describeQuestion(question, nameOfAsker(about, asker, names), holds), holds },
    ];
  });
}

/** Ids of questions, by the run that they hold up. */
export function questionsByRun(questions: readonly AskedQuestion[]): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { question, holds } of questions) {
    for (const run of holds) addTo(found, run, question.id);
  }
  return found;
}

/** The run on top of each stack whose process is alive. */
function topsOfLiving(
  active: readonly Session[],
  livenessOf: (process: string) => Liveness,
): Session[] {
  const identities = new Set(active.map(({ owner }) => owner.identity));
  return [...identities].flatMap((identity) => {
    const stack = stackOf(active, identity);
    return livenessOfAll(stack, livenessOf) === 'gone' ? [] : stack.slice(-1);
  });
}

/** The run it was asked in, while that is on top of a stack whose process is alive. */
function heldUp({ run }: Question, tops: readonly Session[], asker: string | null): string[] {
  if (run === undefined) return topsOf(tops, agentOf(asker ?? ''));
  return tops.filter(({ id }) => id === run).map(({ id }) => id);
}

/**
 * In older journals a question names only its asker. A client without a name asks as the coordinator,
 * so its question can be assigned only if there is just one such client.
 */
function topsOf(tops: readonly Session[], name: string): string[] {
  const named = tops.filter(
    ({ owner }) => owner.agent !== undefined && agentNameOf(owner) === name,
  );
  if (named.length > 0 || name !== COORDINATOR) return named.map(({ id }) => id);
  const nameless = tops.filter(({ owner }) => owner.agent === undefined);
  return nameless.length === 1 ? nameless.map(({ id }) => id) : [];
}

/** If it is not, no answer has an effect any more; a server dismisses such a question later. */
function isStillAbout(about: ArrivalId, active: readonly Session[]): boolean {
  const session = active.find(({ id }) => id === about.session);
  return session?.position.arrival === about.arrival;
}

function describeQuestion(
  question: Question,
  askedBy: string | null,
  holds: readonly string[],
): OpenQuestion {
  const { id, about, askedAt, question: text, choices } = question;
  // Only the agent knows which of its several runs is meant.
  const session_id = holds.length === 1 ? (holds[0] ?? null) : null;
  return {
    id,
    kind: kindOf(about),
    asked_by: askedBy,
    asked_at: askedAt,
    session_id,
    text,
    choices,
  };
}

function kindOf(about: ArrivalId | undefined): OpenQuestion['kind'] {
  if (about === undefined) return 'question';
  const { grants } = about;
  return grants === 'override' || grants === 'approval' ? grants : 'other';
}
