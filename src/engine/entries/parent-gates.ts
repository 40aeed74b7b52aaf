// The gates of the parents of a session that is about to end. They are compared again when the
// call moves the parents (`commit-move.ts`); comparing them here refuses a call before it does work that
// may take minutes.

import { leavesOf } from '../../core/places.ts';
import { currentEntry } from '../../core/session/positions.ts';
import type { Session } from '../../core/session/state.ts';
import { type DefinitionInUse, definitionInUse } from '../definition-in-use.ts';
import { requireGate } from '../submission/gate-in-use.ts';
import type { MoveContext } from './after-move.ts';

export async function requireParentGates(
  context: MoveContext,
  session: Session,
  { workflow }: DefinitionInUse,
): Promise<void> {
  const { id, runEntry, parentId } = session;
  if (runEntry === null || parentId === null) return;
  const here = currentEntry(session, workflow)?.place;
  if (here === undefined || here.order !== leavesOf(workflow).at(-1)?.order) return;
  const { workspace } = context;
  const parent = await workspace.store.load(parentId).catch(() => null);
  const at = parent?.position.at;
  if (parent?.status !== 'active' || at?.kind !== 'run' || at.session !== id) return;
  const inUse = await definitionInUse(workspace, parent);
  await requireGate(context, parent, inUse);
  await requireParentGates(context, parent, inUse);
}
