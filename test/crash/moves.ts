// The calls of the crash client that change something. A move knows its arguments, the mark it
// leaves in the journal, its effect on the model, and what repeating it means if its outcome is
// unknown.

import type { Project } from '../support/project.ts';
import type { Random } from '../support/random.ts';
import { entriesOf, JOB, ROUTES, sentNames, stopAt, WORKFLOW_NAMES } from './job-fixture.ts';
import {
  abort,
  begin,
  briefing,
  type Expected,
  finish,
  finishMark,
  goBack,
  isHeldByReview,
  type ModelSession,
  marks,
  type Submission,
  stackItem,
} from './model.ts';

export interface Move {
  readonly tool: 'start_workflow' | 'finished_step' | 'go_to_step' | 'abort_workflow';
  readonly args: Readonly<Record<string, unknown>>;
  /** The session that it changes; null for a start. */
  readonly session: ModelSession | null;
  readonly mark: string;
  /** Advances the model, and returns the expected answer. */
  apply(sessionId: string): Expected;
  /**
   * Repeated after it took effect:
   *   same     the first answer again, and no other effect
   *   harmless the same effect again, which changes nothing of substance
   */
  readonly onceMore: 'same' | 'harmless';
  /** The same call as a move from the model's current position. */
  again(): Move;
}

export interface World {
  /** Bottom to top; active sessions only. */
  stack: ModelSession[];
  /** Makes a file with this name to submit; returns its path. */
  makeFile(name: string): string;
  /** A text that occurs once. */
  mint(kind: string): string;
}

export function newWorld(project: Project): World {
  let minted = 0;
  return {
    stack: [],
    makeFile(name) {
      project.write(`out/${name}.txt`, `${name}\n`);
      return `out/${name}.txt`;
    },
    mint: (kind) => `${kind}-${++minted}`,
  };
}

export function startMove(world: World, random: Random): Move {
  const goal = world.mint('goal');
  const workflow = random.pick(WORKFLOW_NAMES);
  const context = random.chance(0.5) ? { route: random.pick(ROUTES) } : {};
  const move: Move = {
    tool: 'start_workflow',
    args: { goal, job_name: JOB, workflow_name: workflow, context },
    session: null,
    mark: marks.started(goal),
    onceMore: 'same',
    apply(id) {
      const session = begin(id, workflow, goal, context);
      world.stack.push(session);
      return { begin_step: briefing(session) };
    },
    again: () => move,
  };
  return move;
}

export function finishMove(world: World, random: Random, session: ModelSession): Move {
  const entry = entriesOf(session.workflow)[session.entry] ?? [];
  const open = session.members.filter((step) => !session.done.has(step));
  const steps = someOf(random, open);
  const notes = world.mint('note');
  const submission: Submission = {
    steps,
    notes,
    outputs: Object.fromEntries(
      steps.map((step) => [
        step,
        Object.fromEntries(
          stopAt(step).outputs.map((own) => [own, world.makeFile(`${notes}-${step}-${own}`)]),
        ),
      ]),
    ),
    context: {
      seen: notes,
      ...(random.chance(0.3) ? { route: random.pick(ROUTES) } : {}),
    },
    overridden: random.chance(0.6),
  };
  const outputs = Object.fromEntries(
    steps.flatMap((step) =>
      sentNames(entry, step).map(([sent, own]) => [sent, submission.outputs[step]?.[own]]),
    ),
  );
  // The next step, or the session below, may require the same names; then only an agent that names
  // its step can repeat the call safely.
  const ambiguous = ['fetch', 'bring', 'close', 'tidy'].includes(steps[0] as string);
  return submissionMove(world, session, submission, {
    outputs,
    notes,
    context: submission.context,
    ...(submission.overridden ? { quality_review_override_reason: 'seen by a person' } : {}),
    ...(steps.length === 1 && (ambiguous || random.chance(0.5)) ? { step_id: steps[0] } : {}),
    ...addressed(world, random, session),
  });
}

/** Several members at once by their outputs, or one without outputs by its name. */
function someOf(random: Random, open: readonly string[]): readonly string[] {
  const byName = open.filter((step) => stopAt(step).outputs.length === 0);
  const byOutputs = open.filter((step) => !byName.includes(step));
  const isNamed = byOutputs.length === 0 || (byName.length > 0 && random.chance(0.3));
  return isNamed ? [random.pick(byName)] : random.oneOrMore(byOutputs);
}

function submissionMove(
  world: World,
  session: ModelSession,
  submission: Submission,
  args: Readonly<Record<string, unknown>>,
): Move {
  return {
    tool: 'finished_step',
    args,
    session,
    mark: finishMark(session, submission),
    onceMore: isHeldByReview(submission) ? 'harmless' : 'same',
    apply() {
      const expected = finish(session, submission);
      leave(world, session);
      const top = world.stack.at(-1);
      if (session.status === 'active' || top === undefined) return expected;
      return { ...expected, begin_step: briefing(top) };
    },
    again: () => submissionMove(world, session, submission, args),
  };
}

/**
 * Null if it could only be the same again: after a crash nothing shows whether an equal call that
 * follows at once is a new one, and it is answered again.
 */
export function goBackMove(world: World, random: Random, session: ModelSession): Move | null {
  const reachable = entriesOf(session.workflow)
    .slice(0, session.entry + 1)
    .flat()
    .filter((step) => marks.wentBack(step) !== session.log.at(-1));
  if (reachable.length === 0) return null;
  const step = random.pick(reachable);
  const move: Move = {
    tool: 'go_to_step',
    args: { step_id: step, ...addressed(world, random, session) },
    session,
    mark: marks.wentBack(step),
    onceMore: 'same',
    apply: () => goBack(session, step),
    again: () => move,
  };
  return move;
}

export function abortMove(world: World, random: Random, session: ModelSession): Move {
  const explanation = world.mint('reason');
  const move: Move = {
    tool: 'abort_workflow',
    args: { explanation, ...addressed(world, random, session) },
    session,
    mark: marks.aborted(explanation),
    onceMore: 'same',
    apply() {
      const expected = abort(session, explanation);
      leave(world, session);
      const top = world.stack.at(-1);
      const resumed = top === undefined ? undefined : stackItem(top);
      return {
        ...expected,
        resumed_workflow: resumed?.workflow ?? null,
        resumed_step: resumed?.step ?? null,
        begin_step: top === undefined ? null : briefing(top),
      };
    },
    again: () => move,
  };
  return move;
}

/** Without a session id a call means the top; and when that is over, the one below. */
function addressed(world: World, random: Random, session: ModelSession) {
  const isTop = world.stack.at(-1) === session;
  const alone = world.stack.filter(({ workflow }) => workflow === session.workflow).length === 1;
  return isTop && alone && random.chance(0.5) ? {} : { session_id: session.id };
}

function leave(world: World, session: ModelSession): void {
  if (session.status !== 'active') {
    world.stack = world.stack.filter((each) => each !== session);
  }
}
