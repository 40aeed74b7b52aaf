// get_active_workflow: for an agent that lost its context. Returns the current step, what is done,
// and the gate's last feedback. An orphaned session is taken over if the call names it, so that the
// caller can go on with it; otherwise it is only listed.

import * as z from 'zod';
import type { Outputs } from '../../core/session/state.ts';
import { completedSteps } from '../../core/session/view.ts';
import type { BeginStep } from '../../engine/answer-types.ts';
import { definitionInUse } from '../../engine/definition-in-use.ts';
import { clearStack } from '../../engine/entries/follow.ts';
import { newsOf } from '../../engine/inform-agent.ts';
import { beginStep } from '../../engine/step/begin-step.ts';
import { placeWarnings } from '../../engine/step/place-warnings.ts';
import { storeWarningsForAgent } from '../../engine/store-warnings.ts';
import { comesFirst, notTakenOver, type Orphan } from '../../sessions/orphans.ts';
import {
  FLAG,
  listOf,
  mapOf,
  object,
  optionalMember,
  orNull,
  TEXT,
  TEXT_OR_TEXTS,
  TEXTS,
} from '../answer-schema.ts';
import { sessionParameter } from '../parameters.ts';
import { BEGIN_STEP } from './begin-step-schema.ts';
import { defineJobTool } from './define.ts';

/** For everything but `begin_step`; the oldest completed steps are left out. */
const MAX_BYTES = 32 * 1024;
const MAX_CUT_TEXT = 4096;

interface CompletedStep {
  readonly step_id: string;
  readonly completed_at: string | null;
  readonly outputs: Outputs;
  readonly notes: string | null;
}

interface ActiveWorkflow {
  readonly active: boolean;
  readonly session_id: string | null;
  readonly goal: string | null;
  readonly begin_step: BeginStep | null;
  readonly completed_steps: readonly CompletedStep[];
  readonly last_feedback: string | null;
  readonly orphans: readonly Orphan[];
  readonly truncated: boolean;
  readonly warnings: readonly string[];
}

export const getActiveWorkflow = defineJobTool({
  name: 'get_active_workflow',
  description: 'Where the work stands. Call it after a restart or lost context.',
  input: z.strictObject({ session_id: sessionParameter() }),
  answer: {
    active: FLAG,
    session_id: orNull(TEXT),
    goal: orNull(TEXT),
    begin_step: orNull(BEGIN_STEP),
    completed_steps: listOf(
      object<CompletedStep>({
        step_id: TEXT,
        completed_at: orNull(TEXT),
        outputs: mapOf(TEXT_OR_TEXTS),
        notes: orNull(TEXT),
      }),
    ),
    last_feedback: orNull(TEXT),
    orphans: listOf(
      object<Orphan>({
        session_id: TEXT,
        workflow: TEXT,
        step: TEXT,
        goal: TEXT,
        started_at: TEXT,
        last_activity_at: TEXT,
        left_by: TEXT,
        nested_in: optionalMember(TEXT),
      }),
    ),
    truncated: FLAG,
    warnings: TEXTS,
  },
  // Naming an orphaned session takes it over.
  readOnly: false,
  loadAtOnce: true,
  async run(context, input): Promise<ActiveWorkflow> {
    const { workspace, owner, about, fromTerminal = false } = context;
    const { stacks, store } = workspace;
    const id = input.session_id ?? null;
    if (!fromTerminal) await clearStack(context);
    const session =
      id === null || fromTerminal ? await stacks.peek(owner, id) : await stacks.claim(owner, id);
    const orphans = await stacks.orphans(owner);
    const notices = await store.notices(owner);
    if (session === null) {
      const ended = await stacks.endedByPerson(owner);
      return {
        ...NOTHING,
        orphans,
        warnings: [
          ...chooseOne(orphans.length, fromTerminal),
          ...ended,
          ...notices,
          ...(await storeWarningsForAgent(workspace)),
        ],
      };
    }
    about?.(session.id);
    await store.refreshView(session).catch(() => {});
    const isOwn = session.owner.identity === owner.identity;
    const news = isOwn && !fromTerminal ? await newsOf(context, session) : null;
    const top = (await stacks.of(session.owner)).at(-1);
    const begin_step: BeginStep = await beginStep(
      session,
      await definitionInUse(workspace, session),
    );
    const completed: CompletedStep[] = completedSteps(session).map((step) => ({
      step_id: step.stepId,
      completed_at: step.completedAt,
      outputs: step.outputs,
      notes: step.notes,
    }));
    const answer = {
      active: true,
      session_id: session.id,
      goal: session.goal,
      completed_steps: completed,
      last_feedback: session.position.feedback,
      orphans,
      truncated: false,
      warnings: [
        // `last_feedback` already says that a person sent the work back.
        ...(news === null || news.text === session.position.feedback ? [] : [news.text]),
        ...(isOwn || fromTerminal ? [] : [notTakenOver(session.id)]),
        ...(top === undefined || top.id === session.id ? [] : [comesFirst(top)]),
        ...(await placeWarnings(context, session)),
        ...notices,
        ...(await storeWarningsForAgent(workspace)),
      ],
    };
    return { ...shorten(answer), begin_step };
  },
});

const NOTHING = {
  active: false,
  session_id: null,
  goal: null,
  begin_step: null,
  completed_steps: [],
  last_feedback: null,
  truncated: false,
};

/** At a terminal, reading takes nothing over. */
function chooseOne(count: number, fromTerminal: boolean): string[] {
  if (count === 0) return [];
  const found = count === 1 ? 'One session was' : `${count} sessions were`;
  const how = fromTerminal
    ? 'give its session_id to finished_step, go_to_step or abort_workflow'
    : 'call get_active_workflow with its session_id';
  return [
    `No session is active for you. ${found} left behind, listed in "orphans". To go on with one, ${how}; without a session_id none is chosen. Otherwise start a workflow.`,
  ];
}

function shorten(answer: Omit<ActiveWorkflow, 'begin_step'>): typeof answer {
  const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  let excess = size(answer) - MAX_BYTES;
  if (excess <= 0) return answer;
  const kept = [...answer.completed_steps];
  while (excess > 0 && kept.length > 0) excess -= size(kept.shift()) + 1;
  const shorter = { ...answer, completed_steps: kept, truncated: true };
  if (excess <= 0) return shorter;
  return { ...shorter, goal: cut(answer.goal), last_feedback: cut(answer.last_feedback) };
}

function cut(value: string | null): string | null {
  return value === null ? null : value.slice(0, MAX_CUT_TEXT);
}
