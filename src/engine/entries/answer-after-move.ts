// The answer to a call whose move may have led into another session: to the parent, because a
// nested session is complete, or into a nested session that was started.

import type { FinishedStepAnswer } from '../answer-types.ts';
import { answerFor, type FinishedStepOutcome } from '../step/finished-step-answer.ts';
import type { Lead } from './commit-move.ts';

export async function answerAt(
  outcome: FinishedStepOutcome,
  lead: Lead,
): Promise<FinishedStepAnswer> {
  if (lead.session.id === outcome.session.id) return answerFor(outcome);
  const { warnings = outcome.session.lastAccepted?.warnings ?? [] } = outcome;
  const { session, inUse, afterwords = [] } = lead;
  // If a loop of the parent is out of passes, the caller waits there.
  const arrival = session.position.limit === undefined ? BEFORE_ALL : session.position.arrival;
  const answer = await answerFor({
    session,
    inUse: session.status === 'active' ? inUse : null,
    arrival,
    warnings: [...warnings, ...lead.warnings],
  });
  if (afterwords.length === 0) return answer;
  const summary = [...afterwords, ...(answer.summary === null ? [] : [answer.summary])];
  return { ...answer, summary: summary.join('\n\n') };
}

/** No arrival has this number, so every arrival counts as a move. */
const BEFORE_ALL = 0;
