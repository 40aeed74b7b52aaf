// A person steers a run: aborts it, sends it back to a step, or stops the unattended run that
// works on it. The decisions are the same as for the agents' tools. Callers have already checked
// that a person is asking.

import { keyedMutex } from '../async/keyed-mutex.ts';
import { Refused, refusedWith } from '../core/refusal.ts';
import { LOOK_AT_RUNS, lookAtHistory } from '../core/run/decide.ts';
import type { RunRecord } from '../core/run/record.ts';
import { decideAbort, decideGoBack } from '../core/session/decide.ts';
import { describeAbort } from '../core/session/refusals.ts';
import type { Session } from '../core/session/state.ts';
import { actsOf, decideStackChanged } from '../core/session/steering.ts';
import { COORDINATOR, readCaller } from '../core/team/caller.ts';
import { removeUnusedBranch } from './branch-of-run.ts';
import { definitionInUse } from './definition-in-use.ts';
import { cleanUpArrival, type MoveContext } from './entries/after-move.ts';
import { commitMove } from './entries/commit-move.ts';
import { nestedIn } from './entries/nested-sessions.ts';
import { beginStep } from './step/begin-step.ts';
import { openRunStore } from './unattended/run-store.ts';
import type { Workspace } from './workspace.ts';

export interface Steer {
  readonly session: string;
  readonly person: string;
  readonly reason: string;
}

/** If several people abort a run at once, only the first is recorded. */
const aborting = keyedMutex();

/** What became of a run that a person has aborted. */
export interface Aborted extends Pick<Session, 'id' | 'seq'> {
  /** `active`: the process that runs it has been asked, and ends it. */
  readonly status: Session['status'];
}

export function abortByPerson(workspace: Workspace, steer: Steer): Promise<Aborted> {
  return aborting(steer.session, async () => {
    const runs = runStoreOf(workspace);
    const { session: id, person, reason } = steer;
    if ((await runs.load(id))?.kind !== 'team') return abort(workspace, steer);
    const { seq, stop } = await runs.abortTeam(id, person, reason);
    return { id, seq, status: stop === null ? 'active' : 'aborted' };
  });
}

async function abort(workspace: Workspace, steer: Steer): Promise<Session> {
  const { store, stacks, clock } = workspace;
  const { session: id, person, reason } = steer;
  const before = await activeRun(workspace, id);
  const { owner, steering } = before;
  const nested = await nestedIn(workspace, before);
  const { resumes } = await stacks.ending(owner, id, nested);
  // Noted before the abort, so that even after a crash the agent does not continue in the run below
  // without knowing. If the abort then fails, `inform-agent.ts` drops the note.
  if (resumes !== null) {
    // Earlier acts of which the agent has not been informed would be lost with this run.
    for (const { ended, ...act } of steering?.informed === null ? actsOf(steering) : []) {
      if (ended !== null) await noteInResumed(workspace, resumes, { ...act, session: ended });
    }
    await noteInResumed(workspace, resumes, steer);
  }
  const { session } = await store.change(id, async (now) => {
    const ending = await stacks.ending(now.owner, id, nested);
    return decideAbort(now, { at: clock(), by: { person }, explanation: reason, ending });
  });
  await cleanUpArrival(workspace, before, session);
  await removeUnusedBranch(workspace, session);
  return session;
}

export async function sendBackByPerson(
  workspace: Workspace,
  steer: Steer & { readonly stepId: string },
): Promise<Session> {
  const { clock } = workspace;
  const { session: id, person, reason, stepId } = steer;
  const run = await runToSendBack(workspace, id);
  const inUse = await definitionInUse(workspace, run);
  const { session } = await commitMove(
    forAgentOf(workspace, run),
    {
      id,
      inUse,
      // The person who would be asked to agree is the one who sends the run back.
      gate: null,
      decide: (now, { facts }) =>
        decideGoBack(now, { at: clock(), by: { person }, reason, stepId, inUse, facts }),
    },
    // Unreadable instructions refuse the move, as they do for an agent.
    (_, lead) => beginStep(lead.session, lead.inUse),
  );
  return session;
}

/** The process of the run ends its agent and stops; the run can be resumed. */
export function stopByPerson(workspace: Workspace, steer: Steer): Promise<RunRecord> {
  return runStoreOf(workspace).askStop(steer.session, steer.person, steer.reason);
}

function runStoreOf({ journal, clock, processes }: Workspace) {
  return openRunStore(journal, clock, processes);
}

/** What follows from the move happens as if the run's agent had made it. */
function forAgentOf(workspace: Workspace, { owner }: Session): MoveContext {
  const caller = readCaller(owner.agent);
  return {
    workspace,
    owner,
    caller: typeof caller === 'string' ? { name: COORDINATOR, model: null, variant: null } : caller,
    signal: new AbortController().signal,
    progress: () => {},
  };
}

/** A completed run is opened again where its outputs are still its own to change. */
async function runToSendBack(workspace: Workspace, id: string): Promise<Session> {
  const run = await workspace.store.load(id);
  if (run?.status !== 'completed') return activeRun(workspace, id);
  const branch = (await runStoreOf(workspace).load(id))?.stop?.branch;
  if (branch !== undefined) {
    throw refusedWith(
      'run_ended',
      `Run ${id} is complete, and its worktree is gone. Its work is on the branch ${branch}.`,
      'check that branch out and start a new run there.',
    );
  }
  const { runEntry, parentId } = run;
  if (runEntry === null || parentId === null) return run;
  throw refusedWith(
    'run_ended',
    `Run ${id} is complete, and run ${parentId} has gone on with its outputs.`,
    `send that one back: deepwork redo ${parentId} ${runEntry} --reason "…"`,
  );
}

async function activeRun({ store }: Workspace, id: string): Promise<Session> {
  const session = await store.load(id);
  if (session === null) {
    throw refusedWith('run_unknown', `There is no run '${id}'.`, LOOK_AT_RUNS);
  }
  if (session.status === 'active') return session;
  const { status, abortedBy, abortReason } = session;
  const how = abortedBy === null ? `It is ${status}` : `${describeAbort(abortedBy, abortReason)}`;
  throw refusedWith('run_ended', `Run ${id} has ended. ${how}.`, lookAtHistory(id));
}

async function noteInResumed(workspace: Workspace, id: string, steer: Steer): Promise<void> {
  const { store, clock } = workspace;
  const { session: ended, person, reason } = steer;
  try {
    await store.change(id, (now) =>
      decideStackChanged(now, { at: clock(), ended, person, reason }),
    );
  } catch (error) {
    // It has ended meanwhile, so no call can be about it.
    if (!(error instanceof Refused)) throw error;
  }
}
