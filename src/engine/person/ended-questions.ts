// Questions of the gate are about one arrival of one session. When that is over, by going on,
// going back or giving up, no answer could matter any more: they are dismissed, or people
// would be asked for ever. This is done with the move, and again before questions are
// listed, since a process can end between the two.

import { Refused } from '../../core/refusal.ts';
import type { Session } from '../../core/session/state.ts';
import type { ArrivalId } from '../../core/team/state.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import type { Workspace } from '../workspace.ts';

const BY = 'deepwork';
const ROUTE = 'run ended';

/**
 * To be called when a session has moved, with what it was before. Only where a person decides is
 * there a question.
 */
export async function dismissAfterMove(
  workspace: Workspace,
  { gate, position: { at, limit } }: Session,
): Promise<void> {
  const wasAsked = at?.kind === 'approve' || limit !== undefined;
  // The move has been made: a failure to dismiss its questions must not fail the call.
  if (gate?.overrides === 'person' || wasAsked) await dismissEnded(workspace).catch(() => {});
}

export async function dismissEnded({ store, team }: Workspace): Promise<void> {
  const { questions } = team;
  for (const { id, set, about } of await questions.open()) {
    if (about === undefined) continue;
    const session = await store.load(about.session).catch(() => undefined);
    // A journal that cannot be read now may be readable later.
    if (session === undefined) continue;
    if (session?.status === 'active' && session.position.arrival === about.arrival) continue;
    await dismiss(questions, id, set, ROUTE);
  }
}

/** Other questions about the same arrival that have become pointless: the files changed. */
export async function dismissOutdated(
  { team: { questions } }: Workspace,
  { session, grants, once }: ArrivalId,
  question: string,
): Promise<void> {
  for (const { id, set, about } of await questions.open()) {
    if (id === question || about?.session !== session || about.grants !== grants) continue;
    if (about.once !== once) await dismiss(questions, id, set, 'files changed');
  }
}

async function dismiss(
  questions: QuestionLedger,
  id: string,
  set: number,
  route: string,
): Promise<void> {
  try {
    await questions.dismiss(id, BY, route);
  } catch (error) {
    // A person was first.
    if (!(error instanceof Refused)) throw error;
  }
  await questions.collected(set);
}
