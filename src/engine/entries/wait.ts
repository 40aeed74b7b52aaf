// A call at an entry where nothing is handed in: it waits for a person, or continues with a nested
// session. A person's answer may end a pass of a loop, whose check may run for minutes, so waiting
// is a background run that the same call can join again.

import { Refused } from '../../core/refusal.ts';
import type { WaitingCall } from '../../core/session/read-submission.ts';
import { nestedRunAborted, runIsOpen } from '../../core/session/refusals.ts';
import type { Call } from '../../core/session/repeats.ts';
import type { Session } from '../../core/session/state.ts';
import type { RunEntry } from '../../core/workflow.ts';
import { keyOf } from '../../gate/review/tasks.ts';
import type { FinishedStepAnswer } from '../answer-types.ts';
import type { CallContext } from '../call-context.ts';
import type { DefinitionInUse } from '../definition-in-use.ts';
import { needsWork } from '../step/finished-step-answer.ts';
import { callKey } from '../submission/background-runs.ts';
import { reportAbort } from './after-move.ts';
import { answerAt } from './answer-after-move.ts';
import { moveWaitingParents } from './commit-move.ts';
import { startMissing } from './follow.ts';
import { waitForApproval, waitForLoop } from './wait-for-person.ts';

interface Wait {
  readonly session: Session;
  readonly inUse: DefinitionInUse;
  readonly call: Call;
  readonly waiting: WaitingCall;
}

export async function waitAtEntry(context: CallContext, wait: Wait): Promise<FinishedStepAnswer> {
  const { workspace, signal, progress } = context;
  const { session, inUse, call, waiting } = wait;
  const cause = waiting.for;
  const settings = await workspace.settings();
  const within = settings.answerWithinSeconds * 1000;
  const key = keyOf(['wait', session.id, waiting.arrival, call, cause.kind]);
  const ended = await workspace.running.join(key, {
    session: session.id,
    call: callKey(session.id, waiting.arrival, call),
    start: (work) => {
      // The rest of the time is needed to record the question and to name it in the answer.
      const timeLeft = () => Math.max(0, work.timeLeft() - Math.min(within / 4, 2000));
      const own = { ...context, signal: work.signal, progress: work.progress, timeLeft };
      const person = { session, inUse, call, settings };
      switch (cause.kind) {
        case 'loop':
          return waitForLoop(own, person);
        case 'approval':
          return waitForApproval(own, person, cause.entry);
        case 'run':
          return waitForRun(own, wait, cause.entry, cause.session);
      }
    },
    within,
    signal,
    progress,
  });
  if (ended.kind === 'done') return ended.value;
  return needsWork(
    `Not finished yet: ${ended.doing ?? 'the move to the next entry'}. Call finished_step again with the same outputs to wait for the result.`,
    { reason: 'still_running', warnings: inUse.warnings },
  );
}

/** The caller did not know of the nested session: otherwise the call would have been about that. */
async function waitForRun(
  context: CallContext,
  { session, inUse }: Wait,
  entry: RunEntry,
  id: string,
): Promise<FinishedStepAnswer> {
  const { workspace } = context;
  const nested = await workspace.store.load(id);
  if (nested?.status === 'active') throw new Refused(runIsOpen(entry.name, id));
  if (nested?.status === 'aborted') {
    await reportAbort(workspace, nested);
    throw new Refused(nestedRunAborted(entry.name, nested.abortReason ?? ''));
  }
  const lead =
    nested === null
      ? await startMissing(context, session, entry)
      : await moveWaitingParents(context, nested);
  const now = (await workspace.store.load(session.id)) ?? session;
  const outcome = { session: now, inUse, arrival: session.position.arrival };
  return answerAt(outcome, lead ?? { session: now, inUse, warnings: [] });
}
