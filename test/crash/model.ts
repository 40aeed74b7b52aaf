// What a session must look like, modelled independently of the server: the test advances this
// model for each call that took effect, and compares. Every call has a unique mark (goal, notes,
// explanation), so that `log`, one line per event, says exactly which calls the journal must
// contain, in which order, each once.

import { entriesOf, JOB, sentNames, stopAt, type WorkflowName } from './job-fixture.ts';

export interface ModelSession {
  readonly id: string;
  readonly goal: string;
  readonly workflow: WorkflowName;
  status: 'active' | 'completed' | 'aborted';
  entry: number;
  /** Open members of the entry; the first is the current step. */
  members: readonly string[];
  readonly done: Map<string, Done>;
  readonly context: Record<string, unknown>;
  readonly log: string[];
}

interface Done {
  readonly notes: string;
  /** Paths by the step's own output names. */
  readonly outputs: Readonly<Record<string, string>>;
}

export interface Submission {
  /** Members that the call names. */
  readonly steps: readonly string[];
  readonly outputs: Readonly<Record<string, Done['outputs']>>;
  readonly notes: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly overridden: boolean;
}

/** What the server must answer, as far as the model knows. */
export type Expected = Record<string, unknown>;

/** One line per event, for comparing `ModelSession.log` with the journal. */
export const marks = {
  started: (goal: string) => `started ${goal}`,
  accepted: (steps: readonly string[], notes: unknown) => `accepted ${steps.join('+')} ${notes}`,
  failed: (steps: readonly string[], notes: unknown) => `failed ${steps.join('+')} ${notes}`,
  wentBack: (step: string) => `went back to ${step}`,
  aborted: (explanation: string) => `aborted ${explanation}`,
};

export function begin(
  id: string,
  workflow: WorkflowName,
  goal: string,
  context: Readonly<Record<string, unknown>>,
): ModelSession {
  const session: ModelSession = {
    id,
    goal,
    workflow,
    status: 'active',
    entry: -1,
    members: [],
    done: new Map(),
    context: { ...context },
    log: [marks.started(goal)],
  };
  advance(session);
  return session;
}

export function finishMark(session: ModelSession, submission: Submission): string {
  const steps = inOrder(session, submission.steps);
  const mark = isHeldByReview(submission) ? marks.failed : marks.accepted;
  return mark(steps, submission.notes);
}

export function finish(session: ModelSession, submission: Submission): Expected {
  session.log.push(finishMark(session, submission));
  const expected = { status: 'needs_work', begin_step: null, summary: null, all_outputs: null };
  if (isHeldByReview(submission)) return expected;
  for (const step of inOrder(session, submission.steps)) {
    session.done.set(step, { notes: submission.notes, outputs: submission.outputs[step] ?? {} });
  }
  Object.assign(session.context, submission.context);
  if (session.members.some((step) => !session.done.has(step))) return expected;
  advance(session);
  return session.status === 'active'
    ? { ...expected, status: 'next_step', begin_step: briefing(session) }
    : {
        ...expected,
        status: 'workflow_complete',
        summary: `Workflow '${session.workflow}' completed successfully!`,
        all_outputs: allOutputs(session),
      };
}

export function goBack(session: ModelSession, step: string): Expected {
  const entries = entriesOf(session.workflow);
  const target = entries.findIndex((entry) => entry.includes(step));
  const invalidated = entries
    .slice(target)
    .flat()
    .filter((id) => id === step || session.done.has(id) || session.members.includes(id));
  for (const id of invalidated) session.done.delete(id);
  session.entry = target;
  session.members = entries[target] ?? [];
  session.log.push(marks.wentBack(step));
  return { begin_step: briefing(session), invalidated_steps: invalidated };
}

export function abort(session: ModelSession, explanation: string): Expected {
  session.status = 'aborted';
  session.log.push(marks.aborted(explanation));
  return { aborted_workflow: labelOf(session), aborted_step: openStep(session), explanation };
}

export function isHeldByReview(submission: Submission): boolean {
  return !submission.overridden && submission.steps.some((step) => stopAt(step).reviewed);
}

/** How a session is named on a stack. */
export function stackItem(session: ModelSession): {
  workflow: string;
  step: string | undefined;
  session_id: string;
} {
  return { workflow: labelOf(session), step: openStep(session), session_id: session.id };
}

/** The parts of `begin_step` that show a session's position. */
export function briefing(session: ModelSession): Expected {
  // Completed members are not given out again.
  const [first, ...others] = session.members.filter((step) => !session.done.has(step));
  return {
    session_id: session.id,
    step_id: first,
    concurrent_steps: others.map((step_id) => ({ step_id })),
  };
}

function labelOf(session: ModelSession): string {
  return `${JOB}/${session.workflow}`;
}

/** Those that the call names, in the order of the members. */
function inOrder(session: ModelSession, steps: readonly string[]): string[] {
  return session.members.filter((step) => steps.includes(step));
}

/** The first open member. */
function openStep(session: ModelSession): string | undefined {
  return session.members.find((step) => !session.done.has(step)) ?? session.members[0];
}

/** To the next entry that the session's context allows, or to the end. */
function advance(session: ModelSession): void {
  const entries = entriesOf(session.workflow);
  for (let next = session.entry + 1; next < entries.length; next++) {
    const eligible = (entries[next] ?? []).filter((step) => {
      const { onlyOn } = stopAt(step);
      return onlyOn === undefined || session.context.route === onlyOn;
    });
    if (eligible.length === 0) continue;
    session.entry = next;
    session.members = eligible;
    return;
  }
  session.status = 'completed';
}

function allOutputs(session: ModelSession): Record<string, string> {
  const named = entriesOf(session.workflow).flatMap((entry) =>
    entry.flatMap((step) =>
      sentNames(entry, step).map(([sent, own]) => [sent, session.done.get(step)?.outputs[own]]),
    ),
  );
  return Object.fromEntries(named.filter(([, path]) => path !== undefined));
}
