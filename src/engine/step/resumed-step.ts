// What an agent continues with when a session has ended: the current step of the workflow below
// it, whose instructions it got long ago. If there is none, the answer names work that was left
// unfinished, so that it is not forgotten, and says if the next call would act on it.

import { Refused } from '../../core/refusal.ts';
import { claimOf } from '../../core/session/ownership.ts';
import { type Owner, type Session, workflowLabel } from '../../core/session/state.ts';
import { loadReadable } from '../../sessions/load-readable.ts';
import { notTakenOver } from '../../sessions/orphans.ts';
import type { Stacks } from '../../sessions/stacks.ts';
import type { BeginStep } from '../answer-types.ts';
import type { CallContext } from '../call-context.ts';
import { definitionInUse } from '../definition-in-use.ts';
import { beginStep } from './begin-step.ts';

export interface Resumed {
  /** The session that the caller continues with; null if there is none, or it has ended. */
  readonly session: Session | null;
  /** Null also when the step cannot be shown; `warnings` says why. */
  readonly begin_step: BeginStep | null;
  readonly warnings: readonly string[];
}

/** The end is already recorded, so nothing here may fail the call. */
export async function resumedStep(
  { workspace, owner }: Pick<CallContext, 'workspace' | 'owner'>,
  ended: Session,
): Promise<Resumed> {
  const { store, stacks, processes } = workspace;
  const resumes = ended.ending?.resumes ?? null;
  if (resumes === null) {
    const warnings = await unfinishedWork(stacks, owner).catch(() => []);
    return { session: null, begin_step: null, warnings };
  }
  const session = await loadReadable(store, resumes);
  // After a restart it belongs to another owner until the next call takes it over.
  const claim =
    session && claimOf(owner, session.owner, processes.livenessOf(session.owner.process));
  if (session?.status !== 'active' || (claim !== 'own' && claim !== 'open')) {
    return { session: null, begin_step: null, warnings: [] };
  }
  try {
    const begin_step = await beginStep(session, await definitionInUse(workspace, session));
    return { session, begin_step, warnings: [] };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const why = `${workflowLabel(session)} resumes, but its step cannot be shown: ${error.refusal.message}`;
    return { session, begin_step: null, warnings: [why] };
  }
}

async function unfinishedWork(stacks: Stacks, owner: Owner): Promise<readonly string[]> {
  const unfinished = await stacks.unfinished(owner);
  const top = (await stacks.actedOn(owner)).at(-1);
  const isForeign = top !== undefined && top.owner.identity !== owner.identity;
  return isForeign ? [...unfinished, notTakenOver(top.id)] : unfinished;
}
