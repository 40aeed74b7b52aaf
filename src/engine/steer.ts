// A person moves a run from outside: gives it up, sends it back to a step, or stops the unattended
// run that works on it. The deciders are those of the agents' tools. Whether the caller is a person was judged before this.

import { keyedMutex } from '../async/keyed-mutex.ts';
import { Refused, refuse } from '../core/refusal.ts';
import type { RunRecord } from '../core/run/record.ts';
import { decideAbort, decideGoBack, ofExisting } from '../core/session/decide.ts';
import { describeAbort } from '../core/session/refusals.ts';
import type { Session } from '../core/session/state.ts';
import { actsOf, decideStackChanged } from '../core/session/steering.ts';
import { COORDINATOR, readCaller } from '../core/team/caller.ts';
import { letGoOfBranch } from './branch-of-run.ts';
import { definitionInUse } from './definition-in-use.ts';
import { leaveBehind, type MoveContext } from './entries/after-move.ts';
import { commitMove } from './entries/move.ts';
import { nestedIn } from './entries/nested-sessions.ts';
import { beginStep } from './step/begin-step.ts';
import { openRunStore } from './unattended/run-store.ts';
import type { Workspace } from './workspace.ts';

export interface Steer {
  readonly session: string;
  readonly person: string;
  readonly reason: string;
}

/** One after the other: of several people who abort at once, only the first is recorded. */
const oneAtATime = keyedMutex();

export function abortByPerson(workspace: Workspace, steer: Steer): Promise<Session> {
  return oneAtATime(steer.session, () => abort(workspace, steer));
}

async function abort(workspace: Workspace, steer: Steer): Promise<Session> {
  const { store, stacks, clock, running } = workspace;
  const { session: id, person, reason } = steer;
  const before = await activeRun(workspace, id);
  const { owner, steering } = before;
  const nested = await nestedIn(workspace, before);
  const { resumes } = await stacks.ending(owner, id, nested);
  // First, so that no crash lets the agent go on in another run without knowing. What is told
  // in vain, because this fails, is dropped when it is found to be untrue.
  if (resumes !== null) {
    // What the agent has not been told of this run either would be lost with it.
    for (const { ended, ...act } of steering?.informed === null ? actsOf(steering) : []) {
      if (ended !== null) await tellRunOnTop(workspace, resumes, { ...act, session: ended });
    }
    await tellRunOnTop(workspace, resumes, steer);
  }
  const { session } = await store.commit(
    id,
    ofExisting(id, async (now) => {
      const ending = await stacks.ending(now.owner, id, nested);
      return decideAbort(now, { at: clock(), by: { person }, explanation: reason, ending });
    }),
    async () => null,
  );
  running.drop(id);
  await leaveBehind(workspace, before, session);
  await letGoOfBranch(workspace, session);
  return session;
}

export async function sendBackByPerson(
  workspace: Workspace,
  steer: Steer & { readonly stepId: string },
): Promise<Session> {
  const { clock, running } = workspace;
  const { session: id, person, reason, stepId } = steer;
  const run = await activeRun(workspace, id);
  const inUse = await definitionInUse(workspace, run);
  const { session } = await commitMove(
    forAgentOf(workspace, run),
    {
      id,
      inUse,
      // Who sends a run back is the one who would be asked.
      gate: null,
      decide: (now, { facts }) =>
        ofExisting(id, (current) =>
          decideGoBack(current, { at: clock(), by: { person }, reason, stepId, inUse, facts }),
        )(now),
    },
    // Instructions that cannot be read stop the move, as they stop an agent's.
    (_, lead) => beginStep(lead.session, lead.inUse),
  );
  running.drop(id);
  return session;
}

/** Its process ends its agent and stops; the run can be resumed. */
export function stopByPerson(workspace: Workspace, steer: Steer): Promise<RunRecord> {
  const { journal, clock, processes } = workspace;
  return openRunStore(journal, clock, processes).askStop(steer.session, steer.person, steer.reason);
}

/** What follows from the move is done as if the agent of the run had made it. */
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

async function activeRun({ store }: Workspace, id: string): Promise<Session> {
  const session = await store.load(id);
  if (session === null) {
    throw new Refused(
      refuse('run_unknown', `There is no run '${id}'.`, 'look at the list of runs.'),
    );
  }
  if (session.status === 'active') return session;
  const { status, abortedBy, abortReason } = session;
  const how = abortedBy === null ? `It is ${status}` : `${describeAbort(abortedBy, abortReason)}`;
  throw new Refused(refuse('run_ended', `Run ${id} has ended. ${how}.`, 'look at its history.'));
}

async function tellRunOnTop(workspace: Workspace, top: string, steer: Steer): Promise<void> {
  const { store, clock } = workspace;
  const { session: ended, person, reason } = steer;
  try {
    await store.commit(
      top,
      ofExisting(top, (now) => decideStackChanged(now, { at: clock(), ended, person, reason })),
      async () => null,
    );
  } catch (error) {
    // It ended meanwhile, so no call can be meant for it.
    if (!(error instanceof Refused)) throw error;
  }
}
