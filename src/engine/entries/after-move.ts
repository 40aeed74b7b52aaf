// What has to happen outside of a session's own stream once it has moved: the nested session that
// it no longer runs is aborted, the one that it runs now is started, questions that no longer
// matter are dismissed, and the one that it waits for is asked. None of this can undo the move; if
// a crash prevents it, the next call does it.

import { decideAbort } from '../../core/session/decide.ts';
import { decideRunEnded } from '../../core/session/nested-run.ts';
import type { Session } from '../../core/session/state.ts';
import { describeSteering } from '../../core/session/steering.ts';
import { loadReadable } from '../../sessions/load-readable.ts';
import type { CallContext } from '../call-context.ts';
import { definitionInUse } from '../definition-in-use.ts';
import { dismissAfterMove } from '../person/ended-questions.ts';
import type { Workspace } from '../workspace.ts';
import { askAtEntry } from './ask-at-entry.ts';
import type { Finder, Findings } from './findings.ts';
import { nestedIn } from './nested-sessions.ts';
import { startPlanned } from './plan-run.ts';

/** Questions to a person are asked in the name of `caller`. */
export type MoveContext = Finder &
  Pick<CallContext, 'caller'> & {
    /** How many milliseconds are left to answer the call. */
    readonly timeLeft?: () => number;
  };

export async function afterMove(
  context: MoveContext,
  before: Session | null,
  after: Session,
  findings: Findings,
): Promise<void> {
  const { workspace } = context;
  if (before !== null) await cleanUpArrival(workspace, before, after);
  if (after.status !== 'active') return;
  const { at } = after.position;
  const plan = at?.kind === 'run' ? findings.plans.get(at.session) : undefined;
  if (plan !== undefined) {
    await startPlanned(context, plan);
    await afterMove(context, null, plan.session, findings);
  }
  // If this fails, the next call asks.
  await askAtEntry(context, after).catch(() => {});
}

/** Ends what belonged to the previous arrival: its nested session and its questions. */
export async function cleanUpArrival(
  workspace: Workspace,
  before: Session,
  after: Session,
): Promise<void> {
  const { status, position, id } = after;
  if (status === 'active' && position.arrival === before.position.arrival) return;
  const { at } = before.position;
  if (at?.kind === 'run' && (await isActive(workspace, at.session))) {
    await abortUnneeded(workspace, at.session, `Session ${id}, which ran it, ${howItMoved(after)}`);
  }
  await dismissAfterMove(workspace, before);
  if (status === 'aborted') await reportAbort(workspace, after);
}

function howItMoved({ status, abortReason, abortedBy, steering }: Session): string {
  if (status === 'aborted') {
    return `was aborted${abortedBy === null ? '' : ` by ${abortedBy}`}: ${abortReason}`;
  }
  return steering?.informed === null
    ? `has gone back: ${describeSteering(steering)}`
    : 'has gone back';
}

/** Aborts a session that nothing waits for any more, and the sessions nested in it. */
export async function abortUnneeded(
  workspace: Workspace,
  id: string,
  reason: string,
): Promise<void> {
  const { store, stacks, clock } = workspace;
  const before = await store.load(id);
  if (before?.status !== 'active') return;
  const others = await nestedIn(workspace, before);
  const { session } = await store.change(id, async (now) => {
    const ending = await stacks.ending(now.owner, id, others);
    return decideAbort(now, { at: clock(), by: now.owner, explanation: reason, ending });
  });
  await cleanUpArrival(workspace, before, session);
}

/** Records in the parent that the session it ran was aborted. */
export async function reportAbort(workspace: Workspace, nested: Session): Promise<void> {
  const { store, clock } = workspace;
  const { parentId, runEntry, abortReason, abortedBy } = nested;
  if (runEntry === null || parentId === null) return;
  const parent = await loadReadable(store, parentId);
  if (parent?.status !== 'active') return;
  const reason = abortedBy === null ? `${abortReason}` : `${abortedBy}: ${abortReason}`;
  const outcome = { kind: 'aborted', reason } as const;
  // Without the parent's definition nothing can be recorded yet.
  const inUse = await definitionInUse(workspace, parent).catch(() => null);
  if (inUse === null) return;
  await store.change(parentId, (now) =>
    decideRunEnded(now, { at: clock(), by: now.owner, session: nested.id, outcome, inUse }),
  );
}

async function isActive({ store }: Workspace, id: string): Promise<boolean> {
  return (await loadReadable(store, id))?.status === 'active';
}
