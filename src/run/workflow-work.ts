// A run that works on a workflow: its session, with the sessions nested in it.

import type { ProjectBoard } from '../board/board.ts';
import { type Refusal, Refused } from '../core/refusal.ts';
import type { WorkState } from '../core/run/next-move.ts';
import type { RunRecord } from '../core/run/record.ts';
import type { SessionEvent } from '../core/session/events.ts';
import { stackOfRun } from '../core/session/ownership.ts';
import { begunSteps, openStepId } from '../core/session/progress.ts';
import { REJECTED } from '../core/session/refusals.ts';
import { stackOf } from '../core/session/stack.ts';
import type { Session } from '../core/session/state.ts';
import { isActOfPerson } from '../core/session/steering.ts';
import { SESSION_STREAMS } from '../core/session/streams.ts';
import { definitionInUse } from '../engine/definition-in-use.ts';
import { beginStep } from '../engine/step/begin-step.ts';
import { UNTRUSTED } from '../engine/trust/command-trust.ts';
import { refusalForPerson, requireTrustHere, whyStopped } from '../engine/trust/required-trust.ts';
import type { Workspace } from '../engine/workspace.ts';
import { writeCapsule } from '../hook/capsule.ts';
import { finishedStep } from '../operations/jobs/finished-step.ts';
import { markAccepted } from './accepted-work.ts';
import type { AgentProgram } from './agent.ts';
import { callAsRun } from './call-as-run.ts';
import { answersSince, writeTurnPrompt } from './turn-prompt.ts';
import type { Work } from './work.ts';

export interface WorkflowWork {
  readonly workspace: Workspace;
  readonly board: ProjectBoard;
  /** Of the run, and so of its first session. */
  readonly id: string;
  readonly identity: string;
  readonly agent: AgentProgram;
}

export function openWorkflowWork(options: WorkflowWork): Work {
  const { workspace, board, id: sessionId, identity, agent } = options;
  const { store, journal } = workspace;

  /** Bottom to top. */
  async function stack(): Promise<readonly Session[]> {
    return stackOf(await store.active(), stackOfRun(sessionId));
  }

  /**
   * The prompt of a turn says where the work is, and no earlier turn can make calls any more. So a
   * call that equals one of an earlier turn, whose agent may have left before its answer, is not a
   * repeat: as in the next pass of a loop, which submits the same paths.
   */
  async function makeKnown(sessions: readonly Session[]): Promise<void> {
    const ended = await store.endedFor(callAsRun(workspace, options).owner);
    const loaded = await Promise.all(ended.map((id) => store.load(id).catch(() => null)));
    for (const session of [...sessions, ...loaded]) {
      if (session === null) continue;
      workspace.lostAnswers.makeKnown(session);
      workspace.running.makeKnown(session.id);
    }
  }

  /** Where and in which turn a person's answer could not be taken, and why. */
  let stuck: { readonly place: string; readonly refused: Refused } | null = null;
  const placeOf = ({ id, position }: Session, { turns }: RunRecord) =>
    [id, position.arrival, turns.length].join('/');

  return {
    async state(record): Promise<WorkState> {
      const session = await store.load(sessionId);
      if (session === null) return { kind: 'failed', why: 'The journal of its session is gone' };
      if (session.status === 'completed') return { kind: 'complete' };
      if (session.status === 'aborted') {
        return { kind: 'aborted', why: `It was aborted: ${session.abortReason ?? ''}` };
      }
      const sessions = await stack();
      const ids = sessions.map(({ id }) => id);
      const top = sessions.at(-1) ?? session;
      const atEntry = isForPerson(top);
      const questions = await blockingQuestions(board, ids, record);
      if (questions.length > 0) return { kind: 'waiting', questions, atEntry };
      if (!atEntry) return { kind: 'open' };
      if (stuck === null || stuck.place !== placeOf(top, record)) return { kind: 'answered' };
      return isForPersonAlone(stuck.refused.refusal)
        ? { kind: 'failed', why: whyStuck(top, stuck.refused, sessionId) }
        : { kind: 'open' };
    },

    async takeAnswer(record, signal) {
      const top = (await stack()).at(-1);
      if (top === undefined) return;
      const input = finishedStep.parse({ outputs: {}, session_id: top.id });
      try {
        await finishedStep.run(callAsRun(workspace, options, signal), input);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Refused)) throw error;
        stuck = { place: placeOf(top, record), refused: refusalForPerson(workspace, error) };
      }
    },

    async plan(record) {
      const sessions = await stack();
      const top = sessions.at(-1) ?? (await store.load(sessionId));
      if (top === null) throw new Error('The session is gone');
      await makeKnown(sessions);
      const inUse = await definitionInUse(workspace, top);
      await requireTrustHere(workspace, top, inUse);
      const below = sessions.slice(0, -1);
      const capsule = writeCapsule(top, inUse.workflow, await beginStep(top, inUse), below);
      const stepId = openStepId(top);
      const stuckHere = stuck?.place === placeOf(top, record) ? stuck.refused.message : null;
      const { entryIndex } = top.position;
      return {
        agent,
        identity,
        stack: stackOfRun(sessionId),
        stepId,
        place: `step '${stepId}' (${entryIndex + 1} of ${inUse.workflow.entries.length})`,
        prompt: writeTurnPrompt({
          record,
          task: capsule,
          refused: stuckHere ?? refusedHere(record, top),
          answers: await answersSince(workspace, record),
        }),
      };
    },

    mark: () => markAccepted(workspace, sessionId, callAsRun(workspace, options).owner),

    async lastWorkAt() {
      let last: string | null = null;
      for await (const stored of journal.read(SESSION_STREAMS + sessionId, 0)) {
        // Only the engine writes events of sessions.
        const event = stored as unknown as SessionEvent;
        if (!isActOfPerson(event)) last = event.at;
      }
      return last;
    },

    watch: (onChange) => {
      const ends = [
        journal.watch(SESSION_STREAMS, onChange),
        journal.watch('team/', onChange),
        journal.watch(`run/${sessionId}`, onChange),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** At an `approve`, or at a loop that is out of passes. */
function isForPerson({ position }: Session): boolean {
  return position.at?.kind === 'approve' || position.limit !== undefined;
}

/** Only a person can resolve it, so no turn is spent on it. */
function isForPersonAlone({ code }: Refusal): boolean {
  return code === REJECTED || code === UNTRUSTED;
}

/** Begins with the person's words. */
function whyStuck(session: Session, refused: Refused, runId: string): string {
  const { code, message } = refused.refusal;
  if (code === UNTRUSTED) return whyStopped(refused);
  const words = message.replace(/^Rejected: /, '');
  const here = openStepId(session);
  const before = [...begunSteps(session)].filter((id) => id !== here).at(-1) ?? '<step>';
  return `Rejected at '${here}': ${words}. The workflow does not lead back from there (no on_reject, or its max is reached). To have an earlier step done again: deepwork redo ${session.id} ${before} --reason "…", and then deepwork run --resume ${runId}. Or change the files that it shows, or allow more in the job, and resume`;
}

/** Why the last submission was refused, unless the work has moved on since. */
function refusedHere({ turns }: RunRecord, { position }: Session): string | null {
  const end = turns.at(-1)?.end ?? null;
  const isOfNow = position.progress.every(
    ({ startedAt }) => startedAt === null || (end !== null && startedAt <= end.at),
  );
  return (isOfNow ? end?.refused : null) ?? position.feedback;
}

/**
 * Ids of the questions that these sessions wait for. What an agent asked before this run began does
 * not hold it up.
 */
async function blockingQuestions(
  board: ProjectBoard,
  ids: readonly string[],
  { startedAt }: RunRecord,
): Promise<readonly string[]> {
  const { runs, questions } = await board.board();
  const blocking = runs
    .filter(({ session_id }) => ids.includes(session_id))
    .flatMap((run) => run.questions);
  return questions
    .filter(({ id, kind, asked_at }) => {
      if (!blocking.includes(id)) return false;
      return kind !== 'question' || asked_at >= startedAt;
    })
    .map(({ id }) => id);
}
