// Finds the session in which the caller continues, and repairs what a crash interrupted: a parent
// that still waits for a completed session is moved on, and a nested session that was never
// started is started.

import { runInputs } from '../../core/session/next-entry.ts';
import { currentEntry, handedInBy } from '../../core/session/positions.ts';
import type { Session } from '../../core/session/state.ts';
import type { RunEntry } from '../../core/workflow.ts';
import { loadReadable } from '../../sessions/load-readable.ts';
import { definitionInUse } from '../definition-in-use.ts';
import type { Workspace } from '../workspace.ts';
import { abortUnneeded, afterMove, type MoveContext, reportAbort } from './after-move.ts';
import { afterwordsOf, type Lead, moveWaitingParents, runParentOf } from './commit-move.ts';
import { findOut } from './find-out.ts';
import { noFindings } from './findings.ts';
import { nestedIn } from './nested-sessions.ts';
import { MAX_STACKED_SESSIONS, planRun } from './plan-run.ts';

/** Null if the caller continues in this session, or it is over. */
export async function follow(context: MoveContext, session: Session): Promise<Lead | null> {
  if (session.status === 'active') return followDown(context, session);
  if (session.status === 'aborted' || session.runEntry === null) return null;
  await takeOver(context, session.parentId);
  const moved = await moveWaitingParents(context, session);
  if (moved !== null) return moved;
  const { store } = context.workspace;
  const parent = session.parentId && (await loadReadable(store, session.parentId));
  if (!parent || parent.status === 'aborted') return null;
  const inUse = await definitionInUse(context.workspace, parent);
  const lead = (await follow(context, parent)) ?? { session: parent, inUse, warnings: [] };
  return { ...lead, afterwords: afterwordsOf(session, lead) };
}

/**
 * The caller becomes the owner of the parent: otherwise what the parent runs next would be on
 * another stack than the parent.
 */
async function takeOver({ workspace, owner }: MoveContext, id: string | null): Promise<void> {
  const session = id === null ? null : await loadReadable(workspace.store, id);
  if (session?.status !== 'active') return;
  if (session.owner.identity !== owner.identity) await workspace.stacks.claim(owner, session.id);
}

/** Leads to the innermost nested session, which is started if it is missing. */
async function followDown(context: MoveContext, session: Session): Promise<Lead | null> {
  const { workspace } = context;
  const { at } = session.position;
  if (at?.kind !== 'run') return null;
  const nested = await workspace.store.load(at.session);
  if (nested === null) {
    const inUse = await definitionInUse(workspace, session);
    const entry = currentEntry(session, inUse.workflow)?.place.entry;
    return entry?.kind === 'run' ? startMissing(context, session, entry) : null;
  }
  if (nested.status !== 'active') return null;
  const inUse = await definitionInUse(workspace, nested);
  return (await followDown(context, nested)) ?? { session: nested, inUse, warnings: [] };
}

/** Starts a nested session that a crash prevented from being started. */
export async function startMissing(
  context: MoveContext,
  session: Session,
  entry: RunEntry,
): Promise<Lead | null> {
  const { at } = session.position;
  if (at?.kind !== 'run') return null;
  const findings = noFindings();
  const parent = await runParentOf(context.workspace, session);
  const given = runInputs(entry, session.context, handedInBy(session));
  const need = { kind: 'run', entry, given } as const;
  const plan = await planRun(context, parent, need, findings, findOut, at.session);
  findings.plans.set(at.session, plan);
  await afterMove(context, null, session, findings);
  const started = (await context.workspace.store.load(at.session)) ?? plan.session;
  const further = await followDown(context, started);
  return further ?? { session: started, inUse: plan.inUse, warnings: [] };
}

/**
 * Aborts sessions that a crash left on top of the caller's stack although nothing waits for them,
 * and records aborts that their parents have not recorded. Called before a call without an id
 * takes the top of the stack.
 */
export async function clearStack(context: MoveContext): Promise<void> {
  const { stacks, store } = context.workspace;
  const { owner } = context;
  for (let nth = 0; nth < MAX_STACKED_SESSIONS; nth += 1) {
    // Only a process that died leaves such a stack, so the stack that this one last saw is enough.
    const top = (await stacks.lastSeen(owner)).at(-1);
    if (top === undefined || top.owner.identity !== owner.identity) return;
    const { at, runAborted } = top.position;
    if (at?.kind === 'run' && runAborted === undefined) {
      const nested = await loadReadable(store, at.session);
      if (nested?.status === 'aborted') await reportAbort(context.workspace, nested);
    }
    const { runEntry, parentId } = top;
    if (runEntry === null || parentId === null) return;
    const parent = await store.load(parentId).catch(() => undefined);
    if (parent === undefined || parent === null || waitsFor(parent, top.id)) return;
    const why = parent.status === 'aborted' ? 'was aborted' : 'no longer waits for it';
    await abortUnneeded(context.workspace, top.id, `Session ${parentId}, which ran it, ${why}`);
  }
}

function waitsFor({ status, position: { at } }: Session, id: string): boolean {
  return status === 'active' && at?.kind === 'run' && at.session === id;
}

/** Whether a caller that missed the answer which ended a session would now act on session `id`. */
export async function leadsTo(
  workspace: Workspace,
  { ending, runEntry }: Session,
  id: string,
): Promise<boolean> {
  const resumes = ending?.resumes ?? null;
  if (resumes === id) return true;
  if (runEntry === null || resumes === null) return false;
  const below = await loadReadable(workspace.store, resumes);
  if (below === null) return false;
  if (below.status === 'completed') return leadsTo(workspace, below, id);
  // The parent may run another session by now.
  return (await nestedIn(workspace, below)).includes(id);
}
