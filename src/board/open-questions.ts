// The questions that wait for a person, and which run each of them holds up: one of the gate the run
// that it is about, one of an agent the run that it was asked in, even if the agent is gone.

import { addTo } from '../core/groups.ts';
import { stackOf } from '../core/session/stack.ts';
import type { Session } from '../core/session/state.ts';
import type { ArrivalId, Question, Team } from '../core/team/state.ts';
import { type AgentNames, nameOfAsker } from './agent-names.ts';
import type { OpenQuestion } from './run.ts';

/** `active` are all sessions that have not ended. */
export function openQuestions(
  team: Team,
  active: readonly Session[],
  names: AgentNames,
): OpenQuestion[] {
  return [...team.open].flatMap((id): OpenQuestion[] => {
    const question = team.questions.get(id);
    if (question === undefined) return [];
    const asker = team.sets.get(question.set)?.asker ?? null;
    const { about } = question;
    if (about !== undefined && !isStillAbout(about, active)) return [];
    const run = about === undefined ? heldUp(question, active) : about.session;
    return [describeQuestion(question, nameOfAsker(about, asker, names), run)];
  });
}

/** Ids of questions, by the run that they hold up. */
export function questionsByRun(questions: readonly OpenQuestion[]): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { id, session_id } of questions) if (session_id) addTo(found, session_id, id);
  return found;
}

/** The run that it was asked in, while that is on top of its stack. */
function heldUp({ run }: Question, active: readonly Session[]): string | null {
  const asked = active.find(({ id }) => id === run);
  const top = asked && stackOf(active, asked.owner.identity).at(-1);
  return top !== undefined && top === asked ? top.id : null;
}

/** If it is not, no answer has an effect any more; a server dismisses such a question later. */
function isStillAbout(about: ArrivalId, active: readonly Session[]): boolean {
  const session = active.find(({ id }) => id === about.session);
  return session?.position.arrival === about.arrival;
}

function describeQuestion(
  question: Question,
  askedBy: string | null,
  session_id: string | null,
): OpenQuestion {
  const { id, about, askedAt, question: text, choices } = question;
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
