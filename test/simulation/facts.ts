// A real session in the terms of the comparison: its state, its steps as the view shows them, and its
// merged outputs.

import { progressOfAll } from '../../src/core/session/progress.ts';
import type { Progress, Session } from '../../src/core/session/state.ts';
import { allOutputs, completedSteps, progressView } from '../../src/core/session/view.ts';
import type { CompletedStep, SessionFacts } from './answers.ts';
import type { Shell } from './shell.ts';

interface StepView {
  readonly step_id: string;
  readonly quality_attempts: number;
}

/** A state never changes, so facts read from it once stay valid. */
const known = new WeakMap<Session, SessionFacts>();

export function factsOfSession(shell: Pick<Shell, 'nameOf'>, session: Session): SessionFacts {
  const before = known.get(session);
  if (before !== undefined) return before;
  const facts = readFacts(shell, session);
  known.set(session, facts);
  return facts;
}

function readFacts(shell: Pick<Shell, 'nameOf'>, session: Session): SessionFacts {
  const steps = progressOfAll(session).map(progressView) as unknown as StepView[];
  const { identity: owner, process } = session.owner;
  return {
    id: session.id,
    owner,
    process: shell.nameOf(process),
    parent: session.parentId,
    status: session.status,
    abortReason: session.abortReason,
    entry: session.position.entryIndex,
    members: session.position.members,
    arrival: session.position.arrival,
    completed: inOrder(completedSteps(session)),
    attempts: steps
      .map((step) => [step.step_id, step.quality_attempts] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
    allOutputs: allOutputs(session),
    context: session.context,
  };
}

/** The reported order; steps completed by one event have none, and are sorted by id. */
function inOrder(steps: readonly Progress[]): CompletedStep[] {
  const place = ({ completedSeq }: Progress) =>
    steps.findIndex((step) => step.completedSeq === completedSeq);
  return [...steps]
    .sort((a, b) => place(a) - place(b) || (a.stepId < b.stepId ? -1 : 1))
    .map(({ stepId, outputs, notes }) => ({ step: stepId, outputs, notes }));
}
