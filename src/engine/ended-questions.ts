// Questions of the gate are about one visit of one session. When that is over, by going on,
// going back or giving up, no answer could matter any more: they are dismissed, or people
// would be asked for ever. This is done with the move, and again before questions are
// listed, since a process can end between the two.

import { Refused } from '../core/refusal.ts';
import type { Session } from '../core/session/state.ts';
import type { Workspace } from './workspace.ts';

const BY = 'deepwork';
const ROUTE = 'run ended';

/** To be called when a session has moved. Only where a person decides is there a question. */
export async function dismissAfterMove(workspace: Workspace, { gate }: Session): Promise<void> {
  // Nobody who moved on should hear that something about the questions went wrong.
  if (gate?.overrides === 'person') await dismissEnded(workspace).catch(() => {});
}

export async function dismissEnded({ store, team }: Workspace): Promise<void> {
  const { questions } = team;
  for (const { id, set, about } of await questions.open()) {
    if (about === undefined) continue;
    const session = await store.load(about.session).catch(() => undefined);
    // A journal that cannot be read now may be readable later.
    if (session === undefined) continue;
    if (session?.status === 'active' && session.position.visit === about.visit) continue;
    try {
      await questions.dismiss(id, BY, ROUTE);
    } catch (error) {
      // A person was first.
      if (!(error instanceof Refused)) throw error;
    }
    await questions.collected(set);
  }
}
