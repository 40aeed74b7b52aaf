// The workflow of a run as it is on disk now, with the progress of the run in each step.

import { leavesOf, workOf } from '../core/places.ts';
import { applicableMessages } from '../core/rules.ts';
import type { SessionEvent } from '../core/session/events.ts';
import { stepIdOf } from '../core/session/for-each.ts';
import { progressOfStep } from '../core/session/positions.ts';
import { progressOfAll } from '../core/session/progress.ts';
import type { Session } from '../core/session/state.ts';
import {
  type Entry,
  type LoopEntry,
  membersOf,
  type OutputRef,
  type Step,
  type Workflow,
} from '../core/workflow.ts';
import { conditionInWords } from './condition-words.ts';
import type { RunStep, RunWorkflow, ShownEntry, StepProgress, StepSubmission } from './run.ts';
import { isTurnedDown, submissionsOf } from './step-submissions.ts';

/** `workflow` is null if its definition cannot be read now; then only the progress is known. */
export function describeWorkflow(
  workflow: Workflow | null,
  session: Session,
  events: readonly SessionEvent[],
  instructionsOf: (step: Step) => string | null,
): RunWorkflow {
  const submissions = submissionsOf(events);
  const skipped = skippedIn(events);
  const progress = (id: string): StepProgress => ({
    state: stateOfStep(id, session, submissions.get(id) ?? [], skipped),
    attempts: Math.max(0, ...progressOfStep(session, id).map(({ attempts }) => attempts)),
    submissions: submissions.get(id) ?? [],
  });
  if (workflow === null) {
    const known = progressOfAll(session).map(({ stepId }) => stepId);
    return {
      entries: known.map((id) => ({ kind: 'steps', steps: [id] })),
      steps: known.map((id) => ({ ...unknownStep(id), progress: progress(id) })),
    };
  }
  return {
    entries: entriesOf(workflow.entries),
    steps: describeSteps(workflow, session, instructionsOf).map((step) => ({
      ...step,
      progress: progress(step.id),
    })),
  };
}

/** A workflow as it is on disk, without a run. */
export function writtenWorkflow(
  workflow: Workflow,
): Pick<RunWorkflow, 'entries'> & { readonly steps: readonly Omit<RunStep, 'progress'>[] } {
  return {
    entries: entriesOf(workflow.entries),
    steps: describeSteps(workflow, { context: {} }, () => null),
  };
}

function entriesOf(entries: readonly Entry[]): RunWorkflow['entries'] {
  return entries.map(describeEntry);
}

function describeEntry(entry: Entry): ShownEntry {
  switch (entry.kind) {
    case 'loop': {
      const { kind, name, max } = entry;
      return { kind, name, entries: entriesOf(entry.entries), until: untilWords(entry), max };
    }
    case 'for_each': {
      const { kind, name, step, items } = entry;
      return { kind, name, step: step.id, items: refText(items) };
    }
    case 'approve':
      return { kind: 'approve', name: entry.name, show: entry.show.map(refText) };
    case 'run':
      return { kind: 'run', name: entry.name, workflow: `${entry.job}/${entry.workflow}` };
    default:
      return { kind: 'steps', steps: workOf(entry) };
  }
}

function untilWords({ until }: LoopEntry): string {
  switch (until.kind) {
    case 'check':
      return `check ${until.check.name} passes`;
    case 'when':
      return conditionInWords(until.condition) ?? '';
    case 'rules':
      return `${refText(until.output)} meets its rules`;
  }
}

function refText({ step, output }: OutputRef): string {
  return `${step}.${output}`;
}

/** Steps, and the approvals and nested runs that are shown like steps, in file order. */
function describeSteps(
  workflow: Workflow,
  session: Pick<Session, 'context'>,
  instructionsOf: (step: Step) => string | null,
): Omit<RunStep, 'progress'>[] {
  return leavesOf(workflow).flatMap(({ entry }) => {
    switch (entry.kind) {
      case 'approve':
        return [{ ...unknownStep(entry.name), description: entry.question }];
      case 'run':
        return [{ ...unknownStep(entry.name), description: `Runs ${entry.job}/${entry.workflow}` }];
      default:
        return membersOf(entry).map((step) => describeStep(step, session, instructionsOf(step)));
    }
  });
}

function describeStep(
  step: Step,
  { context }: Pick<Session, 'context'>,
  instructions: string | null,
): Omit<RunStep, 'progress'> {
  const { id, name, description, outputs, checks, reviews, when } = step;
  return {
    id,
    name,
    description,
    instructions,
    outputs: outputs.map((each) => ({
      name: each.name,
      type: each.type,
      required: each.required,
      description: each.description,
    })),
    rules: outputs.flatMap(({ rules }) =>
      rules === null ? [] : applicableMessages(rules, context),
    ),
    checks: checks.map(({ name: check, run }) => ({ name: check, run })),
    reviews: reviews.map(({ runEach, criteria }) => ({
      run_each: runEach,
      criteria: criteria.map(({ text }) => text),
    })),
    when: conditionInWords(when),
  };
}

/** For going through a run event by event: the states of these steps in each session on the way. */
export function statesAlong(
  ids: readonly string[],
  events: readonly SessionEvent[],
): (session: Session) => Record<string, StepProgress['state']> {
  const submissions = submissionsOf(events);
  const skipped = new Set<string>();
  let read = 0;
  return (session) => {
    for (; read < session.seq; read++) noteSkipped(skipped, events[read] as SessionEvent);
    const until = (id: string) =>
      submissions.get(id)?.filter(({ seq }) => seq <= session.seq) ?? [];
    return Object.fromEntries(ids.map((id) => [id, stateOfStep(id, session, until(id), skipped)]));
  };
}

function unknownStep(id: string): Omit<RunStep, 'progress'> {
  const nothing = { outputs: [], rules: [], checks: [], reviews: [] };
  return { id, name: id, description: '', instructions: null, ...nothing, when: null };
}

function stateOfStep(
  id: string,
  session: Session,
  submissions: readonly StepSubmission[],
  skipped: ReadonlySet<string>,
): StepProgress['state'] {
  const begun = progressOfStep(session, id);
  if (begun.length > 0 && begun.every(({ completedAt }) => completedAt !== null)) return 'accepted';
  if (begun.some(({ stepId }) => session.position.members.includes(stepId))) {
    const since = begun[0]?.startedAt ?? '';
    const last = submissions.findLast(({ at }) => at >= since);
    // Of concurrent members only those that were turned down are failed.
    if (last !== undefined && isTurnedDown(last)) return 'failed';
    if (session.status === 'active') return 'current';
  }
  return skipped.has(id) ? 'skipped' : 'to_do';
}

/** Steps that were skipped and not reached since. */
function skippedIn(events: readonly SessionEvent[]): ReadonlySet<string> {
  const skipped = new Set<string>();
  for (const event of events) noteSkipped(skipped, event);
  return skipped;
}

function noteSkipped(skipped: Set<string>, { data }: SessionEvent): void {
  if (!('position' in data)) return;
  if ('invalidated' in data) for (const id of data.invalidated ?? []) skipped.delete(id);
  for (const id of data.position?.members ?? []) skipped.delete(stepIdOf(id));
  for (const id of 'skipped' in data ? (data.skipped ?? []) : []) skipped.add(id);
}
