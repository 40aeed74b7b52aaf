// A real session in the terms of the comparison, read from what clients see of it: its view and its
// merged outputs.

import type { Progress, Session } from '../../src/core/session/state.ts';
import { allOutputs, completedSteps, viewOf } from '../../src/core/session/view.ts';
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
  const view = viewOf(session);
  const steps = Object.values(view.step_progress as Record<string, StepView>);
  const { owner, process } = view.agent as { owner: string; process: string };
  return {
    id: view.session_id as string,
    owner,
    process: shell.nameOf(process),
    parent: view.parent_session_id as string | null,
    status: view.status as SessionFacts['status'],
    abortReason: view.abort_reason as string | null,
    entry: view.current_entry_index as number,
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
