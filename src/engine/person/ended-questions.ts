// Questions of the gate are about one arrival of one session. When the session moves on, goes back
// or is aborted, no answer can matter any more, so they are dismissed: otherwise they would stay
// open for ever. This happens after the move, and again before questions are listed, since the
// process may end right after the move.

import { Refused } from '../../core/refusal.ts';
import type { Session } from '../../core/session/state.ts';
import type { ArrivalId } from '../../core/team/state.ts';
import type { QuestionLedger } from '../../team/question-ledger.ts';
import type { Workspace } from '../workspace.ts';

const BY = 'deepwork';
const ROUTE = 'run ended';

/**
 * Called when a session has moved, with the session before the move. There can be questions only
 * if a person decides.
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

/** Dismisses older questions of the same kind about a session: their files have changed since. */
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
    // A person has answered it meanwhile.
    if (!(error instanceof Refused)) throw error;
  }
  await questions.collected(set);
}
