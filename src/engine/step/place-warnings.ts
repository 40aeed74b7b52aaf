// What an agent should know about the place where it works: that outputs of its session are not here,
// and that the main checkout has changed although the work belongs in a worktree.

import type { Session } from '../../core/session/state.ts';
import { changedInMain } from '../../environment/git/work-tree-status.ts';
import type { CallContext } from '../call-context.ts';
import { outputsElsewhere } from './outputs-elsewhere.ts';

export async function placeWarnings(
  context: CallContext,
  session: Session,
): Promise<readonly string[]> {
  const { root, work } = context.workspace.paths;
  const elsewhere = await outputsElsewhere(context, session);
  if (work === root) return elsewhere;
  const changed = await changedInMain(root, await beganAt(context, session));
  return changed === null ? elsewhere : [...elsewhere, changed];
}

/** When the first session began that this one is nested in. */
async function beganAt(context: CallContext, { parentId, startedAt }: Session): Promise<string> {
  const parent = parentId === null ? null : await context.workspace.store.load(parentId);
  return parent === null ? startedAt : beganAt(context, parent);
}
