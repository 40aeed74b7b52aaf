// The real sessions in the terms of the comparison: their state, their steps as the view shows them,
// and their merged outputs.

import { currentEntry } from '../../src/core/session/positions.ts';
import { progressOfAll } from '../../src/core/session/progress.ts';
import { currentStepId, type Progress, type Session } from '../../src/core/session/state.ts';
import { allOutputs, completedSteps, progressView } from '../../src/core/session/view.ts';
import { stackItems } from '../../src/sessions/stack-items.ts';
import type { SessionFacts, World } from './answers.ts';
import type { Jobs } from './calls.ts';
import type { Shell } from './shell.ts';

/** A state never changes, so facts read from it once stay valid. */
const known = new WeakMap<Session, SessionFacts>();

export async function realWorld(
  shell: Pick<Shell, 'nameOf' | 'load' | 'stack'>,
  jobs: Jobs,
  { sessions, stacks }: World,
): Promise<World> {
  const loaded = await Promise.all(sessions.map(({ id }) => shell.load(id)));
  return {
    sessions: loaded.flatMap((session) => (session ? [factsOf(shell, jobs, session)] : [])),
    stacks: await Promise.all(
      stacks.map(async ({ owner }) => ({ owner, items: stackItems(await shell.stack(owner)) })),
    ),
  };
}

function factsOf(shell: Pick<Shell, 'nameOf'>, jobs: Jobs, session: Session): SessionFacts {
  const before = known.get(session);
  if (before !== undefined) return before;
  const facts = readFacts(shell, jobs, session);
  known.set(session, facts);
  return facts;
}

function readFacts(shell: Pick<Shell, 'nameOf'>, jobs: Jobs, session: Session): SessionFacts {
  const { position, owner, status, abortReason, abortedBy, context, lastAccepted } = session;
  const { limit, loops = [] } = position;
  const workflow = jobs.get(session.jobName);
  const here = workflow === undefined ? null : currentEntry(session, workflow);
  return {
    id: session.id,
    owner: owner.identity,
    process: shell.nameOf(owner.process),
    parent: session.parentId,
    status,
    abortReason,
    abortedBy,
    entry: position.entryIndex,
    current: currentStepId(session),
    members: position.members,
    shown: here?.members.map(({ id }) => id) ?? [],
    arrival: position.arrival,
    loops: loops.map(({ name, pass, said = null }) => [name, pass, said]),
    limit: limit === undefined ? null : [limit.loop, limit.pass],
    feedback: position.feedback,
    completed: inOrder(completedSteps(session)),
    attempts: progressOfAll(session)
      .map((step) => [step.stepId, progressView(step).quality_attempts as number] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
    allOutputs: allOutputs(session),
    context,
    last: lastAccepted === null ? null : lastAccepted.stepIds,
  };
}

/** The reported order; steps completed by one event have none, and are sorted by id. */
function inOrder(steps: readonly Progress[]): SessionFacts['completed'] {
  const place = ({ completedSeq }: Progress) =>
    steps.findIndex((step) => step.completedSeq === completedSeq);
  return [...steps]
    .sort((a, b) => place(a) - place(b) || (a.stepId < b.stepId ? -1 : 1))
    .map(({ stepId, outputs, notes }) => ({ step: stepId, outputs, notes }));
}
