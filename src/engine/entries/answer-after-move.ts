// What a call is answered with after a move that may have led into another session: up, because
// what a `run` started is complete, or down, into what it starts.

import type { FinishedStepAnswer } from '../answer-types.ts';
import { answerFor, type FinishedStepOutcome } from '../step/finished-step-answer.ts';
import type { Lead } from './move.ts';

export async function answerAt(
  outcome: FinishedStepOutcome,
  lead: Lead,
): Promise<FinishedStepAnswer> {
  if (lead.session.id === outcome.session.id) return answerFor(outcome);
  const { warnings = outcome.session.lastAccepted?.warnings ?? [] } = outcome;
  const { session, inUse, afterwords = [] } = lead;
  // A loop above may be out of passes: then the caller waits where it is.
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

/** No arrival has this number, so any of them has been moved to. */
const BEFORE_ALL = 0;
