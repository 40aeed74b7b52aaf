// What has to happen once a session has moved, outside of its own stream: what it no longer runs
// is given up, what it runs now is started, questions that no longer matter are closed, and the
// one that it waits for is asked. None of it can undo the move; what a crash leaves out, the next
// call makes up for.

import { decideAbort, ofExisting } from '../../core/session/decide.ts';
import { decideRunEnded } from '../../core/session/nested-run.ts';
import type { Session } from '../../core/session/state.ts';
import type { CallContext } from '../call-context.ts';
import { definitionInUse } from '../definition-in-use.ts';
import { dismissAfterMove } from '../person/ended-questions.ts';
import type { Workspace } from '../workspace.ts';
import { askAtEntry } from './ask-at-entry.ts';
import type { Finder, Findings } from './findings.ts';
import { nestedIn } from './nested-sessions.ts';
import { startPlanned } from './plan-run.ts';

/** `caller` is the one who asks, where a person has to be asked. */
export type MoveContext = Finder &
  Pick<CallContext, 'caller'> & {
    /** How many milliseconds are left in which the call has to be answered. */
    readonly timeLeft?: () => number;
  };

export async function afterMove(
  context: MoveContext,
  before: Session | null,
  after: Session,
  findings: Findings,
): Promise<void> {
  const { workspace } = context;
  if (before !== null) await leaveBehind(workspace, before, after);
  if (after.status !== 'active') return;
  const { at } = after.position;
  const plan = at?.kind === 'run' ? findings.plans.get(at.session) : undefined;
  if (plan !== undefined) {
    await startPlanned(context, plan);
    await afterMove(context, null, plan.session, findings);
  }
  // The next call asks if this cannot.
  await askAtEntry(context, after).catch(() => {});
}

/** What belonged to the arrival that is over. */
export async function leaveBehind(
  workspace: Workspace,
  before: Session,
  after: Session,
): Promise<void> {
  const { status, position, id } = after;
  if (status === 'active' && position.arrival === before.position.arrival) return;
  const { at } = before.position;
  const isOver = at?.kind === 'run' && (await isActive(workspace, at.session));
  if (isOver) {
    const why = status === 'aborted' ? `was aborted: ${after.abortReason}` : 'has gone back';
    await giveUp(workspace, at.session, `Session ${id}, which ran it, ${why}`);
  }
  await dismissAfterMove(workspace, before);
  if (status === 'aborted') await reportAbort(workspace, after);
}

/** A session that nothing waits for any more, and all that it runs. */
export async function giveUp(workspace: Workspace, id: string, reason: string): Promise<void> {
  const { store, stacks, clock, running } = workspace;
  const before = await store.load(id);
  if (before?.status !== 'active') return;
  const others = await nestedIn(workspace, before);
  const { session } = await store.commit(
    id,
    ofExisting(id, async (now) => {
      const ending = await stacks.ending(now.owner, id, others);
      return decideAbort(now, { at: clock(), by: now.owner, explanation: reason, ending });
    }),
    async () => null,
  );
  running.drop(id);
  await leaveBehind(workspace, before, session);
}

/** Puts on record in the session above that what it ran was given up. */
export async function reportAbort(workspace: Workspace, nested: Session): Promise<void> {
  const { store, clock } = workspace;
  const { parentId, runEntry, abortReason, abortedBy } = nested;
  if (runEntry === null || parentId === null) return;
  const parent = await store.load(parentId).catch(() => null);
  if (parent?.status !== 'active') return;
  const reason = abortedBy === null ? `${abortReason}` : `${abortedBy}: ${abortReason}`;
  const outcome = { kind: 'aborted', reason } as const;
  // Where its definition is gone, nothing can be recorded yet.
  const inUse = await definitionInUse(workspace, parent).catch(() => null);
  if (inUse === null) return;
  await store.commit(
    parentId,
    ofExisting(parentId, (now) =>
      decideRunEnded(now, { at: clock(), by: now.owner, session: nested.id, outcome, inUse }),
    ),
    async () => null,
  );
}

async function isActive({ store }: Workspace, id: string): Promise<boolean> {
  return (await store.load(id).catch(() => null))?.status === 'active';
}
